"""The lines of an audience, by both counts."""

from collections.abc import Iterable, Iterator

from domain.events import PUBLIC, Event, Record
from projections.audience import lines
from projections.audience.disclosure import Viewer
from projections.audience.lines import Line
from projections.audience.projection import AudienceProjection
from tests.support.tables import disclosed


def lines_start(projection: AudienceProjection) -> int:
    """The number of the event before the first whose line is in memory."""
    return projection.seq - len(projection._lines)


def own_lines(viewer: Viewer, records: Iterable[Record[Event]]) -> Iterator[Line]:
    """The lines of the audience, of the whole record of a match."""
    yield from lines_of(disclosed.disclosed(viewer, records))


def lines_of(numbered: Iterable[tuple[int, Record[Event]]], public: int = 0) -> Iterator[Line]:
    """The lines of what an audience sees, after this many events of the public."""
    for seq, record in numbered:
        is_public = record.event.audience == PUBLIC
        public += is_public
        yield lines.line(seq, public if is_public else None, record)
