"""The records of a whole match, as an audience counts those that it may see."""

from collections.abc import Iterable, Iterator
from functools import partial

from domain.events import Event, Record
from projections.audience.disclosure import Viewer, may_see
from projections.audience.lines import in_own_numbers, own_number


def disclosed(
    viewer: Viewer, records: Iterable[Record[Event]], seq: int = 0
) -> Iterator[tuple[int, Record[Event]]]:
    """The records that `viewer` may see, numbered without gaps after `seq`. With the first record
    of the match as the first one, events that they name have the viewer's own numbers."""
    positions: list[int] = []
    for position, record in enumerate(records, 1):
        if may_see(viewer, record.event):
            seq += 1
            positions.append(position)
            whole = len(positions) == seq
            yield seq, in_own_numbers(record, partial(own_number, positions)) if whole else record
