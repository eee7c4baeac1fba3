"""Answers of `/timeline` and `/knowledge`."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import asdict

from domain.draws import DrawnBy, Outcome
from projections.draw_check import DrawVerdict
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
    by: DrawnBy
    key_commit: bytes | None
    verdict: DrawVerdict


class TimelineLine(Struct, frozen=True):
    """An event with what is known of it. `at` is when its input was received, `recorded` when that
    was put on the record; `cause` is the number of the input from which it follows. Where something
    was refused or found invalid `code` says why, and `rule` what that means."""

    seq: int
    public_seq: int | None
    at: Timestamp
    recorded: Timestamp
    type: str
    data: dict[str, Any]
    what: str
    actor: str | None
    input: bool
    cause: int | None
    code: str | None
    rule: str | None
    seen_by: str
    housekeeping: bool
    undone_by: int | None
    draw: CheckedDrawShown | None


class Timeline(Struct, frozen=True):
    """Some of the time line of an audience; `next` is the `after` of the page that follows."""

    audience: str
    lines: list[TimelineLine]
    next: int | None


class KnownShown(Struct, frozen=True):
    """From when a reader could know an event, or some `fields` of it: by the `event` itself,
    because a later one `disclosed` them, or because the end `opened` the record."""

    reader: str
    since: Timestamp | None
    how: How | None
    fields: tuple[str, ...] | None
    by: int | None
    own: int | None


class KnownFact(Struct, frozen=True):
    """Who could know an event, and from when."""

    seq: int
    known: list[KnownShown]


class KnowledgePage(Struct, frozen=True):
    """Some facts and who could know them; `next` is the `after` of the page that follows."""

    audience: str
    readers: list[str]
    facts: list[KnownFact]
    next: int | None


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
