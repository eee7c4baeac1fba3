"""`/v1/matches/{id}/timeline` and `/knowledge`: who did what, and who could know it from when.

Both are made of the reader's own events alone: whatever they say, their reader could find out from
`/events`, as `arbiter audit` does.
"""

from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal

from litestar import Controller
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct, convert
from msgspec.structs import asdict

from domain.events import PUBLIC
from domain.match.events import MatchCreated
from projections.audience.disclosure import Viewer, name_audience
from projections.audience.lines import line
from projections.evidence.knowledge import How, Knowledge
from projections.evidence.timeline import Dated, ShownRecord, TimelineEntry, dated, timeline
from projections.fields import Next, PublicSeq, Seq, Timestamp
from service.application.matches.match_sessions import UnknownPosition
from service.http.access.guards import READERS
from service.http.description.routing import get, problems
from service.http.requests.dependencies import (
    AT_MOST,
    MatchRequest,
    PageLimit,
    Sent,
    TheViewer,
    position,
)
from service.http.requests.request_body import JSON
from service.http.requests.responses import private
from service.observability.work import EVENT_KNOWN, EVENT_TOLD, spend

MAX_TIMELINE = 10_000
"""A page of a time line takes the reading of all of it, if not the making: clients ask once."""


After = Annotated[int, position("After this number in the audience's own count")]
TimelineLimit = Annotated[int, QueryParameter(ge=1, le=MAX_TIMELINE, description=AT_MOST)]
Facts = Annotated[
    Literal["all", "hidden"],
    QueryParameter(description="`hidden` leaves out what was public from the first"),
]


class TimelineLine(Struct, frozen=True):
    """An event with what is known of it. `at` is when its input was received, `recorded` when that
    was put on the record; `cause` is the number of the input from which it follows. Where something
    was refused or found invalid `code` says why, and `rule` what that means."""

    seq: Seq
    public_seq: PublicSeq
    at: Timestamp
    recorded: Timestamp
    type: str
    data: dict[str, Any]
    what: Annotated[
        str, Meta(description="What happened, in English: a sentence, and the fields it leaves out")
    ]
    actor: Annotated[str | None, Meta(description="Who did it; null where no one did")]
    input: Annotated[
        bool,
        Meta(description="Whether it came in from outside; everything else follows from inputs"),
    ]
    cause: int | None
    code: str | None
    rule: str | None
    seen_by: Annotated[str, Meta(description="The audience of the event")]
    housekeeping: Annotated[
        bool, Meta(description="Whether only the service's own bookkeeping needs it")
    ]
    undone_by: Annotated[
        int | None,
        Meta(description="The number of the event that has undone it; null while it stands"),
    ]


class Timeline(Struct, frozen=True):
    """Some of the time line of an audience."""

    audience: str
    lines: list[TimelineLine]
    next: Next


class KnownShown(Struct, frozen=True):
    """From when a reader could know an event, or some `fields` of it: by the `event` itself,
    because a later one `disclosed` them, or because the end `opened` the record."""

    reader: str
    since: Timestamp | None
    how: Annotated[
        How | None,
        Meta(description="By the event itself, by a later one, or because the record was opened"),
    ]
    fields: Annotated[tuple[str, ...] | None, Meta(description="Which fields of it; null for all")]
    by: Annotated[
        int | None, Meta(description="The number of the event that showed it; null if none did")
    ]
    own: Annotated[
        int | None,
        Meta(description="Its number in the audience's own count; null where that is not shown"),
    ]


class KnownFact(Struct, frozen=True):
    """Who could know an event, and from when."""

    seq: Seq
    known: list[KnownShown]


class KnowledgePage(Struct, frozen=True):
    """Some facts and who could know them."""

    audience: Annotated[str, Meta(description="The audience as which it is read")]
    readers: Annotated[list[str], Meta(description="All audiences of the match")]
    facts: list[KnownFact]
    next: Next


