"""As which audience a request reads, and the account of what answers hand out to keys.

Without a key no one is handed more than the public sees, and nothing is accounted for.
"""

from typing import Literal
from uuid import UUID

from domain.people import Actor
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from projections.audience.disclosure import viewer as parse_viewer
from service.application.evidence.evidence import is_open
from service.application.evidence.reads import SEAT, KeyReading
from service.auth.grants import Grant
from service.event_store.errors import StoreUnavailable
from service.event_store.reads import Read
from service.http.errors.mistakes import AUDIENCE_PATTERN, Mistake, MistakeCode
from service.http.errors.problems import Failed
from service.instance import Instance

COUNTS_ONLY = 0
"""The number that is recorded for a reader who was shown only how much is hidden."""

_ROLES = {"player": SEAT, "tournament_moderator": "moderator"}
"""The role in a match of the keys of a tournament."""

Part = Literal["query", "body"]
"""The part of a request that names the audience."""


async def account_for(
    instance: Instance, grant: Grant, match_id: UUID, viewer: Viewer, seq: int
) -> None:
    """Accounts for an answer to a key that allows `grant` with what the audience sees up to its
    number `seq`. The answer may be sent when this returns. Raises StoreUnavailable."""
    reading = await reading_of(instance, grant, match_id, viewer)
    if reading is not None:
        await reading.add(seq)


async def reading_of(
    instance: Instance, grant: Grant, match_id: UUID, viewer: Viewer
) -> KeyReading | None:
    """What accounts for the reading of a match as an audience, by a key that allows `grant`.

    While the id of the key cannot be recorded its reads cannot be, either: then it is None, and
    StoreUnavailable is raised for what may be hidden.
    """
    role = _ROLES.get(grant.role, grant.role)
    if grant.holder is None and (role == SEAT or viewer == PUBLIC_VIEWER):
        return None
    holder = holder_of(grant)
    name = holder.by or await _name(instance, grant)
    read = Read(
        match=str(match_id),
        key_id=holder.key_id,
        audience=name_audience(viewer),
        hidden=False,
        role=role,
        name=name,
        seq=0,
        first=0,
        last=0,
    )
    return KeyReading(instance.reads, instance.sessions, instance.clock.now, read)


def holder_of(grant: Grant) -> Actor:
    """Who has the key. Raises StoreUnavailable while its id could not be recorded."""
    if grant.holder is None:
        raise StoreUnavailable
    return grant.holder


async def _name(instance: Instance, grant: Grant) -> str | None:
    """The name of a player: the roster has it, and their keys have none."""
    if grant.tournament is None:
        return None
    names = (await instance.tournaments.cached(grant.tournament)).state.players
    return names[grant.number] if grant.number < len(names) else None


async def audience(
    instance: Instance, match_id: UUID, own: Viewer, name: str | None, part: Part = "query"
) -> Viewer:
    """The audience that this part of a request names, or else the key's own.

    Raises Failed for an audience that does not exist or that the key does not allow.
    """
    if name is None:
        return own
    named_audience = audience_called(name, part)
    if named_audience in (own, PUBLIC_VIEWER):
        return named_audience
    loaded = await instance.sessions.cached(match_id)
    match = loaded.match
    beyond = own != MODERATOR or (loaded.conceals and isinstance(named_audience, int))
    # What is not over in this instance's memory may have ended on another instance.
    if beyond and not (
        is_open(match) or is_open((await instance.sessions.current(match_id)).match)
    ):
        raise beyond_key(part, own)
    if isinstance(named_audience, int) and named_audience >= match.created.seats:
        allowed = (PUBLIC_VIEWER, *map(name_audience, range(match.created.seats)), MODERATOR)
        detail = "The match has no such seat."
        mistake = _audience_mistake(part, "unknown_value", detail, allowed)
        raise Failed("no_such_seat", errors=(mistake,))
    return named_audience


def audience_called(name: str, part: Part = "query") -> Viewer:
    """The audience of this name. Raises Failed."""
    audience_ = parse_viewer(name)
    if audience_ is None:
        detail = "An audience is `public`, `seat:N` or `moderator`."
        mistake = _audience_mistake(part, "malformed", detail, pattern=AUDIENCE_PATTERN)
        raise Failed("bad_audience", errors=(mistake,))
    return audience_


def beyond_key(part: Part, own: Viewer) -> Failed:
    """The refusal to show what another audience sees to a key that belongs to `own`."""
    detail = "The key is for another audience."
    allowed = tuple(dict.fromkeys((name_audience(own), PUBLIC_VIEWER)))
    return Failed("not_allowed", errors=(_audience_mistake(part, "beyond_key", detail, allowed),))


def _audience_mistake(
    part: Part,
    code: MistakeCode,
    detail: str,
    allowed: tuple[str, ...] | None = None,
    pattern: str | None = None,
) -> Mistake:
    name, pointer = ("as", None) if part == "query" else (None, "/as")
    return Mistake(part, code, detail, name=name, pointer=pointer, allowed=allowed, pattern=pattern)
