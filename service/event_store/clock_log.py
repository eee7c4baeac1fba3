"""The store's record of its machines' clocks: which jumped, and which jumps an operator accepted.

It is a stream beside the keyrings. Every instance and `arbiter clock` append to it.
"""

from collections.abc import Callable
from typing import TypeAlias
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

CLOCKS = UUID("61726269-7465-f272-8000-00636c6f636b")
"""The stream of the clocks."""

TRIES = 10


class ClockJumped(Struct, frozen=True, tag="store.clock-jumped.1"):
    """The wall clock of a machine moved by so many microseconds at once; the service went on
    without following it. `at` is the time of the service."""

    at: int
    machine: str
    microseconds: int


class ClockAccepted(Struct, frozen=True, tag="store.clock-accepted.1"):
    """An operator accepted the jump with this number; `at` is the time of the wall clock."""

    at: int
    jump: int


class ClockAgreed(Struct, frozen=True, tag="store.clock-agreed.1"):
    """The wall clock came back, so the jump with this number is over; `at` is the time of the
    service."""

    at: int
    jump: int


ClockEvent: TypeAlias = ClockJumped | ClockAccepted | ClockAgreed

Find: TypeAlias = Callable[[list[ClockEvent]], ClockEvent | int]

_decoder = msgspec.msgpack.Decoder(ClockEvent)
_encode = msgspec.msgpack.Encoder().encode


class NoSuchJump(LookupError):
    """No open jump has this number."""


class Jump(Struct, frozen=True):
    """A jump and its number; `end` says how it ended, if it has."""

    number: int
    jumped: ClockJumped
    end: ClockAccepted | ClockAgreed | None = None


class ClockLog:
    """The clocks' stream of one store. Everything here blocks."""

    def __init__(self, recorder: AggregateRecorder) -> None:
        self._recorder = recorder

    def jumps(self) -> dict[int, Jump]:
        """All jumps by their numbers, in order."""
        return _folded(self._events())

    def opened(self, at: int, machine: str, microseconds: int, tolerance: int) -> int:
        """The number of the open jump of this machine by so much, give or take the `tolerance`:
        of several processes on a machine the first records it."""

        def find(events: list[ClockEvent]) -> ClockEvent | int:
            for number, jump in _folded(events).items():
                same = abs(jump.jumped.microseconds - microseconds) <= tolerance
                if jump.end is None and jump.jumped.machine == machine and same:
                    return number
            return ClockJumped(at, machine, microseconds)

        return self._append(find)

    def accept(self, at: int, number: int) -> None:
        """Accepts a jump. Raises NoSuchJump if it is not open."""
        self._append(lambda events: ClockAccepted(at, _open(events, number)))

    def agreed(self, at: int, number: int) -> None:
        """Notes that a jump is over. Does nothing if that is on record already."""

        def find(events: list[ClockEvent]) -> ClockEvent | int:
            ended = _folded(events)[number].end is not None
            return number if ended else ClockAgreed(at, number)

        self._append(find)

    def _append(self, find: Find) -> int:
        """Appends what `find` makes of the events on record, unless that is a number. Returns the
        number, or that of the new event."""
        for _ in range(TRIES):
            events = self._events()
            found = find(events)
            if isinstance(found, int):
                return found
            number = len(events) + 1
            stored = StoredEvent(CLOCKS, number, str(found.__struct_config__.tag), _encode(found))
            try:
                self._recorder.insert_events([stored])
            except IntegrityError:
                continue
            return number
        raise IntegrityError

    def _events(self) -> list[ClockEvent]:
        return [_decoder.decode(stored.state) for stored in self._recorder.select_events(CLOCKS)]


def _folded(events: list[ClockEvent]) -> dict[int, Jump]:
    jumps: dict[int, Jump] = {}
    for number, event in enumerate(events, 1):
        if isinstance(event, ClockJumped):
            jumps[number] = Jump(number, event)
        elif event.jump in jumps and jumps[event.jump].end is None:
            jumps[event.jump] = Jump(event.jump, jumps[event.jump].jumped, event)
    return jumps


def _open(events: list[ClockEvent], number: int) -> int:
    jump = _folded(events).get(number)
    if jump is None or jump.end is not None:
        raise NoSuchJump(number)
    return number
