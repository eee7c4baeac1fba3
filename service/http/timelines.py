"""`/v1/matches/{id}/timeline` and `/knowledge`: who did what, and who could know it from when.

Both are made of the reader's own events alone: whatever they say, their reader could find out from
`/events`, as `arbiter audit` does.
"""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from domain.match_events import MatchCreated
from projections.disclosure import PUBLIC_VIEWER, Viewer, named
from projections.knowledge import Knowledge
from projections.timeline import TimelineEntry
from service.application.match_sessions import UnknownPosition
from service.http.access import READERS
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
from service.instance import Instance

MAX_TIMELINE = 10_000
"""A page of a time line costs as much as all of it: clients ask once."""


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
        entries = await _entries(call.instance, call.id, viewer, parameters.after)
        found, following = _page(entries, parameters.after, parameters.limit)
        await call.account(viewer, _last(found, parameters.after))
        # In a thread, as below: a long time line takes some tens of milliseconds.
        return await asyncio.to_thread(_timeline, viewer, found, following)

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
        asked, after = parameters.facts, parameters.after
        entries = await _entries(call.instance, call.id, viewer, after)
        facts = [one for one in entries if asked == "all" or one.seen_by != PUBLIC_VIEWER]
        found, following = _page(facts, after, parameters.limit)
        await call.account(viewer, len(entries))
        return await asyncio.to_thread(_knowledge, viewer, entries, found, following)


async def _entries(
    instance: Instance, match_id: UUID, viewer: Viewer, after: int
) -> Sequence[TimelineEntry]:
    """The time line of an audience. Raises UnknownPosition for a number not reached yet."""
    entries = await instance.sessions.timeline(match_id, viewer)
    if after > len(entries):
        raise UnknownPosition
    return entries


def _page(
    entries: Sequence[TimelineEntry], after: int, limit: int
) -> tuple[Sequence[TimelineEntry], int | None]:
    """Those behind a number, at most `limit`, and the number of the last if others follow."""
    behind = [entry for entry in entries if entry.number > after]
    return behind[:limit], behind[limit - 1].number if len(behind) > limit else None


def _last(found: Sequence[TimelineEntry], after: int) -> int:
    return found[-1].number if found else after


def _timeline(
    viewer: Viewer, found: Sequence[TimelineEntry], following: int | None
) -> ASGIResponse:
    answer = Timeline(named(viewer), timeline_lines(found), following)
    return json(answer, 200, private_headers())


def _knowledge(
    viewer: Viewer,
    entries: Sequence[TimelineEntry],
    facts: Sequence[TimelineEntry],
    following: int | None,
) -> ASGIResponse:
    record = entries[0].record
    assert record is not None and isinstance(record.event, MatchCreated), "a match begins so"
    known = Knowledge(record.event, entries, viewer)
    answer = KnowledgePage(
        named(viewer),
        [named(reader) for reader in known.readers],
        [KnownFact(fact.number, known_of(known, fact)) for fact in facts],
        following,
    )
    return json(answer, 200, private_headers())
