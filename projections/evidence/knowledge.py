"""Who could know a fact, and from when (/docs/evidence#who-could-know-what)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from domain.events import Event, Record
from domain.match.events import MatchCreated, SeatNamed, makes_over
from domain.names import person_of
from projections.audience.disclosure import (
    MODERATOR,
    PUBLIC_VIEWER,
    Viewer,
    audiences,
    conceals,
    mask_record,
    may_see,
    name_audience,
)
from projections.evidence.timeline import Dated, TimelineEntry
from projections.fields import instant, rfc3339

How = Literal["event", "disclosed", "opened"]


class Reading(Struct, frozen=True):
    """Someone has read a match as an audience, up to its number `seq`, first and last at these
    instants in microseconds.

    `person` is None for a key without a name, `role` what the key is for: `organiser`, `moderator`
    or `seat`. `audience` is None in what a seat is told after the end: someone has looked at
    hidden things, when the seat had `seq` events of its own.
    """

    person: str | None
    role: str
    seq: int
    first: int
    last: int
    key_id: str | None = None
    audience: Viewer | None = None


class Look(Struct, frozen=True):
    """An event was handed to someone, at the `earliest` and at the `latest` at these instants
    (RFC 3339). `audience` is the one as which it was read, None where that is not told."""

    person: str | None
    role: str
    key_id: str | None
    audience: str | None
    earliest: str
    latest: str


class Sent(Struct, frozen=True):
    """When an event was first handed to anyone as a reader: not before `earliest`, and not after
    `latest` (RFC 3339)."""

    earliest: str
    latest: str


def look(reading: Reading, since: int) -> Look:
    """The look at an event that the reader could know since this instant, in microseconds."""
    return Look(
        reading.person,
        reading.role,
        reading.key_id,
        None if reading.audience is None else name_audience(reading.audience),
        rfc3339(max(reading.first, since)),
        rfc3339(max(reading.last, since)),
    )


def sent_when(readings: Sequence[Reading], since: int) -> Sent | None:
    """When it was first sent, by all readings of it; None if there are none."""
    if not readings:
        return None
    earliest = min(max(reading.first, since) for reading in readings)
    return Sent(rfc3339(earliest), rfc3339(min(max(reading_.last, since) for reading_ in readings)))


OnRecord = Dated | TimelineEntry
"""An event of a time line, as far as it matters here."""


class Known(Struct, frozen=True):
    """From when a reader could know a fact, or some `fields` of it (None: all).

    `how`: the `event` itself is for the reader; a later event `disclosed` those fields; the end
    `opened` the record. `by` is the number of the event that did so, on the time line asked; `own`
    its number in the reader's own count, None where the source does not show it. `since` is None
    if the reader could not know it by anything in the source. `sent` is when it was first handed to
    anyone as this reader, or to this reader's person as another person; `looked` is to whom: None
    and empty, too, where no account is at hand.
    """

    reader: str
    since: str | None = None
    how: How | None = None
    fields: tuple[str, ...] | None = None
    by: int | None = None
    own: int | None = None
    sent: Sent | None = None
    looked: tuple[Look, ...] = ()


class Knowledge:
    """What each reader could know of a match, by the entries of a time line.

    `audience` is for whom the time line is: of the public and of this reader it shows every event,
    for the moderators those of all readers. `readings` is the account of what was handed out.
    """

    def __init__(
        self,
        created: MatchCreated,
        entries: Sequence[OnRecord],
        audience: Viewer,
        readings: Sequence[Reading] = (),
    ) -> None:
        self.readers = audiences(created)
        self._masks = conceals(MODERATOR, created)
        self._audience, self._readings = audience, readings
        self._names = _names(created, entries)
        self._on_record = {entry.number for entry in entries}
        self._opened = [entry for entry in entries if _opens(created, entry)]
        self._disclosing = _disclosing(entries)
        self._own = {
            reader: own_numbers(reader, entries) for reader in self.readers if self.shows(reader)
        }

    def shows(self, reader: Viewer) -> bool:
        """Whether the time line shows every event of this reader."""
        return reader == PUBLIC_VIEWER or self._audience in (reader, MODERATOR)

    def of(self, fact: OnRecord, reader: Viewer) -> list[Known]:
        """From when the reader could know the fact, the earliest first: all of it at last, or at
        least some fields of it; one without `since` if the reader could not, or if the fact is not
        on this time line yet."""
        if fact.number not in self._on_record:
            return [Known(name_audience(reader))]
        return list(self._ways(fact, reader)) or [Known(name_audience(reader))]

    def _ways(self, fact: OnRecord, reader: Viewer) -> Iterator[Known]:
        assert fact.record is not None, "a sealed event says nothing"
        if may_see(reader, fact.record.event) and not self._conceals(reader, fact.record):
            yield self._way_known(reader, "event", fact, fact)
            return
        for later, fields in self._disclosing.get(fact.number, ()):
            if later.record is not None and may_see(reader, later.record.event):
                yield self._way_known(reader, "disclosed", fact, later, fields)
        for end in self._opened:
            yield self._way_known(reader, "opened", fact, end)

    def _conceals(self, reader: Viewer, record: Record[Event]) -> bool:
        """Whether the match shows moderators less of an event that they see."""
        return self._masks and reader == MODERATOR and mask_record(record) is not record

    def _way_known(
        self,
        reader: Viewer,
        how: How,
        fact: OnRecord,
        by: OnRecord,
        fields: tuple[str, ...] | None = None,
    ) -> Known:
        assert by.recorded is not None, "a sealed event shows nothing"
        since = instant(by.recorded)
        readings = [
            reading for reading in self._readings if self._handed(reading, reader, fact, by)
        ]
        return Known(
            reader=name_audience(reader),
            since=by.recorded,
            how=how,
            fields=fields,
            by=by.number,
            own=self._own.get(reader, {}).get(by.number),
            sent=sent_when(readings, since),
            looked=tuple(look(reading, since) for reading in readings),
        )

    def _handed(self, reading: Reading, reader: Viewer, fact: OnRecord, by: OnRecord) -> bool:
        """Whether this reading, by the reader or by the reader's person, went up to the event that
        showed the fact, or to the fact itself."""
        if reading.audience is None:
            return reader == MODERATOR and reading.seq >= fact.number
        if reading.audience != reader and not self._is(reading, reader):
            return False
        own = self._own.get(reading.audience, {})
        return any(own.get(entry.number, reading.seq + 1) <= reading.seq for entry in (fact, by))

    def _is(self, reading: Reading, reader: Viewer) -> bool:
        """Whether the key is one of the reader's, whatever it read."""
        if reading.role != "seat":
            return reader == MODERATOR
        named_so = reading.person is not None and isinstance(reader, int)
        return named_so and person_of(reading.person or "") in self._names[reader]


