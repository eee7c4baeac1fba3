"""What a key allows in a match: to sit in a seat, to moderate, to read as an audience."""

from collections.abc import Callable
from typing import Any, Literal, cast
from uuid import UUID

from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from msgspec import UNSET
from msgspec.structs import replace

from domain.match_state import Match
from domain.people import Actor
from domain.receipts import DIRECTOR, Receiver
from domain.seat_holders import holders, tenure
from domain.tournament_state import Tournament, moderates
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from projections.disclosure import viewer as parse_viewer
from service.application.evidence import is_open
from service.application.tournament_rulings import Matches
from service.auth.grants import Grant
from service.event_store.errors import StoreUnavailable
from service.http.access import only
from service.http.authentication import optional_grant, required_grant
from service.http.context import context
from service.http.match_lookup import cached_match, current_match
from service.http.mistakes import Mistake, MistakeCode
from service.http.parameters import As, MatchId
from service.http.problems import AnyRequest, Failed
from service.http.usual_mistakes import AUDIENCE_PATTERN
from service.instance import Instance

Part = Literal["query", "body"]
"""The part of a request that names the audience."""


async def seat(instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId) -> int:
    """The seat of the match that the key is for. Raises Failed if it is for none."""
    return await seat_of_grant(instance, await required_grant(instance, request), match_id)


async def seat_of_grant(instance: Instance, grant: Grant, match_id: UUID) -> int:
    """The same for what a key allows. Raises Failed."""
    if grant.seat is not None and grant.match == match_id:
        await _check_holder(instance, grant, grant.seat, match_id)
        return grant.seat
    match = await cached_match(instance, match_id)
    own = await _tournament_viewer(instance, grant, match_id, match)
    if isinstance(own, int):
        return own
    raise Failed("not_allowed")


async def moderator(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId
) -> Viewer:
    """The match's moderator. Raises Failed if the key is not theirs."""
    if await _is_moderator(instance, await required_grant(instance, request), match_id):
        return MODERATOR
    raise Failed("not_allowed")


async def moderator_or_organiser(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId
) -> Viewer:
    """The match's moderator, or the public for an organiser. Raises Failed for other keys."""
    grant = await required_grant(instance, request)
    if await _is_moderator(instance, grant, match_id):
        return MODERATOR
    if grant.role == "organiser":
        return PUBLIC_VIEWER
    raise Failed("not_allowed")


async def receiver(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId
) -> Receiver:
    """Whose receipts the key may have: its seat's, or those for what its holder has ordered. Raises
    Failed for other keys."""
    grant = await required_grant(instance, request)
    if grant.role == "organiser" or await _is_moderator(instance, grant, match_id):
        return DIRECTOR
    return await seat_of_grant(instance, grant, match_id)


