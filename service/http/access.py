"""Who asks: keys, audiences, and what a key gives."""

from collections.abc import Sequence
from uuid import UUID

from domain.match_state import Match
from domain.tournament_state import Tournament, moderates
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, viewer
from service.access.keys import Grant
from service.arbiter import Arbiter
from service.http.problems import AnyRequest, Failed
from service.http.reading import header


async def bearer(arbiter: Arbiter, request: AnyRequest) -> Grant | None:
    """What the request's key allows; None without a key. Raises Failed for a key not known."""
    authorization = header(request, b"authorization")
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise Failed("key_unknown")
    key = key.strip()
    grant = arbiter.keys.known(key) or await arbiter.keys.learn(key)
    if grant is None:
        raise Failed("key_unknown")
    return grant


async def holder(arbiter: Arbiter, request: AnyRequest) -> Grant:
    """What the request's key allows. Raises Failed without one."""
    grant = await bearer(arbiter, request)
    if grant is None:
        raise Failed("key_missing")
    return grant


async def existing(arbiter: Arbiter, match_id: UUID) -> Match:
    """The match as it stands. Raises UnknownMatch."""
    opened = await arbiter.open_matches.opened(match_id)
    assert opened.match is not None
    return opened.match


async def known(arbiter: Arbiter, match_id: UUID) -> Match:
    """The match as it stood a while ago at least: for what never changes, such as its seats, and
    for being over. Raises UnknownMatch."""
    opened = await arbiter.open_matches.known(match_id)
    assert opened.match is not None
    return opened.match


async def moderating(
    arbiter: Arbiter, request: AnyRequest, match_id: UUID, *, organiser_too: bool = False
) -> Viewer:
    """As whom the match's moderator (or an organiser, if he may) acts. Raises Failed otherwise."""
    grant = await holder(arbiter, request)
    if grant.role == "moderator" and grant.match == match_id:
        return MODERATOR
    match = await known(arbiter, match_id)
    if await through_tournament(arbiter, grant, match_id, match) == MODERATOR:
        return MODERATOR
    if organiser_too and grant.role == "organiser":
        return PUBLIC_VIEWER
    raise Failed("not_allowed")


async def seated(arbiter: Arbiter, request: AnyRequest, match_id: UUID) -> int:
    """The seat of the match that the key is for. Raises Failed if it is for none."""
    grant = await holder(arbiter, request)
    if grant.seat is not None and grant.match == match_id:
        return grant.seat
    match = await known(arbiter, match_id)
    seat = await through_tournament(arbiter, grant, match_id, match)
    if isinstance(seat, int):
        return seat
    raise Failed("not_allowed")


async def through_tournament(
    arbiter: Arbiter, grant: Grant, match_id: UUID, match: Match
) -> Viewer:
    """As whom a key of a tournament reads and acts in a match: a player in his seat, a moderator
    where he has been given the match, anybody else as the public."""
    if grant.tournament is None or match.created.tournament != str(grant.tournament):
        return PUBLIC_VIEWER
    state = (await arbiter.tournaments.opened(grant.tournament)).state
    if grant.role == "tournament_moderator":
        given = moderates(state, grant.number, str(match_id))
        return MODERATOR if given else PUBLIC_VIEWER
    return seat_of(state, grant.number, match.created.seats)


def seat_of(state: Tournament, player: int, seats: Sequence[str]) -> Viewer:
    """Where a player sits, if he does: nobody else has his name."""
    name = state.players[player] if player < len(state.players) else None
    return seats.index(name) if name in seats else PUBLIC_VIEWER


async def audience(
    arbiter: Arbiter, request: AnyRequest, match_id: UUID, asked: str | None
) -> Viewer:
    """The audience as which the request may read, `asked` or the key's own.

    Raises Failed for an audience that does not exist or that the key does not give.
    """
    return await audience_of(arbiter, await bearer(arbiter, request), match_id, asked)


async def audience_of(
    arbiter: Arbiter, grant: Grant | None, match_id: UUID, asked: str | None
) -> Viewer:
    """The same for what a key is known to allow, or for nobody's."""
    match = await known(arbiter, match_id)
    own: Viewer = PUBLIC_VIEWER
    if grant is not None and grant.match == match_id:
        own = MODERATOR if grant.seat is None else grant.seat
    elif grant is not None:
        own = await through_tournament(arbiter, grant, match_id, match)
    if asked is None:
        return own
    wanted = viewer(asked)
    if wanted is None:
        raise Failed("bad_audience")
    beyond = wanted not in (own, PUBLIC_VIEWER) and own != MODERATOR
    # If it is not over here, it may have ended elsewhere.
    if beyond and not (opened_to_all(match) or opened_to_all(await existing(arbiter, match_id))):
        raise Failed("not_allowed")
    if isinstance(wanted, int) and wanted >= len(match.created.seats):
        raise Failed("no_such_seat")
    return wanted


def opened_to_all(match: Match) -> bool:
    """Whether anyone may read everything: the match is over and its record is not closed."""
    return match.status == "ended" and match.created.record == "opened_at_end"


def etag(viewer_name: str, seq: int) -> str:
    """The entity tag of an audience's view: it never changes at a given number."""
    return f'"{viewer_name}.{seq}"'


def tags(listed: str | None) -> list[str] | None:
    """The entity tags of an `If-Match` or `If-None-Match` header, weak ones as strong."""
    if listed is None:
        return None
    return [tag.strip().removeprefix("W/") for tag in listed.split(",")]
