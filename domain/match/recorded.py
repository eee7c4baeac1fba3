"""What the inputs of each seat have put on the record of a match: the facts that limits rest on.

They are counted event by event, so they are the same after a restart, and on every instance that
has read the same record. A seat's own depend on its inputs and on those of their consequences that
it sees; what is hidden from it never counts.
"""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import PUBLIC, Event, Record, only_seat
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    PhaseClosed,
)

_encode = msgspec.msgpack.Encoder().encode


class Recorded(Struct, frozen=True, array_like=True):
    """By seat: `sizes` are the bytes of its actions and client seeds in the whole match, with what
    followed from them and the seat sees; `submissions` the number of its actions in the open
    `phase` that were not refused. `cause` is the seat whose input came last, if that was the last
    input of all: what follows is its consequence."""

    sizes: tuple[int, ...]
    submissions: tuple[int, ...]
    phase: str | None = None
    cause: int | None = None


def nothing(seats: int) -> Recorded:
    """What is recorded before any input of a seat."""
    return Recorded((0,) * seats, (0,) * seats)


def size(event: Event) -> int:
    """The bytes of an event as it is stored, without the time of its record and the id of the key
    by which it came: that is not the seat's to choose."""
    if type(event) is ActionReceived and event.key_id is not UNSET:
        event = replace(event, key_id=UNSET)
    return len(_encode(event))


OF_SEAT = (ActionReceived, ClientSeedGiven)
"""The inputs of seats."""


def add_records(before: Recorded, records: Iterable[Record[Event]]) -> Recorded:
    """What is recorded after these records: the same object if nothing has changed.

    An action counts as a submission unless it is refused, which follows from it. A phase that has
    ended is over, even if the next has the same name.
    """
    sizes, submissions = list(before.sizes), list(before.submissions)
    phase, cause = before.phase, before.cause
    for record in records:
        event = record.event
        if record.back == 0:
            cause = event.seat if isinstance(event, OF_SEAT) else None
        if cause is not None and (event.audience == PUBLIC or only_seat(event) == cause):
            sizes[cause] += size(event)
        # Compared by type, for speed: isinstance takes longer for what is something else.
        if type(event) is ActionReceived:
            submissions[event.seat] += 1
        elif type(event) is ActionRefused:
            submissions[event.seat] -= 1
        elif type(event) is DeadlinePassed or type(event) is PhaseClosed:
            submissions = [0] * len(sizes)
        elif type(event) is AwaitingChanged and event.phase != phase:
            phase, submissions = event.phase, [0] * len(sizes)
    after = Recorded(tuple(sizes), tuple(submissions), phase, cause)
    return before if after == before else after
