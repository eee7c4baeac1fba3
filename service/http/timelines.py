"""`/v1/matches/{id}/timeline` and `/knowledge`: who did what, and who could know it from when.

Both are made of the reader's own events alone: whatever they say, their reader could find out from
`/events`, as `arbiter audit` does.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Annotated, Literal

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from domain.events import PUBLIC
from domain.match_events import MatchCreated
from projections.disclosure import Viewer, named
from projections.knowledge import Knowledge
from projections.timeline import Dated, Shown, dated, timeline
from service.application.match_sessions import UnknownPosition
from service.http.access import READERS
from service.http.accounting import accounting_for_refusals
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.operation import get
from service.http.parameters import AT_MOST, As, PageLimit, QueryParameters, position
from service.http.responses import json, private_headers
from service.http.timeline_schemas import (
    KnowledgePage,
    KnownFact,
    Timeline,
    known_of,
    timeline_lines,
)
from service.observability.work import EVENT_KNOWN, EVENT_TOLD, spend

MAX_TIMELINE = 10_000
"""A page of a time line takes the reading of all of it, if not the making: clients ask once."""


class TimelineQuery(QueryParameters, frozen=True):
    """Of which audience, and which part."""

    as_: As = None
    after: Annotated[int, position("After this number in the audience's own count")] = 0
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_TIMELINE, description=AT_MOST)] = 1_000


class KnowledgeQuery(QueryParameters, frozen=True):
    """Of which audience's events, and which of them."""

    as_: As = None
    after: Annotated[int, position("After this number in the audience's own count")] = 0
    limit: PageLimit = 100
    facts: Annotated[
        Literal["all", "hidden"],
        QueryParameter(description="`hidden` leaves out what was public from the first"),
    ] = "all"


class TimelinesController(Controller):
    """What an audit asks."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("evidence",)
    dependencies = MATCH_DEPENDENCIES

    @get(
        "/timeline",
        operation_id="showTimeline",
        summary="Who did what, and what followed from it",
        security=READERS,
        answer=Timeline,
        query=TimelineQuery,
        errors="bad_audience not_allowed no_such_seat no_such_position",
    )
    async def show_timeline(
        self,
        call: NamedDependency[MatchCall],
        parameters: NamedDependency[TimelineQuery],
        viewer: NamedDependency[Viewer],
    ) -> ASGIResponse:
        """An audience's events with their causes, in its own numbers."""
        after, limit = parameters.after, parameters.limit
        seq = await _seq(call, viewer, after)
        last = min(after + limit, seq)
        await call.account(viewer, last)
        spend(EVENT_TOLD, last - after)
        page = partial(_timeline, viewer, range(after + 1, last + 1), last if last < seq else None)
        return await call.instance.sessions.shown(call.id, viewer, seq, page)

    @get(
        "/knowledge",
        operation_id="showKnowledge",
        summary="Who could know what, and from when",
        security=READERS,
        answer=KnowledgePage,
        query=KnowledgeQuery,
        errors="bad_audience not_allowed no_such_seat no_such_position",
    )
    async def show_knowledge(
        self,
        call: NamedDependency[MatchCall],
        parameters: NamedDependency[KnowledgeQuery],
        viewer: NamedDependency[Viewer],
    ) -> ASGIResponse:
        """From when each audience could know each event that this one sees. To whom it was handed
        out `/reads` tells."""
        seq = await _seq(call, viewer, parameters.after)
        await call.account(viewer, seq)
        spend(EVENT_KNOWN, min(parameters.limit, seq))
        page = partial(_knowledge, viewer, parameters)
        return await call.instance.sessions.shown(call.id, viewer, seq, page)


async def _seq(call: MatchCall, viewer: Viewer, after: int) -> int:
    """The number of an audience's events. Raises UnknownPosition for a number not reached yet."""
    _, projection = await call.instance.sessions.projection(call.id, viewer)
    async with accounting_for_refusals(call.instance, call.request, call.id, viewer):
        if after > projection.seq:
            raise UnknownPosition
    return projection.seq


# What runs in a thread.


def _timeline(
    viewer: Viewer, numbers: range, following: int | None, match: str, shown: list[Shown]
) -> ASGIResponse:
    lines = timeline_lines(timeline(match, shown, numbers))
    return json(Timeline(named(viewer), lines, following), 200, private_headers())


def _knowledge(
    viewer: Viewer, parameters: KnowledgeQuery, _match: str, shown: list[Shown]
) -> ASGIResponse:
    record = shown[0].record
    assert record is not None and isinstance(record.event, MatchCreated), "a match begins so"
    entries = dated(shown)
    facts = list(islice(_facts(entries, parameters), parameters.limit + 1))
    found = facts[: parameters.limit]
    known = Knowledge(record.event, entries, viewer)
    answer = KnowledgePage(
        named(viewer),
        [named(reader) for reader in known.readers],
        [KnownFact(fact.number, known_of(known, fact)) for fact in found],
        found[-1].number if len(facts) > len(found) else None,
    )
    return json(answer, 200, private_headers())


def _facts(entries: Iterable[Dated], parameters: KnowledgeQuery) -> Iterator[Dated]:
    """The facts behind a number that are asked for."""
    for one in entries:
        hidden = one.record is not None and one.record.event.audience != PUBLIC
        if one.number > parameters.after and (hidden or parameters.facts == "all"):
            yield one
