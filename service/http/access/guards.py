"""Who may use a route: each has one of these guards, and a route without one does not start.

A guard finds the request's key once and leaves what it allows in the request's state. It refuses
before anything else of the request is read, and it says in the API's description whom it lets
through: OpenAPI 3.1 has a place for roles in the requirements of the one scheme, `key`. The
requirements of a route are alternatives; the empty one is met without a key. The tests of roles
send every route what every kind of key may and may not do.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from operator import attrgetter
from typing import Literal
from uuid import UUID

from litestar.handlers import BaseRouteHandler

from domain.match.state import Match
from projections.audience.disclosure import MODERATOR, Viewer
from service.application.evidence.evidence import is_open
from service.auth.grants import Grant
from service.http.access.grants import (
    found_grant,
    grant_of_request,
    moderated,
    organises,
    organises_match,
    player_by,
    viewer_of,
)
from service.http.access.key_needed import EVERYBODY_ONCE_OPENED, ONCE_OVER, Security
from service.http.errors.problems import Failed
from service.http.middleware.caching import reads_public_address
from service.http.requests.context import Connection, context
from service.instance import Instance

Role = Literal["organiser", "moderator", "seat", "player", "seat once over"]
"""What a key is to what the path names. The organiser is the one who made the match or the
tournament, another one of that tournament, or the service's own key. The moderator is the match's:
its own key, or that of a tournament's moderator to whom it was assigned; where the path names a
tournament, its moderators and anyone who moderates a match of it. The seat is one of the match: its
own key, or that of the tournament's player who sits there; `once over` when the match is over. The
player is one of the tournament, the one that the path names if it names one; so is a moderator who
has a player's name."""

OWN = "own viewer"
"""Where the state of a request has the audience that its key belongs to in the path's match."""

Opened = Callable[[Match], bool]
"""Whether a match has come so far."""

is_over: Opened = attrgetter("over")


class Guard:
    """Lets requests through, or refuses them; `security` says in the description whose."""

    security: Security = []  # noqa: RUF012 -- for everyone

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:
        """For everyone: no key is read."""

    @property
    def codes(self) -> Iterator[str]:
        """The codes with which it refuses."""
        roles = any(requirement.get("key") for requirement in self.security)
        if self.security and (roles or {} not in self.security):
            yield "key_missing"
        if self.security:
            yield "key_unknown"
        if roles:
            yield "not_allowed"


class Requires(Guard):
    """For keys of these roles; without roles, for every valid key. If it is `optional`, without a
    key, too. Once the match is `opened` everyone may use the route."""

    def __init__(self, *roles: Role, optional: bool = False, opened: Opened | None = None) -> None:
        self._roles = frozenset[str](roles)
        self._opened = opened
        self._optional = optional or opened is not None
        self.security = [{"key": [role]} for role in roles] or [{"key": []}]
        if opened is is_open:
            self.security.append({"key": [EVERYBODY_ONCE_OPENED]})
        if self._optional:
            self.security.append({})

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:  # noqa: ARG002
        """Finds the key. Raises Failed, UnknownMatch and UnknownTournament."""
        if reads_public_address(connection.scope):
            return
        instance = context(connection).instance
        grant = await self.find_grant(instance, connection)
        if self._opened is not None:
            if await _is(self._opened, instance, connection.path_params["match_id"]):
                return
        elif grant is None and self._optional:
            return
        if grant is None:
            raise Failed("key_missing")
        if self._roles and not await self.allows(instance, grant, connection):
            raise Failed("not_allowed")
        if self._opened is not None:
            # What is opened later is more than such a match shows its moderators.
            loaded = await instance.sessions.cached(connection.path_params["match_id"])
            if loaded.conceals:
                raise Failed("not_allowed")

    async def find_grant(self, instance: Instance, connection: Connection) -> Grant | None:
        """What the request's key allows; None without a key. Raises Failed for an unknown one."""
        return await grant_of_request(instance, connection)

    async def allows(self, instance: Instance, grant: Grant, connection: Connection) -> bool:
        """Whether a key is of one of the roles."""
        if self._roles == {"organiser"} and grant.role != "organiser":
            return False
        roles = [role async for role in roles_of(instance, grant, connection)]
        if f"seat{ONCE_OVER}" in self._roles and "seat" in roles:
            return await _is(is_over, instance, connection.path_params["match_id"])
        return not self._roles.isdisjoint(roles)


class OperatorToo(Requires):
    """For these roles, and at an open table, which has no organiser, for the service's own key."""

    async def allows(self, instance: Instance, grant: Grant, connection: Connection) -> bool:
        """Whether a key is of one of the roles, or the service's."""
        own = grant.role == "organiser" and grant.is_service
        return await super().allows(instance, grant, connection) or own


async def roles_of(instance: Instance, grant: Grant, connection: Connection) -> AsyncIterator[str]:
    """What a key is to what the path names. Raises Failed for the key of someone who was replaced,
    UnknownMatch and UnknownTournament."""
    path = connection.path_params
    if "match_id" in path:
        own = await own_viewer(instance, connection, path["match_id"])
        if await organises_match(instance, grant, path["match_id"]):
            yield "organiser"
        elif own == MODERATOR:
            yield "moderator"
        elif isinstance(own, int):
            yield "seat"
    elif "tournament_id" in path:
        tournament_id = path["tournament_id"]
        state = (await instance.tournaments.current(tournament_id)).state
        if await organises(instance, grant, tournament_id):
            yield "organiser"
        here = (grant.role, grant.tournament) == ("tournament_moderator", tournament_id)
        appointed = here and grant.number in state.in_office
        if appointed or await moderated(instance, grant, tournament_id):
            yield "moderator"
        player = player_by(grant, tournament_id, state)
        if player is not None and path.get("player", player) == player:
            yield "player"
    elif grant.role == "organiser":
        yield "organiser"


async def own_viewer(instance: Instance, connection: Connection, match_id: UUID) -> Viewer:
    """The audience that the request's key belongs to in the match; without a key, the public.
    Raises as `viewer_of` does."""
    state = connection.scope["state"]
    if OWN not in state:
        state[OWN] = await viewer_of(instance, found_grant(connection), match_id)
    own: Viewer = state[OWN]
    return own


async def _is(opened: Opened, instance: Instance, match_id: UUID) -> bool:
    """Whether a match has come so far, perhaps on another instance."""
    cached = (await instance.sessions.cached(match_id)).match
    return opened(cached) or opened((await instance.sessions.current(match_id)).match)


EVERYBODY = Guard()
ANY_KEY = Requires()
READERS = Requires(optional=True)
"""A reader with a key reads as its own audience, or as the public where it has none; without a key
as the public."""
ORGANISER = Requires("organiser")
KEEPER_OF_NAMES = OperatorToo("organiser")
MODERATES = Requires("moderator")
DIRECTORS = Requires("organiser", "moderator")
SEATED = Requires("seat")
STAFF_OR_THE_PLAYER = Requires("organiser", "moderator", "player")
PARTICIPANTS = Requires("organiser", "moderator", "seat", "player")
ONCE_IT_IS_OVER = Requires("moderator", opened=is_over)
ONCE_IT_IS_OPEN = Requires("moderator", opened=is_open)