def _names(created: MatchCreated, entries: Sequence[OnRecord]) -> Mapping[Viewer, set[str]]:
    """The names that each seat has had, as they sound."""
    names: dict[Viewer, set[str]] = {seat: set() for seat in range(created.seats)}
    for entry in entries:
        event = None if entry.record is None else entry.record.event
        if isinstance(event, SeatNamed) and event.seat in names:
            names[event.seat].add(person_of(event.name))
    return names


def _opens(created: MatchCreated, entry: OnRecord) -> bool:
    makes_it_over = entry.record is not None and makes_over(entry.record.event)
    return makes_it_over and created.record == "opened_at_end"


def own_numbers(reader: Viewer, entries: Sequence[OnRecord]) -> Mapping[int, int]:
    """The numbers of a reader's events in its own count, by those on the time line, in order."""
    own = (
        entry.number
        for entry in entries
        if entry.record is not None and may_see(reader, entry.record.event)
    )
    return {number: seq for seq, number in enumerate(own, 1)}


Disclosing = Mapping[int, Sequence[tuple[OnRecord, tuple[str, ...]]]]
"""By the number of an event: the later ones that show fields of it, and which."""


def _disclosing(entries: Sequence[OnRecord]) -> Disclosing:
    last: dict[type[Event], int] = {}
    disclosing: dict[int, list[tuple[OnRecord, tuple[str, ...]]]] = {}
    for index, entry in enumerate(entries):
        if entry.record is None:
            continue
        event = entry.record.event
        fields = event.discloses()
        for earlier in entries[last.get(type(event), 0) : index] if fields else ():
            if earlier.record is not None and (kind := type(earlier.record.event)) in fields:
                disclosing.setdefault(earlier.number, []).append((entry, fields[kind]))
        last[type(event)] = index
    return disclosing
