"""The events of one audience of a record: where they are stored, and their latest lines. All
readers of the audience share them.

They are only ever handed events that the audience may see. So what a reader costs depends on the
events of its own audience, and never on how many hidden ones lie between.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from domain.events import PUBLIC, Event, Record
from domain.proof.withholding import is_without_name
from projections.audience.disclosure import Viewer
from projections.audience.lines import LineText, own_number

POSITION = "I"
BYTES_A_POSITION = 3 * array(POSITION).itemsize
"""Bytes of a position, of its checksum and of its number in the public's count."""

RECENT_LINES = 1_000
"""Minimum number of an audience's lines since the record was loaded that stay in memory; the
maximum is twice as many."""


class OwnRows(NamedTuple):
    """Where events of an audience are stored: their positions in the stream, in order, the
    checksums of their stored bytes, and their numbers in the public's count, 0 for those that the
    public has not got."""

    positions: Sequence[int]
    checksums: Sequence[int]
    public: Sequence[int]

    def at(self, places: Sequence[int]) -> "OwnRows":
        """Those at these places, from 0."""
        return OwnRows(*([part[place] for place in places] for part in self))


class AudienceLines:
    """The events of one audience of a stream.

    `positions` are those of its events in the stream, in order, so an event is found by its number
    in the audience's own count. They never leave the service. `checksums` are those of the events'
    stored bytes, so that damage is found when an event is read again; `public` are the events'
    numbers in the public's count, or 0. `withheld` is in how many of them a name is withheld by
    now.
    """

    __slots__ = (
        "_lines", "_public_seq", "checksums", "positions", "public", "viewer", "withheld",
    )  # fmt: skip

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.positions = array(POSITION)
        self.checksums = array(POSITION)
        self.public = array(POSITION)
        self.withheld = 0
        self._public_seq = 0
        self._lines: list[LineText] = []

    @property
    def seq(self) -> int:
        """The number of the audience's events."""
        return len(self.positions)

    def add(self, position: int, record: Record[Event], text: LineText) -> None:
        """Adds the audience's next event, with its line."""
        self.positions.append(position)
        self.checksums.append(text.checksum)
        self.public.append(self._count(record))
        self._lines.append(text)

    @property
    def has_old_lines(self) -> bool:
        """Whether many lines are in memory."""
        return len(self._lines) > 2 * RECENT_LINES

    def forget_old_lines(self) -> list[LineText]:
        """Drops old lines, and returns them; they are read from the store from now on."""
        if not self.has_old_lines:
            return []
        old = self._lines[:-RECENT_LINES]
        del self._lines[:-RECENT_LINES]
        return old

    def lines(self, after: int, limit: int) -> list[bytes] | None:
        """The audience's lines after its number `after`, at most `limit`, as JSON; None if not all
        of them are in memory."""
        start = after - len(self.positions) + len(self._lines)
        if start < 0:
            return None
        texts, own = self._lines[start : start + limit], self.own
        public = self.public[after : after + limit]
        return [
            text.numbered(seq, number, own)
            for seq, (text, number) in enumerate(zip(texts, public, strict=True), after + 1)
        ]

    def checksum(self, seq: int) -> int:
        """The checksum of the audience's event with this number; 0 for number 0."""
        return self.checksums[seq - 1] if seq else 0

    def own(self, position: int) -> int:
        """The audience's number of the event at a position of the stream, or of its own first one
        after it."""
        return own_number(self.positions, position)

    def own_rows(self, after: int = 0, upto: int | None = None) -> OwnRows:
        """Where the audience's events after its number `after` are stored, up to its number
        `upto`, by default all."""
        return OwnRows(
            self.positions[after:upto], self.checksums[after:upto], self.public[after:upto]
        )

    def count(self, position: int) -> int:
        """The number of the audience's events at or before a position of the stream."""
        return bisect_right(self.positions, position)

    def number_of(self, position: int) -> int | None:
        """The audience's own number of the event at a position of the stream; None if it is not
        theirs."""
        number = self.count(position)
        return number if number and self.positions[number - 1] == position else None

    def _count(self, record: Record[Event]) -> int:
        """Counts the audience's next event. Its number in the public's count; 0 if it is none of
        theirs."""
        self.withheld += is_without_name(record.event)
        if record.event.audience != PUBLIC:
            return 0
        self._public_seq += 1
        return self._public_seq