async def _directs(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard that raises Failed as `moderator_or_organiser` does."""
    request = cast(AnyRequest, connection)
    match_id = request.path_params["match_id"]
    await moderator_or_organiser(context(request).instance, request, match_id)


DIRECTORS: dict[str, Any] = {"security": only("organiser", "moderator"), "guards": [_directs]}
"""What a route of a match is given that is for its moderators and for organisers."""


async def actor(instance: NamedDependency[Instance], request: AnyRequest) -> Actor:
    """Who sends the request, as a match's record names them. Raises Failed without a key, and
    StoreUnavailable while the id of the key could not be recorded."""
    grant = await required_grant(instance, request)
    if grant.holder is None:
        raise StoreUnavailable
    if grant.role != "tournament_moderator" or grant.holder.by is not None:
        return grant.holder
    # The operator may issue these keys without a name.
    assert grant.tournament is not None, "a tournament's moderator is one of a tournament"
    tournament = (await instance.tournaments.current(grant.tournament)).state
    return replace(grant.holder, by=tournament.moderators[grant.number])


async def judge(instance: NamedDependency[Instance], request: AnyRequest) -> Actor:
    """The same, with where their key comes from: for what somebody else than a certain person must
    do."""
    grant = await required_grant(instance, request)
    return replace(await actor(instance, request), origin=grant.origin or UNSET)


async def moderated(instance: Instance, grant: Grant, tournament_id: UUID) -> Matches:
    """The matches of a tournament that a key moderates; None for an organiser's, which is told of
    all. Raises UnknownTournament."""
    state = (await instance.tournaments.current(tournament_id)).state
    if grant.role == "organiser":
        return None
    if grant.role == "moderator" and grant.match is not None:
        return frozenset({str(grant.match)} & state.matches.keys())
    if grant.role != "tournament_moderator" or grant.tournament != tournament_id:
        return frozenset()
    return frozenset(match for match in state.matches if moderates(state, grant.number, match))


async def viewer(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId, as_: As = None
) -> Viewer:
    """The audience as which the request may read: the one it names, or else the key's own.

    Raises Failed for an audience that does not exist or that the key does not allow.
    """
    return await viewer_of_grant(instance, await optional_grant(instance, request), match_id, as_)


async def viewer_of_grant(
    instance: Instance,
    grant: Grant | None,
    match_id: UUID,
    name: str | None,
    part: Part = "query",
) -> Viewer:
    """The same for what a key allows, or for no key; `part` of the request names the audience.
    Raises Failed."""
    match = await cached_match(instance, match_id)
    own = await _own_viewer(instance, grant, match_id, match)
    if name is None:
        return own
    wanted = parse_viewer(name)
    if wanted is None:
        detail = "An audience is `public`, `seat:N` or `moderator`."
        mistake = _audience_mistake(part, "malformed", detail, pattern=AUDIENCE_PATTERN)
        raise Failed("bad_audience", errors=(mistake,))
    beyond = wanted not in (own, PUBLIC_VIEWER) and own != MODERATOR
    # What is not over in this instance's memory may have ended on another instance.
    if beyond and not (is_open(match) or is_open(await current_match(instance, match_id))):
        raise beyond_key(part, wanted, own)
    if isinstance(wanted, int) and wanted >= match.created.seats:
        allowed = (PUBLIC_VIEWER, *map(named, range(match.created.seats)), MODERATOR)
        detail = "The match has no such seat."
        mistake = _audience_mistake(part, "unknown_value", detail, allowed)
        raise Failed("no_such_seat", errors=(mistake,))
    return wanted


async def check_over(
    instance: Instance, request: AnyRequest, match_id: UUID, is_it: Callable[[Match], bool]
) -> None:
    """Raises Failed while the match is not over or open, as asked, unless the key is its
    moderator's."""
    if is_it(await cached_match(instance, match_id)):
        return
    # It may have ended on another instance.
    if not is_it(await current_match(instance, match_id)):
        await moderator(instance, request, match_id)


async def _own_viewer(
    instance: Instance, grant: Grant | None, match_id: UUID, match: Match
) -> Viewer:
    """The audience that a key belongs to; without a key, the public."""
    if grant is None:
        return PUBLIC_VIEWER
    if grant.match == match_id and grant.seat is not None:
        await _check_holder(instance, grant, grant.seat, match_id)
        return grant.seat
    if grant.match == match_id:
        return MODERATOR
    return await _tournament_viewer(instance, grant, match_id, match)


async def _check_holder(instance: Instance, grant: Grant, seat: int, match_id: UUID) -> None:
    """Raises Failed for the key of somebody who has been replaced, and ends it: on the record of
    the match it has ended already."""
    loaded = instance.sessions.loaded(match_id)
    match = await cached_match(instance, match_id) if loaded is None else loaded.match
    if grant.tenure == tenure(match, seat):
        return
    # What this instance has in memory may be older than the key.
    if grant.tenure != tenure(await current_match(instance, match_id), seat):
        await instance.match_keys.end_of_predecessors(match_id)
        raise Failed("key_unknown")


async def _is_moderator(instance: Instance, grant: Grant, match_id: UUID) -> bool:
    """Whether a key moderates the match. Raises UnknownMatch unless it is the match's own key."""
    if grant.role == "moderator" and grant.match == match_id:
        return True
    match = await cached_match(instance, match_id)
    return await _tournament_viewer(instance, grant, match_id, match) == MODERATOR


async def _tournament_viewer(
    instance: Instance, grant: Grant, match_id: UUID, match: Match
) -> Viewer:
    """The audience of a tournament's key in a match: a player's seat, the moderator of a match
    that was assigned to them, and the public for everybody else."""
    if grant.tournament is None or match.created.tournament != str(grant.tournament):
        return PUBLIC_VIEWER
    state = (await instance.tournaments.current(grant.tournament)).state
    if grant.role == "tournament_moderator":
        assigned = moderates(state, grant.number, str(match_id))
        return MODERATOR if assigned else PUBLIC_VIEWER
    return _seat_of(state, grant.number, match)


def _seat_of(state: Tournament, player: int, match: Match) -> Viewer:
    """The seat that a player has now, or the public without one: names are unique in a tournament.
    A seat that somebody else has taken over has left the player (RULINGS §3)."""
    name, held = state.players[player] if player < len(state.players) else None, holders(match)
    return held.index(name) if name in held else PUBLIC_VIEWER


def beyond_key(part: Part, wanted: Viewer, own: Viewer) -> Failed:
    """The refusal to show what another audience sees to a key that belongs to `own`."""
    detail = "The key is for another audience."
    allowed = tuple(dict.fromkeys((named(own), PUBLIC_VIEWER)))
    beyond = (_audience_mistake(part, "beyond_key", detail, allowed),)
    if isinstance(wanted, int):
        return Failed("not_allowed", errors=beyond, needed=("seat", "moderator"))
    return Failed("not_allowed", errors=beyond, needed=("moderator",))


def _audience_mistake(
    part: Part,
    code: MistakeCode,
    detail: str,
    allowed: tuple[str, ...] | None = None,
    pattern: str | None = None,
) -> Mistake:
    name, pointer = ("as", None) if part == "query" else (None, "/as")
    return Mistake(part, code, detail, name=name, pointer=pointer, allowed=allowed, pattern=pattern)
