"""Dependencies of handlers: the instance, the seat, the moderator, the viewer, the grant of a key.

Each needs the one before it, so that they are checked in a fixed order: the query, the instance,
the key. The framework validates a handler's own query parameters after all dependencies, so the
query of a route is a dependency too, `parameters`.

As dependencies, the query, the instance and the viewer would add 13 µs to the 30 that it costs to
read a view: the routes in `actions` and `views` call the same functions on their first lines.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from litestar.di import NamedDependency, Provide

from domain.match_state import Match
from projections.disclosure import Viewer
from service.http.accounting import account
from service.http.authentication import required_grant
from service.http.authorization import (
    actor,
    judge,
    moderator,
    moderator_or_organiser,
    receiver,
    seat,
    viewer,
)
from service.http.context import context
from service.http.match_lookup import cached_match, current_match
from service.http.parameters import MatchId, TournamentId, check_names
from service.http.problems import AnyRequest
from service.instance import Instance


@dataclass(frozen=True)
class Call:
    """A request about a match or a tournament with this id."""

    instance: Instance
    request: AnyRequest
    id: UUID


class MatchCall(Call):
    """A request about a match."""

    async def account(self, viewer: Viewer, seq: int) -> None:
        """Accounts for the answer, as `account` does."""
        await account(self.instance, self.request, self.id, viewer, seq)

    async def cached_match(self) -> Match:
        """The match as it is in memory, as `cached_match` returns it. Raises UnknownMatch."""
        return await cached_match(self.instance, self.id)

    async def current_match(self) -> Match:
        """The match with all that is on record now. Raises UnknownMatch."""
        return await current_match(self.instance, self.id)


async def match_call(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId
) -> MatchCall:
    """A request about a match, once its query is checked."""
    return MatchCall(instance, request, match_id)


async def tournament_call(
    instance: NamedDependency[Instance], request: AnyRequest, tournament_id: TournamentId
) -> Call:
    """The same for a tournament."""
    return Call(instance, request, tournament_id)


def any_parameters() -> None:
    """The query of a route that ignores it."""


async def checked_instance(request: AnyRequest, parameters: NamedDependency[Any]) -> Instance:
    """The instance. Raises Failed for a query that the route does not allow."""
    if parameters is not None:
        check_names(request, parameters)
    return context(request).instance


_EVERY = {
    "parameters": Provide(any_parameters, sync_to_thread=False),
    "instance": Provide(checked_instance),
    "actor": Provide(actor),
    "judge": Provide(judge),
    "grant": Provide(required_grant),
}
MATCH_DEPENDENCIES = _EVERY | {
    "call": Provide(match_call),
    "seat": Provide(seat),
    "moderator": Provide(moderator),
    "receiver": Provide(receiver),
    "sender": Provide(moderator_or_organiser),
    "viewer": Provide(viewer),
}
TOURNAMENT_DEPENDENCIES = _EVERY | {"call": Provide(tournament_call)}
