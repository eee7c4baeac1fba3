"""Lists across a tournament: what there is of the tournament itself, and then of its matches, match
by match in the order in which they were added."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter
from msgspec import Struct

from domain.people import named_person
from domain.tournament.state import Tournament
from service.http.access.grants import found_grant, moderated, organises, organises_match, viewer_of
from service.http.requests.dependencies import (
    MatchRequest,
    Page,
    ThePage,
    TheTournament,
    TournamentRequest,
    instant_filter,
    instant_of,
    name_filter,
)
from service.observability.work import LIST_READ, spend

MOST_MATCHES = 20
"""Maximum number of matches that are read for a page."""

PLACES = 2**20
"""`after` is the place of a match times this, and the place of a row in it. No match has as many
rows."""

OfPerson = Annotated[str | None, name_filter("With this person, as far as the reader may know")]
OfMatch = Annotated[UUID | None, QueryParameter(description="Of this match alone")]
Since = Annotated[str | None, instant_filter("Of what went on at this instant or later")]
Until = Annotated[str | None, instant_filter("Of what began before this instant")]

WithMatches = Annotated[bool, QueryParameter(description="`false`: of the tournament itself alone")]

T = TypeVar("T")


class Listed(NamedTuple, Generic[T]):
    """A row, the people in it, and its span of time in microseconds. `match` is the match that
    it is about."""

    row: T
    match: str | None
    people: Collection[str | None]
    first: int
    last: int


Rows = tuple[Sequence[Listed[T]], int | None]
"""Some rows of a list, and where its next page begins."""


class Filters(Struct, frozen=True):
    """Which rows are wanted: with a person, of a match, in a span of time."""

    person: str | None
    match: str | None
    since: int | None
    until: int | None

    def match_is(self, match: str | None) -> bool:
        """Whether rows of this match are wanted."""
        return self.match in (None, match)

    def wants(self, row: Listed[Any]) -> bool:
        """Whether this row is."""
        if self.person is not None:
            people = {named_person(name) for name in row.people if name is not None}
            if named_person(self.person) not in people:
                return False
        late = self.since is None or row.last >= self.since
        early = self.until is None or row.first < self.until
        return late and early and self.match_is(row.match)


class Across(Struct, frozen=True):
    """A request for a page of a list across a tournament, with its `matches` or without."""

    tournament: TournamentRequest
    page: Page
    filters: Filters
    matches: bool

    async def rows(
        self, list_rows: Callable[[UUID | None, Page], Awaitable[Rows[T]]], *, directed: bool
    ) -> tuple[list[T], int | None]:
        """The rows, and where the next page begins. `list_rows` gives some of a match, or with
        None of the tournament itself; what is `directed` is for organisers, of their matches for
        moderators."""
        all_rows: list[T] = []
        (begin, after), room = divmod(self.page.after, PLACES), self.page.limit
        places = await self._places(begin, directed=directed)
        for count, (place, match) in enumerate(places):
            if count == MOST_MATCHES or room == 0:
                return all_rows, place * PLACES
            spend(LIST_READ)
            page = Page(after if place == begin else 0, room)
            rows, following = await list_rows(match, page)
            all_rows += [row.row for row in rows if self.filters.wants(row)]
            if following is not None:
                return all_rows, place * PLACES + following
            room -= len(rows)
        return all_rows, None

    async def state(self) -> Tournament:
        """The tournament as it stands. Raises UnknownTournament."""
        return await self.tournament.state()

    async def match_request(self, match: UUID) -> MatchRequest:
        """The request, about a match of the tournament. Raises Failed."""
        instance, request = self.tournament.instance, self.tournament.request
        grant = found_grant(request)
        own = await viewer_of(instance, grant, match)
        organiser = grant is not None and await organises_match(instance, grant, match)
        return MatchRequest(match, own, organiser, instance, request)

    async def _places(self, begin: int, *, directed: bool) -> Iterator[tuple[int, UUID | None]]:
        """What is looked at, from this place on: at place 0 the tournament itself, behind it its
        matches."""
        tournament = self.tournament
        state, grant = await tournament.state(), found_grant(tournament.request)
        every: tuple[str | None, ...] = (None, *(state.matches if self.matches else ()))
        theirs: Collection[str | None] = frozenset(every)
        instance, of = tournament.instance, tournament.id
        if directed and grant is not None and not await organises(instance, grant, of):
            theirs = await moderated(instance, grant, of)
        return (
            (place, None if match_text is None else UUID(match_text))
            for place, match_text in enumerate(every)
            if place >= begin
            and match_text in theirs
            and (match_text is None or self.filters.match_is(match_text))
        )


def across_filters(
    person: OfPerson = None, match: OfMatch = None, since: Since = None, until: Until = None
) -> Filters:
    """Which rows are wanted. Raises Failed."""
    of_match = None if match is None else str(match)
    return Filters(person, of_match, instant_of("since", since), instant_of("until", until))


def across(
    tournament: TheTournament,
    page: ThePage,
    across_filters: NamedDependency[Filters],
    matches: WithMatches = True,
) -> Across:
    """The request for a page of a list across a tournament."""
    return Across(tournament, page, across_filters, matches)


TheAcross = NamedDependency[Across]
ACROSS = {
    "across_filters": Provide(across_filters, sync_to_thread=False),
    "across": Provide(across, sync_to_thread=False),
}
"""What a controller with such a list is given."""
