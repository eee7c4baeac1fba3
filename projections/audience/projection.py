"""The projection of one match for one audience: its events, and what it sees of the match. All
readers of the audience share it."""

from collections.abc import Sequence

import msgspec

from domain.events import Event, Record
from domain.match.live import undoes
from projections.audience.disclosure import Viewer
from projections.audience.lines import LineText
from projections.audience.own_lines import AudienceLines
from projections.audience.view import AudienceState, see, see_live, view

MAX_UNFOLDED = 128
MAX_UNFOLDED_BYTES = 64 * 1024
"""Maximum number of an audience's events that wait to be folded, and of their stored bytes."""

_encoder = msgspec.json.Encoder()


class AudienceProjection(AudienceLines):
    """What one audience sees of a match, up to position `end` of the match's stream. New events are
    folded when the audience's state is next read."""

    __slots__ = ("_body", "_state", "_unfolded", "end", "unfolded_bytes")

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self.end = 0
        self.unfolded_bytes = 0
        self._unfolded: list[Record[Event]] = []
        self._state = AudienceState(viewer)
        self._body: bytes | None = None

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
        self.public.extend(map(self._count, records))
        if len(records) <= MAX_UNFOLDED and not undoes(record.event for record in records):
            self._unfolded = list(records)

    def unread(self) -> "AudienceProjection":
        """The same without what the audience knows, which is to be read from the store. This one
        stays as it is, for those who have it."""
        other = AudienceProjection(self.viewer)
        other.positions, other.checksums = self.positions[:], self.checksums[:]
        other.public, other._public_seq = self.public[:], self._public_seq
        other.end, other.withheld, other._lines = self.end, self.withheld, self._lines[:]
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
        super().add(position, record, text)
        self._unfolded.append(record)
        self.unfolded_bytes += text.size

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
        count = self.count(position)
        if self._state.seq > count or not self.readable:
            return False
        self.fold(count)
        return True

    @property
    def overfull(self) -> bool:
        """Whether much waits to be folded, or many lines are in memory."""
        return self._much_to_fold or self.has_old_lines

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

    def body(self, match: str, game: str) -> bytes:
        """The view as JSON, after the events folded so far."""
        if self._body is None:
            self._body = _encoder.encode(view(match, game, self._state))
        return self._body


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
