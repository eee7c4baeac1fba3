"""Answers of `/timeline` and `/knowledge`."""

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct, convert
from msgspec.structs import asdict

from domain.draws import DrawnBy, Outcome
from projections.draw_check import DrawVerdict
from projections.fields import Next, PublicSeq, Seq
from projections.knowledge import How, Knowledge, OnRecord
from projections.lines import line
from projections.timeline import TimelineEntry
from projections.timestamps import Timestamp


class CheckedDrawShown(Struct, frozen=True):
    """A draw that came out. `epoch` is null where no seed was committed to. The `verdict` is the
    service's own; a verifier gives another one."""

    id: str
    epoch: int | None
    outcome: Outcome
    by: Annotated[DrawnBy, Meta(description="Who answered the draw")]
    key_commit: Annotated[
        bytes | None,
        Meta(
            description="The commitment to the key of the draw, in base64; null for a draw by hand"
        ),
    ]
    verdict: DrawVerdict


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
    actor: Annotated[str | None, Meta(description="Who did it; null where nobody did")]
    input: Annotated[
        bool,
        Meta(description="Whether it came in from outside; everything else follows from inputs"),
    ]
    cause: int | None
    code: str | None
    rule: str | None
    seen_by: Annotated[str, Meta(description="The audience of the event")]
    housekeeping: Annotated[
        bool, Meta(description="Whether it serves the service's own order alone")
    ]
    undone_by: Annotated[
        int | None,
        Meta(description="The number of the event that has undone it; null while it stands"),
    ]
    draw: Annotated[
        CheckedDrawShown | None, Meta(description="How a draw came out; null for other events")
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

    audience: Annotated[str, Meta(description="As which audience it is read")]
    readers: Annotated[list[str], Meta(description="All audiences of the match")]
    facts: list[KnownFact]
    next: Next


def timeline_lines(entries: Iterable[TimelineEntry]) -> list[TimelineLine]:
    """The entries as they are shown; none of them is sealed."""
    return [_line(entry) for entry in entries]


def known_of(knowledge: Knowledge, fact: OnRecord) -> list[KnownShown]:
    """Every way in which each audience could know a fact."""
    every = [one for reader in knowledge.readers for one in knowledge.of(fact, reader)]
    return convert(every, list[KnownShown], from_attributes=True)


def _line(entry: TimelineEntry) -> TimelineLine:
    record = entry.record
    assert record is not None, "an audience's own events are not sealed"
    shown = asdict(line(entry.number, entry.public_seq, record))
    return convert({**asdict(entry), **shown}, TimelineLine, from_attributes=True)
