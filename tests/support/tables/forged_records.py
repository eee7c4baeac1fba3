"""Records with something put in, taken out or exchanged, in which every other event still names its
own input: what is forged is the event and not the number."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.events import Event, Record


def arranged(records: Sequence[Record[Event]], order: Sequence[int | Event]) -> list[Record[Event]]:
    """The records at these indices, in this order, each naming the same input as before: the last
    of its copies, or, where that is not in its batch any more, the input that whatever stands
    before it follows from. So does a new event, at the instant of what stands before it."""
    arranged_records: list[Record[Event]] = []
    places: dict[int, int] = {}
    input_place = 0
    for place, one in enumerate(order):
        if isinstance(one, Event):
            arranged_records.append(Record(arranged_records[-1].at, _back(arranged_records), one))
            continue
        old = records[one]
        places[one] = place
        input_place = place if old.back == 0 else input_place
        cause = places.get(one - old.back, -1)
        back = place - cause if cause >= input_place else _back(arranged_records)
        arranged_records.append(replace(old, back=back))
    return arranged_records


def _back(records: Sequence[Record[Event]]) -> int:
    """How far back the input of the next consequence stands."""
    return records[-1].back + 1 if records else 0


def with_consequences(
    records: Sequence[Record[Event]], index: int, *events: Event
) -> list[Record[Event]]:
    """The record with further consequences of what stands before an index."""
    return arranged(records, [*range(index), *events, *range(index, len(records))])


def with_input(records: Sequence[Record[Event]], index: int, *events: Event) -> list[Record[Event]]:
    """The record with a further input, at the instant of what stands before an index, and with its
    consequences."""
    forged = with_consequences(records, index, *events)
    for place in range(len(events)):
        forged[index + place] = replace(forged[index + place], back=place)
    return forged


def without(
    records: Sequence[Record[Event]], start: int, end: int | None = None
) -> list[Record[Event]]:
    """The record without one event, or those up to an index."""
    end = start + 1 if end is None else end
    return arranged(records, [*range(start), *range(end, len(records))])


def instead(records: Sequence[Record[Event]], index: int, event: Event) -> list[Record[Event]]:
    """The record with another event in the place of one."""
    return [*records[:index], replace(records[index], event=event), *records[index + 1 :]]


def index_of(records: Sequence[Record[Event]], kind: type[Event], which: int = 0) -> int:
    """The index of one of the events of a kind, the first if no other is named."""
    return [n for n, record in enumerate(records) if isinstance(record.event, kind)][which]


def edited(
    records: Sequence[Record[Event]], kind: type[Event], which: int = 0, **fields: object
) -> list[Record[Event]]:
    """The record with other fields in one of the events of a kind."""
    index = index_of(records, kind, which)
    return instead(records, index, replace(records[index].event, **fields))


def without_batch(
    records: Sequence[Record[Event]], kind: type[Event], which: int = 0
) -> list[Record[Event]]:
    """The record without the input that one of the events of a kind belongs to, and without all
    that follows from it."""
    index = index_of(records, kind, which)
    start = index - records[index].back
    inputs = (n for n in range(start + 1, len(records)) if not records[n].back)
    return without(records, start, next(inputs, len(records)))
