"""`/v1/matches/{id}/timeline` and `/knowledge`: who did what, and who could know it from when.

Both are made of the reader's own events alone: whatever they say, their reader could find out from
`/events`, as `arbiter audit` does.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from domain.events import PUBLIC
from domain.match_events import MatchCreated
from projections.disclosure import Viewer, named
from projections.knowledge import Knowledge
from projections.timeline import Dated, Shown, dated, timeline
from service.application.match_sessions import UnknownPosition
from service.auth.grants import Grant
from service.http.accounting import accounting_for_refusals
from service.http.dependencies import Account
from service.http.described import CONTENT, problems
from service.http.grants import found_grant
from service.http.guards import READERS
from service.http.parameters import AT_MOST, MatchId, PageLimit, position
from service.http.problems import AnyRequest
from service.http.request_body import JSON
from service.http.responses import private
from service.http.timeline_schemas import (
    KnowledgePage,
    KnownFact,
    Timeline,
    known_of,
    timeline_lines,
)
from service.instance import Instance
from service.observability.work import EVENT_KNOWN, EVENT_TOLD, spend

MAX_TIMELINE = 10_000
"""A page of a time line takes the reading of all of it, if not the making: clients ask once."""


After = Annotated[int, position("After this number in the audience's own count")]
TimelineLimit = Annotated[int, QueryParameter(ge=1, le=MAX_TIMELINE, description=AT_MOST)]
Facts = Annotated[
    Literal["all", "hidden"],
    QueryParameter(description="`hidden` leaves out what was public from the first"),
]


class Wanted(NamedTuple):
    """Which facts: behind a number, at most so many, all or the hidden ones."""

    after: int
    limit: int
    facts: Literal["all", "hidden"]


class TimelinesController(Controller):
    """What an audit asks."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("evidence",)

    @get(
        "/timeline",
        operation_id="showTimeline",
        summary="Who did what, and what followed from it",
        guards=[READERS],
        opt=problems("no_such_position", **{CONTENT: {JSON: Timeline}}),
    )
    async def show_timeline(
        self,
        request: AnyRequest,
        match_id: MatchId,
        viewer: NamedDependency[Viewer],
        instance: NamedDependency[Instance],
        account: NamedDependency[Account],
        after: After = 0,
        limit: TimelineLimit = 1_000,
    ) -> ASGIResponse:
        """An audience's events with their causes, in its own numbers."""
        seq = await _seq(instance, found_grant(request), match_id, viewer, after)
        last = min(after + limit, seq)
        await account(viewer, last)
        spend(EVENT_TOLD, last - after)
        page = partial(_timeline, viewer, range(after + 1, last + 1), last if last < seq else None)
        return await instance.sessions.shown(match_id, viewer, seq, page)

    @get(
        "/knowledge",
        operation_id="showKnowledge",
        summary="Who could know what, and from when",
        guards=[READERS],
        opt=problems("no_such_position", **{CONTENT: {JSON: KnowledgePage}}),
    )
    async def show_knowledge(
        self,
        request: AnyRequest,
        match_id: MatchId,
        viewer: NamedDependency[Viewer],
        instance: NamedDependency[Instance],
        account: NamedDependency[Account],
        after: After = 0,
        limit: PageLimit = 100,
        facts: Facts = "all",
    ) -> ASGIResponse:
        """From when each audience could know each event that this one sees. To whom it was handed
        out `/reads` tells."""
        seq = await _seq(instance, found_grant(request), match_id, viewer, after)
        await account(viewer, seq)
        spend(EVENT_KNOWN, min(limit, seq))
        page = partial(_knowledge, viewer, Wanted(after, limit, facts))
        return await instance.sessions.shown(match_id, viewer, seq, page)


async def _seq(
    instance: Instance, grant: Grant | None, match_id: UUID, viewer: Viewer, after: int
) -> int:
    """The number of an audience's events. Raises UnknownPosition for a number not reached yet."""
    _, projection = await instance.sessions.projection(match_id, viewer)
    async with accounting_for_refusals(instance, grant, match_id, viewer):
        if after > projection.seq:
            raise UnknownPosition
    return projection.seq


# What runs in a thread.


def _timeline(
    viewer: Viewer, numbers: range, following: int | None, match: str, shown: list[Shown]
) -> ASGIResponse:
    lines = timeline_lines(timeline(match, shown, numbers))
    return private(Timeline(named(viewer), lines, following)).encoded()


def _knowledge(viewer: Viewer, wanted: Wanted, _match: str, shown: list[Shown]) -> ASGIResponse:
    record = shown[0].record
    assert record is not None and isinstance(record.event, MatchCreated), "a match begins so"
    entries = dated(shown)
    facts = list(islice(_facts(entries, wanted), wanted.limit + 1))
    found = facts[: wanted.limit]
    known = Knowledge(record.event, entries, viewer)
    answer = KnowledgePage(
        named(viewer),
        [named(reader) for reader in known.readers],
        [KnownFact(fact.number, known_of(known, fact)) for fact in found],
        found[-1].number if len(facts) > len(found) else None,
    )
    return private(answer).encoded()


def _facts(entries: Iterable[Dated], wanted: Wanted) -> Iterator[Dated]:
    """The facts behind a number that are asked for."""
    for one in entries:
        hidden = one.record is not None and one.record.event.audience != PUBLIC
        if one.number > wanted.after and (hidden or wanted.facts == "all"):
            yield one
