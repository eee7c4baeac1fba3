"""Events as an audience reads them: numbered by its own count, one line each."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct

from domain.events import Event, Record, stored_name
from projections.disclosure import Viewer, may_see
from projections.timestamps import rfc3339


class Line(Struct, frozen=True):
    """One event as one audience sees it. `seq` counts that audience's events from 1."""

    seq: int
    at: str
    type: str
    data: dict[str, Any]


def disclosed(
    viewer: Viewer, records: Iterable[Record[Event]], seq: int = 0
) -> Iterator[tuple[int, Record[Event]]]:
    """The records that `viewer` may see, numbered without gaps after `seq`."""
    for record in records:
        if may_see(viewer, record.event):
            seq += 1
            yield seq, record


def line(seq: int, record: Record[Event]) -> Line:
    """The record as number `seq` of its reader."""
    event = record.event
    data = msgspec.to_builtins(event, builtin_types=(bytes,))
    del data["type"]
    for name in _timestamp_fields(type(event)):
        if data.get(name) is not None:
            data[name] = rfc3339(data[name])
    return Line(seq, rfc3339(record.at), stored_name(type(event)), data)


@cache
def _timestamp_fields(kind: type[Event]) -> tuple[str, ...]:
    """The fields of an event that contain instants."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(name for name in kind.__struct_fields__ if "'instant': True" in repr(hints[name]))
