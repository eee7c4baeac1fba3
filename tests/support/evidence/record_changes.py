"""Single changes of a record: everything that can be done to one event of it. Unless the number of
an input is what is changed, every other event still names its own (`forged_records`)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any, get_args

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import asdict, astuple, replace

from domain.encoding import decode, encode
from domain.events import Event, Record, batch_starts, stored_name
from domain.games import AnyEvent
from projections.evidence.log import OF_NO_MATCH
from tests.support.tables.forged_records import arranged, instead, without

Records = Sequence[Record[Event]]

WORDS = (
    *("server", "manual", "ruling", "none", "rules", "while_legal"),
    *("opened_at_end", "closed", "heads", "tails"),
)
"""Alternative values for a field that allows few words."""

HOUR = 3_600_000_000

KINDS: tuple[type[Event], ...] = tuple(
    kind for kind in get_args(AnyEvent) if kind not in OF_NO_MATCH
)
"""The kinds of events that can take another's place. One of another stream is none of a match: the
tests of bundles try it."""


class Change(Struct, frozen=True):
    """A change: what was done (`field`, `cause`, `kind`, `dropped`, `doubled`, `swapped`, `moved`,
    `batch dropped`, `batch moved`), to the event at which index, to which part of it, and the
    resulting record."""

    how: str
    index: int
    what: str
    records: Records

    @property
    def name(self) -> str:
        """What was done to what, without the index."""
        return f"{self.how} {self.what}"


def changes(records: Records, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Change]:
    """Every change of one event, and of one input with its consequences, where the event's stored
    name is wanted."""
    for index, record in enumerate(records):
        if wanted(stored_name(type(record.event))):
            yield from changes_at(records, index)
    for start, end in batches(records):
        if wanted(stored_name(type(records[start].event))):
            yield from _of_batch(records, start, end)


def changes_at(records: Records, index: int) -> Iterator[Change]:
    """Every change of the event at an index."""
    before, one, after = records[:index], records[index], records[index + 1 :]
    name = stored_name(type(one.event))
    yield Change("dropped", index, name, without(records, index))
    head, tail = range(index), range(index + 1, len(records))
    yield Change("doubled", index, name, arranged(records, [*head, index, index, *tail]))
    if after and after[0] != one:
        swapped = arranged(records, [*head, index + 1, index, *tail[1:]])
        yield Change("swapped", index, name, swapped)
    for at in {one.at + step for step in (-HOUR, -1, 1, HOUR)}:
        yield Change("moved", index, name, [*before, replace(one, at=at), *after])
    for back in {one.back + step for step in (-1, 1) if one.back + step >= 0}:
        changed = replace(one, back=back)
        yield Change("cause", index, name, [*before, changed, *after])
    for field, event in altered(one.event):
        yield Change("field", index, f"{name} {field}", instead(records, index, event))
    for event in renamed(one.event):
        yield Change("kind", index, name, instead(records, index, event))


def _of_batch(records: Records, start: int, end: int) -> Iterator[Change]:
    """An input that is missing, and one that comes earlier or later."""
    before, batch, after = records[:start], records[start:end], records[end:]
    name = stored_name(type(batch[0].event))
    yield Change("batch dropped", start, name, [*before, *after])
    for step in (-HOUR, -1, 1, HOUR):
        moved = [replace(one, at=one.at + step) for one in batch]
        yield Change("batch moved", start, name, [*before, *moved, *after])


def batches(records: Records) -> list[tuple[int, int]]:
    """Where each input begins, and where its consequences end."""
    starts = list(batch_starts(records))
    return list(zip(starts, [*starts[1:], len(records)], strict=True))


# Replaced events.


def altered(event: Event) -> Iterator[tuple[str, Event]]:
    """The event with a part of one field replaced by another storable value, and the name of the
    field."""
    known = {encode(Record(0, 0, event))}
    for name, value in asdict(event).items():
        for other in others(value):
            changed = replace(event, **{name: other})
            if _storable(changed) and (raw := encode(Record(0, 0, changed))) not in known:
                known.add(raw)
                yield name, changed


def renamed(event: Event) -> Iterator[Event]:
    """The event as one of another kind that has the same fields."""
    for kind in KINDS:
        if kind.__struct_fields__ == event.__struct_fields__ and kind is not type(event):
            other = kind(*astuple(event))
            if _storable(other):
                yield other


def _storable(event: Event) -> bool:
    """Whether the event survives a round trip through the store."""
    try:
        return decode(encode(Record(0, 0, event))) == Record(0, 0, event)
    except (msgspec.MsgspecError, TypeError, OverflowError):
        return False


def others(value: Any) -> Iterator[Any]:
    """Values that resemble this one."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1, -1, value + 2**40)
        case str():
            yield from (f"{value}x", value[:-1], *WORDS)
        case bytes():
            yield from (bytes([value[0] ^ 1]) + value[1:] if value else b"x", value[:-1])
        case tuple() | list():
            yield from _other_items(value)
        case dict():
            yield from _other_entries(value)
        case Struct():
            for name, held in asdict(value).items():
                for other in others(held):
                    # Some combinations of fields cannot be made at all.
                    with suppress(ValueError, AttributeError, TypeError):
                        yield replace(value, **{name: other})
    yield from (None, UNSET, 0, HOUR, "x", b"x", (), (0,))


def _other_items(items: Any) -> Iterator[Any]:
    kind = type(items)
    yield from (kind(items[:-1]), kind([*items, *items[-1:]]), kind(items[::-1]))
    for place, item in enumerate(items):
        for other in others(item):
            yield kind([*items[:place], other, *items[place + 1 :]])


def _other_entries(entries: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield entries | {"more": 1}
    for name, value in entries.items():
        yield {key: held for key, held in entries.items() if key != name}
        for other in others(value):
            yield entries | {name: other}


def sampled(records: Records, rng: Random, count: int) -> Iterator[Change]:
    """Random changes: mostly of one event, evenly over the kinds of events."""
    inputs = batches(records)
    for _ in range(count):
        if rng.random() < 0.8:
            changes_found = list(changes_at(records, rng.randrange(len(records))))
        else:
            changes_found = list(_of_batch(records, *rng.choice(inputs)))
        yield rng.choice(changes_found)
