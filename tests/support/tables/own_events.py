"""What each audience sees of a record, numbered as it counts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from domain.events import PUBLIC, Event, Numbered, Record
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    PublicReapplied,
    SealedReapplied,
    SeatReapplied,
)
from projections.audience import lines
from projections.audience.disclosure import Viewer, may_see
from projections.audience.lines import Line, OwnNumber, in_own_numbers, own_number, same_number
from projections.audience.projection import AudienceProjection
from projections.rulings.match_rulings import RulingShown, RulingsSeen

NAMING = (ActionStruck, ActionAdmitted, PublicReapplied, SeatReapplied, SealedReapplied)


def own_positions(viewer: Viewer, events: Sequence[Event]) -> list[int]:
    """The positions of the audience's events in the whole record."""
    return [n for n, event in enumerate(events, 1) if may_see(viewer, event)]


def own_events(viewer: Viewer, records: Sequence[Record[Event]]) -> list[Numbered]:
    """The audience's records with its own numbers, also where one names another."""
    positions = own_positions(viewer, [record.event for record in records])
    numbers = {position: number for number, position in enumerate(positions, 1)}
    own: list[Numbered] = []
    for position, number in numbers.items():
        record = records[position - 1]
        event = _renumbered(record.event, positions)
        cause = numbers.get(position - record.back)
        own.append(Numbered(number, cause, replace(record, event=event)))
    return own


def own_record(viewer: Viewer, records: Sequence[Record[Event]]) -> list[Record[Event]]:
    """The audience's records as those of a whole match: an input that it has not got stands before
    the first of them."""
    positions = own_positions(viewer, [record.event for record in records])
    numbers = {position: number for number, position in enumerate(positions, 1)}
    own: list[Record[Event]] = []
    for position, (number, record) in zip(positions, disclosed(viewer, records), strict=True):
        of = position - record.back
        own.append(replace(record, back=number - numbers.get(of, -of)))
    return own


def _renumbered(event: Event, positions: Sequence[int]) -> Event:
    if isinstance(event, MatchRewound):
        return replace(event, before=own_number(positions, event.before))
    if isinstance(event, NAMING):
        return replace(event, of=own_number(positions, event.of))
    return event


def lines_start(projection: AudienceProjection) -> int:
    """The number of the event before the first whose line is in memory."""
    return projection.seq - len(projection._lines)


def own_lines(viewer: Viewer, records: Iterable[Record[Event]]) -> Iterator[Line]:
    """The lines of the audience, of the whole record of a match."""
    yield from lines_of(disclosed(viewer, records))


def lines_of(numbered: Iterable[tuple[int, Record[Event]]], public: int = 0) -> Iterator[Line]:
    """The lines of what an audience sees, after this many events of the public."""
    for seq, record in numbered:
        is_public = record.event.audience == PUBLIC
        public += is_public
        yield lines.line(seq, public if is_public else None, record)


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


def rulings(
    positions: Sequence[int], records: Iterable[Record[Event]], own: OwnNumber = same_number
) -> list[RulingShown]:
    """The rulings that an audience sees, whose own events these are, at these positions; `own`
    gives its numbers of events."""
    seen = RulingsSeen()
    seen.own = own
    seen.add(positions, records)
    return seen.rulings
