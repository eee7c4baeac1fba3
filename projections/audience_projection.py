"""The projection of one match for one audience, which moves forward with the record."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from domain.events import Event, Record
from projections.audience import AudienceState, see, view
from projections.disclosure import Viewer, may_see

POSITION = "I"
BYTES_A_POSITION = array(POSITION).itemsize

_encoder = msgspec.json.Encoder()


class AudienceProjection:
    """What one audience sees of a match.

    `positions` are the positions of the audience's events in the match's stream, in order, so an
    event is found by its number in the audience's own count. They never leave the service.
    """

    __slots__ = ("_body", "end", "positions", "state")

    def __init__(self, viewer: Viewer) -> None:
        self.state = AudienceState(viewer)
        self.positions = array(POSITION)
        self.end = 0
        self._body: bytes | None = None

    def read(self, records: Sequence[Record[Event]]) -> None:
        """Folds the next records of the match, and stores the positions of those that the audience
        may see."""
        viewer = self.state.viewer
        positions, visible = [], []
        for position, record in enumerate(records, self.end + 1):
            if may_see(viewer, record.event):
                positions.append(position)
                visible.append(record)
        if visible:
            self.state, self._body = see(self.state, visible), None
            self.positions.extend(positions)
        self.end += len(records)

    def body(self, match: str, game: str) -> bytes:
        """The view as JSON."""
        if self._body is None:
            self._body = _encoder.encode(view(match, game, self.state))
        return self._body

    def count(self, position: int) -> int:
        """The number of the audience's events at or before a position of the stream."""
        return bisect_right(self.positions, position)
