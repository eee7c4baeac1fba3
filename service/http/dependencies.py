"""Dependencies of handlers: the instance, the seat, the moderator, the viewer, the grant of a key.

Each needs the one before it, so that they are checked in a fixed order: the query, the instance,
the key. The framework validates a handler's own query parameters after all dependencies, so the
query of a route is a dependency too, `parameters`.

As dependencies, the query, the instance and the viewer would add 13 µs to the 30 that it costs to
read a view: the routes in `actions` and `views` call the same functions on their first lines.
"""

from typing import Any

from litestar.di import NamedDependency, Provide

from service.http.authentication import required_grant
from service.http.authorization import actor, moderator, moderator_or_organiser, seat, viewer
from service.http.context import context
from service.http.parameters import MatchId, QueryParameters, TournamentId, check_names
from service.http.problems import AnyRequest
from service.instance import Instance


def any_parameters() -> None:
    """The query of a route that ignores it."""


async def match_instance(
    request: AnyRequest, match_id: MatchId, parameters: NamedDependency[Any]
) -> Instance:
    """The instance on whose store the match lies. Raises Failed for a query that the route does
    not allow, and StoreUnavailable."""
    instance = context(request).instance
    _check(request, parameters)
    return instance


async def tournament_instance(
    request: AnyRequest, tournament_id: TournamentId, parameters: NamedDependency[Any]
) -> Instance:
    """The same for a tournament."""
    instance = context(request).instance
    _check(request, parameters)
    return instance


def _check(request: AnyRequest, parameters: QueryParameters | None) -> None:
    if parameters is not None:
        check_names(request, parameters)


MATCH_DEPENDENCIES = {
    "parameters": Provide(any_parameters, sync_to_thread=False),
    "instance": Provide(match_instance),
    "seat": Provide(seat),
    "moderator": Provide(moderator),
    "sender": Provide(moderator_or_organiser),
    "viewer": Provide(viewer),
    "actor": Provide(actor),
    "grant": Provide(required_grant),
}
TOURNAMENT_DEPENDENCIES = {
    "parameters": Provide(any_parameters, sync_to_thread=False),
    "instance": Provide(tournament_instance),
    "actor": Provide(actor),
    "grant": Provide(required_grant),
}
