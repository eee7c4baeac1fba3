"""What keys allow: found by a request's key, and related to the match or tournament of its path."""

from collections.abc import Iterable
from uuid import UUID

from domain.match.seat_holders import holders, tenure
from domain.match.state import Match
from domain.tournament.state import Tournament, moderates, names_of, player_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.rulings.tournament_rulings import EVERYTHING, Sight
from service.auth.grants import Grant
from service.auth.keyring import parse_key
from service.auth.keys import Keyring
from service.event_store.store_threads import in_store_thread
from service.http.access.key_needed import GRANT
from service.http.errors.problems import Failed
from service.http.requests.context import Connection
from service.instance import Instance


def found_grant(connection: Connection) -> Grant | None:
    """What the request's key allows, as the route's guard has found it; None without a key."""
    grant: Grant | None = connection.scope["state"].get(GRANT)
    return grant


def key_in(headers: Iterable[tuple[bytes, bytes]], *, bearer: bool = False) -> str | None:
    """The key in a request's headers, valid or not. Raises Failed if it should be a `bearer` key
    and comes by another scheme."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, key = value.decode("latin-1").partition(" ")
            if bearer and scheme.lower() != "bearer":
                raise Failed("key_unknown")
            return key.strip()
    return None


async def known_grant(keyring: Keyring, key: str) -> Grant | None:
    """What a key allows; None for an unknown one."""
    grant = keyring.find_cached(key)
    if grant is None and parse_key(key) is not None:
        grant = await in_store_thread(keyring.load, key)
    return grant


async def grant_of_request(instance: Instance, connection: Connection) -> Grant | None:
    """What the request's key allows now; None without a key. Raises Failed for an unknown one."""
    key = key_in(connection.scope["headers"], bearer=True)
    grant = None if key is None else await known_grant(instance.keyring, key)
    if key is not None and grant is None:
        raise Failed("key_unknown")
    connection.scope["state"][GRANT] = grant
    return grant


async def viewer_of(instance: Instance, grant: Grant | None, match_id: UUID) -> Viewer:
    """The audience that a key belongs to in a match; without a key, the public. Raises Failed for
    the key of someone who has been replaced, and UnknownMatch."""
    match = (await instance.sessions.cached(match_id)).match
    if grant is None or grant.role == "organiser":
        return PUBLIC_VIEWER
    if grant.match == match_id and grant.seat is not None:
        await _check_holder(instance, grant, grant.seat, match_id)
        return grant.seat
    if grant.match == match_id:
        return MODERATOR
    if grant.tournament is None or match.created.tournament != str(grant.tournament):
        return PUBLIC_VIEWER
    state = (await instance.tournaments.current(grant.tournament)).state
    if grant.role == "tournament_moderator":
        assigned = moderates(state, grant.number, str(match_id))
        return MODERATOR if assigned else PUBLIC_VIEWER
    return _seat_of(state, grant.number, match)


async def _check_holder(instance: Instance, grant: Grant, seat: int, match_id: UUID) -> None:
    """Raises Failed for the key of someone who has been replaced, and ends it: on the record of
    the match it has ended already."""
    loaded = instance.sessions.loaded(match_id)
    match = (await instance.sessions.cached(match_id)).match if loaded is None else loaded.match
    if grant.tenure == tenure(match, seat):
        return
    # What this instance has in memory may be older than the key.
    if grant.tenure != tenure((await instance.sessions.current(match_id)).match, seat):
        await instance.match_keys.end_of_predecessors(match_id)
        raise Failed("key_unknown")


def _seat_of(state: Tournament, player: int, match: Match) -> Viewer:
    """The seat that a player has now, or the public without one. A seat that another person has
    taken over has left the player (/docs/rulings#a-new-player), also for another player."""
    added, names = state.matches.get(match.id), names_of(state, player)
    for seat, name in enumerate(holders(match)):
        own = added is not None and added.players[seat] == player
        if name in names if tenure(match, seat) else own:
            return seat
    return PUBLIC_VIEWER


async def organises(instance: Instance, grant: Grant, tournament_id: UUID) -> bool:
    """Whether a key is an organiser's of a tournament: the service's own, that of the person who
    made it, or one of this tournament. Raises UnknownTournament."""
    state = (await instance.tournaments.current(tournament_id)).state
    if grant.role != "organiser" or grant.is_service:
        return grant.role == "organiser"
    if grant.tournament is None:
        return grant.is_of(state.maker)
    # Who was removed is so on the record first, and without a key next.
    here = grant.tournament == tournament_id
    return here and grant.number in state.organising


async def organises_match(instance: Instance, grant: Grant, match_id: UUID) -> bool:
    """The same of a match: in a tournament it is its tournament's, and an open table has none.
    Raises UnknownMatch."""
    created = (await instance.sessions.cached(match_id)).match.created
    if created.table or grant.role != "organiser" or grant.is_service:
        return grant.role == "organiser" and not created.table
    if created.tournament is not None:
        return await organises(instance, grant, UUID(created.tournament))
    maker = await in_store_thread(instance.keyring.maker, match_id)
    return grant.tournament is None and grant.is_of(maker)


async def may_create(instance: Instance, grant: Grant, tournament_id: UUID | None) -> bool:
    """Whether an organiser's key may create a match, in this tournament or on its own: an organiser
    of one tournament creates its matches alone. Raises UnknownTournament."""
    if tournament_id is None:
        return grant.tournament is None
    return await organises(instance, grant, tournament_id)


async def moderated(instance: Instance, grant: Grant, tournament_id: UUID) -> frozenset[str]:
    """The matches of a tournament that a key moderates. Raises UnknownTournament."""
    state = (await instance.tournaments.current(tournament_id)).state
    if grant.role == "moderator" and grant.match is not None:
        return frozenset({str(grant.match)} & state.matches.keys())
    if grant.role != "tournament_moderator" or grant.tournament != tournament_id:
        return frozenset()
    return frozenset(match for match in state.matches if moderates(state, grant.number, match))


async def sight_of(instance: Instance, grant: Grant, tournament_id: UUID) -> Sight:
    """Which rulings on a tournament a key sees besides what is public: an organiser's all, and a
    moderator's those on their matches. A moderator of the tournament who does not play in it sees
    those on the whole of it, too, and those on matches that no one moderates. Raises
    UnknownTournament."""
    if await organises(instance, grant, tournament_id):
        return EVERYTHING
    own = await moderated(instance, grant, tournament_id)
    state = (await instance.tournaments.current(tournament_id)).state
    appointed = grant.role == "tournament_moderator" and grant.tournament == tournament_id
    if not appointed or player_of(state, grant.number) is not None:
        return Sight(own)
    free = (match for match, added in state.matches.items() if not added.moderators)
    return Sight(own.union(free), whole=True)


def player_by(grant: Grant, tournament_id: UUID, state: Tournament) -> int | None:
    """The player of a tournament that a key is for; None if it is for none. A moderator is the
    player whose name they have."""
    if grant.tournament != tournament_id or grant.role == "organiser":
        return None
    if grant.role == "player":
        return grant.number
    return player_of(state, grant.number) if grant.number in state.in_office else None
