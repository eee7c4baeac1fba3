"""What each audience sees of a record, numbered as it counts."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.events import Event, Numbered, Record
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    PublicReapplied,
    SealedReapplied,
    SeatReapplied,
)
from projections.audience.disclosure import Viewer, may_see
from projections.audience.lines import own_number
from tests.support.tables.disclosed import disclosed

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