class TimelinesController(Controller):
    """What an audit asks."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("evidence",)

    @get(
        "/timeline",
        summary="Who did what, and what followed from it",
        guards=[READERS],
        opt=problems("history_went_back", content={JSON: Timeline}),
    )
    async def show_timeline(
        self, sent: Sent, viewer: TheViewer, after: After = 0, limit: TimelineLimit = 1_000
    ) -> ASGIResponse:
        """An audience's events with their causes, in its own numbers."""
        seq = await _seq(sent, viewer, after)
        last = min(after + limit, seq)
        await sent.account(viewer, last)
        spend(EVENT_TOLD, last - after)
        page = partial(_timeline, viewer, range(after + 1, last + 1), last if last < seq else None)
        return await sent.instance.sessions.read_shown(sent.id, viewer, seq, page)

    @get(
        "/knowledge",
        summary="Who could know what, and from when",
        guards=[READERS],
        opt=problems("history_went_back", content={JSON: KnowledgePage}),
    )
    async def show_knowledge(
        self,
        sent: Sent,
        viewer: TheViewer,
        after: After = 0,
        limit: PageLimit = 100,
        facts: Facts = "all",
    ) -> ASGIResponse:
        """From when each audience could know each event that this one sees. `/reads` says to whom
        it was handed out."""
        seq = await _seq(sent, viewer, after)
        await sent.account(viewer, seq)
        spend(EVENT_KNOWN, min(limit, seq))
        page = partial(_knowledge, viewer, after, limit, facts == "hidden")
        return await sent.instance.sessions.read_shown(sent.id, viewer, seq, page)


async def _seq(sent: MatchRequest, viewer: Viewer, after: int) -> int:
    """The number of an audience's events. Raises UnknownPosition for a number not reached yet."""
    _, projection = await sent.instance.sessions.projection(sent.id, viewer)
    async with sent.accounting_for_refusals(viewer):
        if after > projection.seq:
            raise UnknownPosition
    return projection.seq


def timeline_lines(entries: Iterable[TimelineEntry]) -> list[TimelineLine]:
    """The entries as they are shown; none of them is sealed."""
    lines = []
    for entry in entries:
        assert entry.record is not None, "an audience's own events are not sealed"
        fields = asdict(line(entry.number, entry.public_seq, entry.record))
        lines.append(convert({**asdict(entry), **fields}, TimelineLine, from_attributes=True))
    return lines


# What runs in a thread.


def _timeline(
    viewer: Viewer, numbers: range, following: int | None, records: list[ShownRecord]
) -> ASGIResponse:
    lines = timeline_lines(timeline(records, numbers))
    return private(Timeline(name_audience(viewer), lines, following)).encoded()


def _knowledge(
    viewer: Viewer, after: int, limit: int, only_hidden: bool, records: list[ShownRecord]
) -> ASGIResponse:
    record = records[0].record
    assert record is not None and isinstance(record.event, MatchCreated), "a match begins so"
    entries = dated(records)
    knowledge = Knowledge(record.event, entries, viewer)

    def is_in_answer(way: Dated) -> bool:
        hidden = way.record is not None and way.record.event.audience != PUBLIC
        return way.number > after and (hidden or not only_hidden)

    def ways(fact: Dated) -> list[KnownShown]:
        """Every way in which each audience could know a fact."""
        every = [way for reader in knowledge.readers for way in knowledge.of(fact, reader)]
        return convert(every, list[KnownShown], from_attributes=True)

    facts = list(islice(filter(is_in_answer, entries), limit + 1))
    page_of_facts = facts[:limit]
    answer = KnowledgePage(
        name_audience(viewer),
        [name_audience(reader) for reader in knowledge.readers],
        [KnownFact(fact.number, ways(fact)) for fact in page_of_facts],
        page_of_facts[-1].number if len(facts) > len(page_of_facts) else None,
    )
    return private(answer).encoded()
