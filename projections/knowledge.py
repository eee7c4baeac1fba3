"""Who could know a fact, and from when (RULINGS §9)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from domain.events import Event
from domain.match_events import MatchCreated
from projections.disclosure import (
    MODERATOR,
    PUBLIC_VIEWER,
    Viewer,
    audiences,
    may_see,
    named,
    opens_record,
)
from projections.timeline import TimelineEntry

How = Literal["event", "disclosed", "opened"]


class Read(NamedTuple):
    """When an event was sent to a reader, and when the reader looked at it (RFC 3339)."""

    sent: str | None
    looked: str | None


Reads = Callable[[Viewer, int], Read]
"""What is on account of a reader's event, by its number in the reader's own count."""


class Known(Struct, frozen=True):
    """From when a reader could know a fact, or some `fields` of it (None: all).

    `how`: the `event` itself is for the reader; a later event `disclosed` those fields; the end
    `opened` the record. `by` is the number of the event that did so, on the time line asked; `own`
    its number in the reader's own count, None where the source does not show it. `since` is None
    if the reader could not know it by anything in the source. `sent` and `looked` are None where no
    account is kept.
    """

    reader: str
    since: str | None = None
    how: How | None = None
    fields: tuple[str, ...] | None = None
    by: int | None = None
    own: int | None = None
    sent: str | None = None
    looked: str | None = None


class Knowledge:
    """What each reader could know of a match, by the entries of a time line.

    `audience` is for whom the time line is: of the public and of this reader it shows every event,
    for the moderators those of all readers. `reads` is the account of what was sent, if one is
    kept.
    """

    def __init__(
        self,
        created: MatchCreated,
        entries: Sequence[TimelineEntry],
        audience: Viewer,
        reads: Reads | None = None,
    ) -> None:
        self.readers = audiences(created)
        self._audience, self._reads = audience, reads
        self._on_record = {entry.number for entry in entries}
        self._opened = [entry for entry in entries if _opens(created, entry)]
        self._disclosing = _disclosing(entries)
        self._own = {
            reader: own_numbers(reader, entries) for reader in self.readers if self.shows(reader)
        }

    def shows(self, reader: Viewer) -> bool:
        """Whether the time line shows every event of this reader."""
        return reader == PUBLIC_VIEWER or self._audience in (reader, MODERATOR)

    def of(self, fact: TimelineEntry, reader: Viewer) -> list[Known]:
        """From when the reader could know the fact, the earliest first: all of it at last, or at
        least some fields of it; one without `since` if the reader could not, or if the fact is not
        on this time line yet."""
        if fact.number not in self._on_record:
            return [Known(named(reader))]
        return list(self._ways(fact, reader)) or [Known(named(reader))]

    def _ways(self, fact: TimelineEntry, reader: Viewer) -> Iterator[Known]:
        assert fact.record is not None, "a sealed event says nothing"
        if may_see(reader, fact.record.event):
            yield self._known(reader, "event", fact)
            return
        for later, fields in self._disclosing.get(fact.number, ()):
            if later.record is not None and may_see(reader, later.record.event):
                yield self._known(reader, "disclosed", later, fields)
        for end in self._opened:
            yield self._known(reader, "opened", end)

    def _known(
        self,
        reader: Viewer,
        how: How,
        entry: TimelineEntry,
        fields: tuple[str, ...] | None = None,
    ) -> Known:
        own = self._own.get(reader, {}).get(entry.number)
        read = Read(None, None)
        if own is not None and self._reads is not None:
            read = self._reads(reader, own)
        return Known(
            named(reader), entry.recorded, how, fields, entry.number, own, read.sent, read.looked
        )


def _opens(created: MatchCreated, entry: TimelineEntry) -> bool:
    return entry.record is not None and opens_record(created, entry.record.event)


def own_numbers(reader: Viewer, entries: Sequence[TimelineEntry]) -> Mapping[int, int]:
    """The numbers of a reader's events in its own count, by those on the time line, in order."""
    own = (
        entry.number
        for entry in entries
        if entry.record is not None and may_see(reader, entry.record.event)
    )
    return {number: seq for seq, number in enumerate(own, 1)}


Disclosing = Mapping[int, Sequence[tuple[TimelineEntry, tuple[str, ...]]]]
"""By the number of an event: the later ones that show fields of it, and which."""


def _disclosing(entries: Sequence[TimelineEntry]) -> Disclosing:
    last: dict[type[Event], int] = {}
    found: dict[int, list[tuple[TimelineEntry, tuple[str, ...]]]] = {}
    for index, entry in enumerate(entries):
        if entry.record is None:
            continue
        event = entry.record.event
        fields = event.discloses()
        for earlier in entries[last.get(type(event), 0) : index] if fields else ():
            if earlier.record is not None and (kind := type(earlier.record.event)) in fields:
                found.setdefault(earlier.number, []).append((entry, fields[kind]))
        last[type(event)] = index
    return found
