"""What the inputs of each seat have put on the record of a match: the facts that limits rest on.

They are counted event by event, so they are the same after a restart, from a snapshot, and on every
instance that has read the same record. A seat's own depend on nothing but its own inputs.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from domain.events import Event
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    PhaseClosed,
    SubmissionInvalid,
)

_encode = msgspec.msgpack.Encoder().encode


class Recorded(Struct, frozen=True, array_like=True):
    """By seat: `sizes` are the bytes of its actions, refusals and client seeds in the whole match,
    `submissions` the number of its actions in the open `phase` that were not refused."""

    sizes: tuple[int, ...]
    submissions: tuple[int, ...]
    phase: str | None = None


def nothing(seats: int) -> Recorded:
    """What is recorded before any input of a seat."""
    return Recorded((0,) * seats, (0,) * seats)


def size(event: Event) -> int:
    """The bytes of an event as it is stored, without the time of its record."""
    return len(_encode(event))


class Tally:
    """Counts what events add to what was recorded before, at the cost of one copy."""

    __slots__ = ("_phase", "_sizes", "_submissions")

    def __init__(self, before: Recorded) -> None:
        self._sizes = list(before.sizes)
        self._submissions = list(before.submissions)
        self._phase = before.phase

    def note(self, event: SubmissionInvalid | ClientSeedGiven) -> None:
        """Counts the bytes of an event that an input of this seat has recorded."""
        self._sizes[event.seat] += len(_encode(event))

    def received(self, event: ActionReceived) -> None:
        """An action counts as a submission unless it is refused, which the next event says."""
        self._sizes[event.seat] += len(_encode(event))
        self._submissions[event.seat] += 1

    def refused(self, event: ActionRefused) -> None:
        self._sizes[event.seat] += len(_encode(event))
        self._submissions[event.seat] -= 1

    def awaiting(self, event: AwaitingChanged) -> None:
        if event.phase != self._phase:
            self._phase = event.phase
            self._submissions = [0] * len(self._sizes)

    def ended(self, _event: DeadlinePassed | PhaseClosed) -> None:
        """The phase is over, even if the next has the same name."""
        self._submissions = [0] * len(self._sizes)

    def after(self) -> Recorded:
        return Recorded(tuple(self._sizes), tuple(self._submissions), self._phase)


COUNTED: Mapping[type[Event], Callable[[Tally, Any], None]] = {
    ActionReceived: Tally.received,
    ActionRefused: Tally.refused,
    SubmissionInvalid: Tally.note,
    ClientSeedGiven: Tally.note,
    AwaitingChanged: Tally.awaiting,
    DeadlinePassed: Tally.ended,
    PhaseClosed: Tally.ended,
}
"""How each kind of event is counted; all others are not."""
