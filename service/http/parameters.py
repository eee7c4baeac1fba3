"""Path and query parameters that several routes share."""

from typing import Annotated
from uuid import UUID

from litestar.params import PathParameter, QueryParameter
from msgspec import Struct

from service.http.problems import AnyRequest, Failed

LARGEST_NUMBER = 2**53 - 1
"""The largest whole number that every JSON reader can hold."""

MAX_PAGE = 1_000
MAX_LIST_PAGE = 200

MatchId = Annotated[UUID, PathParameter(description="The id of the match")]
TournamentId = Annotated[UUID, PathParameter(description="The id of the tournament")]

As = Annotated[
    str | None,
    QueryParameter(
        name="as", description="`public`, `seat:N` or `moderator`; by default the key's own"
    ),
]
PageLimit = Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)]
ListLimit = Annotated[int, QueryParameter(ge=1, le=MAX_LIST_PAGE)]


def position(description: str) -> QueryParameter:
    """A query parameter that is a number of an event or a posting."""
    return QueryParameter(ge=0, le=LARGEST_NUMBER, description=description)


class QueryParameters(Struct, frozen=True):
    """The query of a route as a dependency, so that it is checked before anything is looked up:
    a subclass has a field for each parameter. A route without them allows no parameter."""


def check_names(request: AnyRequest, parameters: QueryParameters) -> None:
    """Raises Failed for a parameter that is not a field, or is there twice."""
    allow_only(request, *(name.rstrip("_") for name in parameters.__struct_fields__))


def allow_only(request: AnyRequest, *names: str) -> None:
    """Raises Failed for a query parameter that is not one of `names`, or is there twice."""
    sent = [pair.partition("=")[0] for pair in request.url.query.split("&") if pair]
    for name in sent:
        if name not in names or sent.count(name) > 1:
            raise Failed("bad_request", f"allowed, at most once each: {', '.join(names)}")
