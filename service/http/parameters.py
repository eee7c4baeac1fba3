"""Path and query parameters that several routes share."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin
from uuid import UUID

from litestar.params import PathParameter, QueryParameter
from msgspec import Struct

from domain.names import LONGEST_NAME
from service.http.limits import LARGEST_NUMBER
from service.http.mistakes import in_query, unknown_parameter
from service.http.problems import AnyRequest, Failed
from service.http.route_mistakes import parameter_kinds
from service.http.usual_mistakes import AUDIENCE_PATTERN

MAX_PAGE = 1_000
MAX_LIST_PAGE = 200

MatchId = Annotated[UUID, PathParameter(description="The id of the match")]
TournamentId = Annotated[UUID, PathParameter(description="The id of the tournament")]

As = Annotated[
    str | None,
    QueryParameter(
        name="as",
        description="`public`, `seat:N` or `moderator`; by default the key's own",
        schema_extra={"pattern": AUDIENCE_PATTERN},
    ),
]
Status = Literal["created", "running", "paused", "ended", "void"]
OfGame = Annotated[str | None, QueryParameter(description="The id of a game")]
OfStatus = Annotated[Status | None, QueryParameter(description="Of this status")]
OfTournament = Annotated[str | None, QueryParameter(description="The id of a tournament")]
AfterPage = Annotated[UUID | None, QueryParameter(description="The `next` of the page before")]

AT_MOST = "How many at most"
PageLimit = Annotated[int, QueryParameter(ge=1, le=MAX_PAGE, description=AT_MOST)]
ListLimit = Annotated[int, QueryParameter(ge=1, le=MAX_LIST_PAGE, description=AT_MOST)]


MAX_FILTER_LENGTH = 4 * LONGEST_NAME
"""Longer than any name: a letter may consist of several characters."""


def name_filter(subject: str) -> QueryParameter:
    """The parameter `name` of a public list, which searches public names only."""
    return QueryParameter(
        max_length=MAX_FILTER_LENGTH,
        description=f"{subject}: the whole name, in whatever case it is written",
    )


def position(description: str) -> QueryParameter:
    """A query parameter that is a number of an event or a posting."""
    # Where the number may be left out, the framework's schema forgets a minimum of 0.
    extra = {"minimum": 0}
    return QueryParameter(ge=0, le=LARGEST_NUMBER, description=description, schema_extra=extra)


P = TypeVar("P")


def _is_text(kind: Any) -> bool:
    return str in (kind, get_origin(kind), *get_args(kind)[:1])


class QueryParameters(Struct, frozen=True):
    """The query of a route as a dependency, so that it is checked before anything is looked up:
    a subclass has a field for each parameter. A route without them allows no parameter."""


class PageQuery(QueryParameters, frozen=True):
    """Which part of a list that is only ever longer at its end."""

    after: Annotated[int, position("Behind this many: the `next` of the page before")] = 0
    limit: PageLimit = 100

    def page(self, listed: Sequence[P]) -> tuple[list[P], int | None]:
        """The part of the whole list, and `after` of the page that follows, if any."""
        end = self.after + self.limit
        return list(listed[self.after : end]), end if end < len(listed) else None


def check_names(request: AnyRequest, parameters: QueryParameters) -> None:
    """Raises Failed for a parameter that is not a field, or is there twice."""
    allow_only(request, *(name.rstrip("_") for name in parameters.__struct_fields__))


def allow_only(request: AnyRequest, *names: str) -> None:
    """Raises Failed for a query parameter that is not one of `names`, or is there twice."""
    sent = [pair.partition("=")[0] for pair in request.url.query.split("&") if pair]
    for name in sent:
        if name not in names or sent.count(name) > 1:
            once = in_query(name, "sent_twice", "A parameter stands once in an address.")
            wrong = once if name in names else unknown_parameter(name, names)
            allowed = f"allowed, at most once each: {', '.join(names)}"
            raise Failed("bad_request", allowed, errors=(wrong,))
    check_values(request)


def check_values(request: AnyRequest) -> None:
    """Raises Failed for `null` where a value is not any text: the framework takes it for a
    parameter that was left out."""
    query = request.url.query.lower()
    if "%" not in query and "null" not in query:
        return
    kinds = parameter_kinds(request.route_handler)
    for name, value in request.query_params.multi_items():
        if value.lower() == "null" and not _is_text(kinds.get(name, str)):
            wrong = in_query(name, "malformed", "`null` is no value: leave the parameter out.")
            raise Failed("bad_request", f"{name}: {wrong.detail}", errors=(wrong,))
