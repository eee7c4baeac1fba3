"""The projections of a match for all its audiences.

This is the one place where a recorded event is handed to the audiences that may see it, and to no
other. It happens once, when the event is recorded or read: no reader ever looks for its own events
among those of others.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from domain.events import PUBLIC, Event, Record, only_seat
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, audience_of, may_see
from projections.audience.lines import LineText, masked_text
from projections.audience.own_lines import BYTES_A_POSITION
from projections.audience.projection import AudienceProjection

PROJECTION_BYTES: Final = 1_536
LINE_BYTES: Final = 200
TEXT_FACTOR: Final = 2
"""Approximate memory of a projection, and of a line in memory: a constant, and a multiple of the
event's stored bytes. Measured with every game."""


class AudienceProjections:
    """The projections of a match, by audience. `public_grew`: what was added last has something for
    the public. It `masks` what the match conceals from its moderators."""

    __slots__ = (
        "_by_viewer", "_just_added", "_line_bytes", "_masks", "_positions", "_readers",
        "public_grew",
    )  # fmt: skip

    def __init__(self, projections: Iterable[AudienceProjection], *, masks: bool = False) -> None:
        self._masks = masks
        self._by_viewer = {projection.viewer: projection for projection in projections}
        self._readers: dict[int | str, tuple[AudienceProjection, ...]] = {}
        self._just_added: list[LineText] = []
        self._line_bytes = 0
        self.public_grew = False
        self._positions = sum(projection.seq for projection in self)

    def __iter__(self) -> Iterator[AudienceProjection]:
        return iter(self._by_viewer.values())

    def find(self, viewer: Viewer) -> AudienceProjection | None:
        """The audience's projection; None for an audience that the match does not have."""
        return self._by_viewer.get(viewer)

    def unread(self, viewer: Viewer) -> None:
        """What the audience knows does not hold any more, or its board has failed: it is read from
        the store when it is next wanted."""
        self._by_viewer[viewer] = self._by_viewer[viewer].unread()
        self._readers.clear()

    def add(self, records: Sequence[Record[Event]], states: Sequence[bytes], length: int) -> None:
        """Hands each of the records that follow the first `length` of the match, with its stored
        bytes, to the audiences that may see it."""
        self._just_added = [
            LineText(state, record) for record, state in zip(records, states, strict=True)
        ]
        for position, (record, text) in enumerate(
            zip(records, self._just_added, strict=True), length + 1
        ):
            readers = self._those_who_see(record.event)
            self._line_bytes += _weight(text)
            for projection in readers:
                line = text
                if self._masks and projection.viewer == MODERATOR:
                    line = masked_text(text, record)
                    self._line_bytes += 0 if line is text else _weight(line)
                projection.add(position, record, line)
                line.readers += 1
            self._positions += len(readers)
        self.public_grew = any(record.event.audience == PUBLIC for record in records)
        end = length + len(records)
        for projection in self._by_viewer.values():
            projection.end = end

    def release_records(self) -> None:
        """Ends what is faster right after records were added: encoding their lines. It ends for all
        audiences at once, before anyone else can ask, so no one can tell what was added when."""
        for text in self._just_added:
            text.record = None
        self._just_added = []

    @property
    def overfull(self) -> list[AudienceProjection]:
        """Those of which much waits to be folded, or many lines are in memory."""
        return [projection for projection in self._by_viewer.values() if projection.overfull]

    def forget_old_lines(self) -> None:
        """Drops old lines of every audience from memory."""
        for projection in self:
            self._drop(projection.forget_old_lines())

    @property
    def weight(self) -> int:
        """Their approximate memory, in bytes."""
        return (
            PROJECTION_BYTES * len(self._by_viewer)
            + BYTES_A_POSITION * self._positions
            + self._line_bytes
        )

    def _those_who_see(self, event: Event) -> tuple[AudienceProjection, ...]:
        seat = only_seat(event)
        name = event.audience if seat is None else seat
        readers = self._readers.get(name)
        if readers is None:
            readers = tuple(projection for projection in self if may_see(projection.viewer, event))
            self._readers[name] = readers
        return readers

    def _drop(self, texts: Sequence[LineText]) -> None:
        for text in texts:
            text.readers -= 1
            if text.readers == 0:
                self._line_bytes -= _weight(text)


def _weight(text: LineText) -> int:
    return LINE_BYTES + TEXT_FACTOR * text.size


def projections_of(
    viewers: Iterable[Viewer], records: Sequence[Record[Event]], checksums: Sequence[int]
) -> list[AudienceProjection]:
    """The projections of a whole record whose stored bytes have these checksums, for all its
    audiences."""
    own: dict[Viewer, list[int]] = {}
    for index, record in enumerate(records):
        own.setdefault(audience_of(record.event), []).append(index)
    public = own.get(PUBLIC_VIEWER, [])
    projections = []
    for viewer in viewers:
        indices: Sequence[int] = range(len(records))
        if viewer != MODERATOR:
            indices = sorted({*public, *own.get(viewer, ())})
        projection = AudienceProjection(viewer)
        projection.read(
            len(records),
            [index + 1 for index in indices],
            [records[index] for index in indices],
            [checksums[index] for index in indices],
        )
        projections.append(projection)
    return projections
