"""Path and query parameters that several routes share."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from litestar.params import PathParameter, QueryParameter
from msgspec import Meta

from domain.names import LONGEST_NAME
from domain.requirements import MOST_SEATS
from projections.texts.timestamps import microseconds
from service.http.errors.mistakes import AUDIENCE_PATTERN, in_query
from service.http.errors.problems import Failed
from service.http.middleware.limits import LARGEST_NUMBER

MAX_PAGE = 1_000
MAX_LIST_PAGE = 200

MatchId = Annotated[UUID, PathParameter(description="The id of the match")]
TournamentId = Annotated[UUID, PathParameter(description="The id of the tournament")]
PlayerOfPath = Annotated[int, PathParameter(description="The number of the player, from 0")]

Number = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
SeatNumber = Annotated[int, Meta(ge=0, lt=MOST_SEATS, description="The number of a seat, from 0")]

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
OfTournament = Annotated[
    str | None, QueryParameter(name="tournament", description="The id of a tournament")
]
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


def instant_filter(description: str) -> QueryParameter:
    """A query parameter that is an instant, as `instant_of` reads it."""
    return QueryParameter(description=description, schema_extra={"format": "date-time"})


def instant_of(name: str, text: str | None) -> int | None:
    """The instant that a query parameter names, in microseconds. Raises Failed."""
    try:
        return None if text is None else microseconds(msgspec.convert(text, datetime))
    except (msgspec.ValidationError, ValueError):
        detail = "An instant is as in RFC 3339, with `Z` or an offset."
        wrong = in_query(name, "wrong_format", detail)
        raise Failed("bad_request", f"{name}: {detail}", errors=(wrong,)) from None


def position(description: str) -> QueryParameter:
    """A query parameter that is a number of an event or a posting."""
    # Where the number may be left out, the framework's schema forgets a minimum of 0.
    extra = {"minimum": 0}
    return QueryParameter(ge=0, le=LARGEST_NUMBER, description=description, schema_extra=extra)


PageAfter = Annotated[int, position("Behind this many: the `next` of the page before")]

P = TypeVar("P")


class Page(NamedTuple):
    """Which part of a list that is only ever longer at its end: what stands after the first
    `after`, `limit` at most."""

    after: int
    limit: int

    @property
    def end(self) -> int:
        """How many there are up to the end of the page."""
        return self.after + self.limit

    def of(self, listed: Sequence[P]) -> tuple[list[P], int | None]:
        """The part of the whole list, and `after` of the page that follows, if any."""
        return list(listed[self.after : self.end]), self.next(len(listed))

    def next(self, count: int) -> int | None:
        """`after` of the page that follows in a list of so many; None for the last one."""
        return self.end if self.end < count else None
