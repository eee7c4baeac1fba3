"""What the inputs of each seat have put on the record of a match: the facts that limits rest on.

They are counted event by event, so they are the same after a restart, and on every instance that
has read the same record. A seat's own depend on its inputs and on those of their consequences that
it sees; what is hidden from it never counts.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import PUBLIC, Event, Record, only_seat
from domain.match_events import (
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


def counted(before: Recorded, records: Iterable[Record[Event]]) -> Recorded:
    """What is recorded after these records: the same object if nothing has changed."""
    tally = _Tally(before)
    for record in records:
        tally.count(record)
    return tally.after()


class _Tally:
    """Counts what records add to what was recorded before, at the cost of one copy."""

    __slots__ = ("_before", "_cause", "_phase", "_sizes", "_submissions")

    def __init__(self, before: Recorded) -> None:
        self._before = before
        self._sizes = list(before.sizes)
        self._submissions = list(before.submissions)
        self._phase = before.phase
        self._cause = before.cause

    def count(self, record: Record[Event]) -> None:
        """Counts the next record."""
        event = record.event
        if record.back == 0:
            self._cause = event.seat if isinstance(event, OF_SEAT) else None
        cause = self._cause
        if cause is not None and (event.audience == PUBLIC or only_seat(event) == cause):
            self._sizes[cause] += size(event)
        count = _SUBMISSIONS.get(type(event))
        if count is not None:
            count(self, event)

    def after(self) -> Recorded:
        """What is recorded now: the same object as before if nothing has changed."""
        sizes, submissions = tuple(self._sizes), tuple(self._submissions)
        after = Recorded(sizes, submissions, self._phase, self._cause)
        return self._before if after == self._before else after

    def _received(self, event: ActionReceived) -> None:
        """An action counts as a submission unless it is refused, which follows from it."""
        self._submissions[event.seat] += 1

    def _refused(self, event: ActionRefused) -> None:
        self._submissions[event.seat] -= 1

    def _awaiting(self, event: AwaitingChanged) -> None:
        if event.phase != self._phase:
            self._phase = event.phase
            self._submissions = [0] * len(self._sizes)

    def _ended(self, _event: DeadlinePassed | PhaseClosed) -> None:
        """The phase is over, even if the next has the same name."""
        self._submissions = [0] * len(self._sizes)


OF_SEAT = (ActionReceived, ClientSeedGiven)
"""The inputs of seats."""

_SUBMISSIONS: Mapping[type[Event], Callable[[_Tally, Any], None]] = {
    ActionReceived: _Tally._received,
    ActionRefused: _Tally._refused,
    AwaitingChanged: _Tally._awaiting,
    DeadlinePassed: _Tally._ended,
    PhaseClosed: _Tally._ended,
}
"""How each kind of event changes the number of submissions; all others do not."""
