"""The projection of one match for one audience: the positions of its events, their latest lines,
and what the audience sees. All readers of the audience share it.

It is only ever handed events that its audience may see. So what a reader costs depends on the
events of its own audience, and never on how many hidden ones lie between.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from domain.events import PUBLIC, Event, Record
from domain.match.live import undoes
from projections.audience.disclosure import Viewer
from projections.audience.lines import LineText, own_number
from projections.audience.view import AudienceState, see, see_live, view

POSITION = "I"
BYTES_A_POSITION = 3 * array(POSITION).itemsize
"""Bytes of a position, of its checksum and of its number in the public's count."""

RECENT_LINES = 1_000
"""Minimum number of an audience's lines since the match was loaded that stay in memory; the maximum
is twice as many."""

MAX_UNFOLDED = 128
MAX_UNFOLDED_BYTES = 64 * 1024
"""Maximum number of an audience's events that wait to be folded, and of their stored bytes."""

_encoder = msgspec.json.Encoder()


class OwnRows(NamedTuple):
    """Where events of an audience are stored: their positions in the match's stream, in order, the
    checksums of their stored bytes, and their numbers in the public's count, 0 for those that the
    public has not got."""

    positions: Sequence[int]
    checksums: Sequence[int]
    public: Sequence[int]

    def cut(self, start: int, end: int) -> "OwnRows":
        """Those after the first `start`, up to the first `end`."""
        return OwnRows(*(part[start:end] for part in self))


class AudienceProjection:
    """What one audience sees of a match, up to position `end` of the match's stream.

    `positions` are the positions of the audience's events, in order, so an event is found by its
    number in the audience's own count. They never leave the service. `checksums` are those of the
    events' stored bytes, so that damage is found when an event is read again; `public` are the
    events' numbers in the public's count, or 0. New events are folded when the audience's state is
    next read.
    """

    __slots__ = (
        "_body", "_lines", "_public_seq", "_state", "_unfolded", "checksums", "end", "positions",
        "public", "unfolded_bytes", "viewer",
    )  # fmt: skip

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.positions = array(POSITION)
        self.checksums = array(POSITION)
        self.public = array(POSITION)
        self.end = 0
        self._public_seq = 0
        self.unfolded_bytes = 0
        self._lines: list[LineText] = []
        self._unfolded: list[Record[Event]] = []
        self._state = AudienceState(viewer)
        self._body: bytes | None = None

    @property
    def seq(self) -> int:
        """The number of the audience's events."""
        return len(self.positions)

    @property
    def state(self) -> AudienceState:
        """What the audience knows after all its events."""
        self.fold()
        return self._state

    @property
    def folded(self) -> AudienceState:
        """What the audience knows after the events folded so far."""
        return self._state

    def read(
        self,
        end: int,
        positions: Sequence[int],
        records: Sequence[Record[Event]],
        checksums: Sequence[int],
    ) -> None:
        """Takes over the audience's own events, at these positions, of a whole record read from the
        store up to its position `end`. A few are kept to be folded when the audience's state is
        next read; of more of them, or where one undoes another, the state is read by itself."""
        self.end = end
        self.positions.extend(positions)
        self.checksums.extend(checksums)
        self.public.extend(map(self._public_number, records))
        if len(records) <= MAX_UNFOLDED and not undoes(record.event for record in records):
            self._unfolded = list(records)

    def unread(self) -> "AudienceProjection":
        """The same without what the audience knows, which is to be read from the store. This one
        stays as it is, for those who have it."""
        other = AudienceProjection(self.viewer)
        other.positions, other.checksums = self.positions[:], self.checksums[:]
        other.public, other._public_seq = self.public[:], self._public_seq
        other.end, other._lines = self.end, self._lines[:]
        return other

    @property
    def readable(self) -> bool:
        """Whether what the audience knows is in memory, or at once folded of what is."""
        return self._state.seq >= self._kept_from

    @property
    def _kept_from(self) -> int:
        """The number of the event before the first that waits to be folded."""
        return self.seq - len(self._unfolded)

    def take(self, state: AudienceState) -> None:
        """Takes over what the audience knew after its first events, read from the store, unless
        later ones are missing here."""
        kept_from = self._kept_from
        if self._state.seq < kept_from <= state.seq:
            self._unfolded = self._unfolded[state.seq - kept_from :]
            self._state = state
            self._body = None

    def add(self, position: int, record: Record[Event], text: LineText) -> None:
        """Adds the audience's next event, with its line."""
        self.positions.append(position)
        self.checksums.append(text.checksum)
        self.public.append(self._public_number(record))
        self._unfolded.append(record)
        self.unfolded_bytes += text.size
        self._lines.append(text)

    def _public_number(self, record: Record[Event]) -> int:
        """The number of the audience's next event in the public's count; 0 if it is none of
        theirs."""
        if record.event.audience != PUBLIC:
            return 0
        self._public_seq += 1
        return self._public_seq

    def fold(self, upto: int | None = None) -> None:
        """Folds the audience's events up to its number `upto`, by default all. After an error
        nothing has changed."""
        assert self.readable, "what came before is in memory"
        records = self._unfolded
        count = len(records) if upto is None else min(len(records), upto - self._state.seq)
        if count <= 0:
            return
        self._state = see(self._state, records[:count])
        self._unfolded = records[count:]
        self._body = None
        if not self._unfolded:
            self.unfolded_bytes = 0

    def fold_to(self, position: int) -> bool:
        """Folds exactly the events up to a position of the stream. Returns False, and does nothing,
        if later ones are folded already, or earlier ones are not in memory."""
        wanted = self.count(position)
        if self._state.seq > wanted or not self.readable:
            return False
        self.fold(wanted)
        return True

    @property
    def overfull(self) -> bool:
        """Whether much waits to be folded, or many lines are in memory."""
        return self._much_to_fold or len(self._lines) > 2 * RECENT_LINES

    @property
    def _much_to_fold(self) -> bool:
        return len(self._unfolded) > MAX_UNFOLDED or self.unfolded_bytes > MAX_UNFOLDED_BYTES

    def fold_many(self) -> None:
        """Folds if much waits to be folded: what waits takes more memory than what is folded. It is
        dropped if earlier events are not in memory: all are read together when they are wanted."""
        if not self._much_to_fold:
            return
        if self.readable:
            self.fold()
        else:
            self._unfolded, self.unfolded_bytes = [], 0

    def forget_old_lines(self) -> list[LineText]:
        """Drops old lines, and returns them; they are read from the store from now on."""
        if len(self._lines) <= 2 * RECENT_LINES:
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

    def body(self, match: str, game: str) -> bytes:
        """The view as JSON, after the events folded so far."""
        if self._body is None:
            self._body = _encoder.encode(view(match, game, self._state))
        return self._body

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


def body_after(
    viewer: Viewer,
    match: str,
    game: str,
    positions: Sequence[int],
    records: Sequence[Record[Event]],
) -> bytes:
    """The audience's view as JSON after its first events, which are `records` at these
    positions."""
    return _encoder.encode(view(match, game, see_live(viewer, positions, records)))
