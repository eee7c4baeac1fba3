"""The rulings that an audience sees of a match."""

from collections.abc import Iterable, Sequence

from domain.events import Event, Record
from projections.audience.lines import OwnNumber, same_number
from projections.rulings.match_rulings import RulingShown, RulingsSeen


def rulings(
    positions: Sequence[int], records: Iterable[Record[Event]], own: OwnNumber = same_number
) -> list[RulingShown]:
    """The rulings that an audience sees, whose own events these are, at these positions; `own`
    gives its numbers of events."""
    seen = RulingsSeen()
    seen.own = own
    seen.add(positions, records)
    return seen.rulings
