"""Any position of a match, for any audience."""

from collections.abc import Iterable

from domain.events import Event, Record
from projections.disclosure import Viewer
from projections.lines import disclosed
from projections.sight import Sight, see


def at_number(viewer: Viewer, records: Iterable[Record[Event]], seq: int | None) -> Sight | None:
    """What the audience knew after its first `seq` events, by default after all of them.

    None if it has not come so far.
    """
    sight = Sight(viewer)
    if seq == 0:
        return sight
    for number, record in disclosed(viewer, records):
        sight = see(sight, record.event)
        if number == seq:
            return sight
    return sight if seq is None else None
