"""The store's record of its machines' clocks: which jumped, and which jumps an operator accepted.

It is a stream next to the keyrings. Every instance and `arbiter clock` append to it.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct
from msgspec.structs import replace

CLOCKS = UUID("61726269-7465-f272-8000-00636c6f636b")
"""The stream of the clocks."""


class ClockJumped(Struct, frozen=True, tag="store.clock-jumped.1"):
    """The wall clock of a machine moved by so many microseconds at once; the service went on
    without following it. `at` is the time of the service."""

    at: int
    machine: str
    microseconds: int


class JumpEnded(Struct, frozen=True, tag="store.clock-jump-ended.1"):
    """The jump with this number is over: an operator `accepted` it, or the wall clock came back.
    `at` is the time of who says so."""

    at: int
    jump: int
    accepted: bool


ClockEvent: TypeAlias = ClockJumped | JumpEnded

_decoder = msgspec.msgpack.Decoder(ClockEvent)
_encode = msgspec.msgpack.Encoder().encode


class NoSuchJump(LookupError):
    """No open jump has this number."""


class Jump(Struct, frozen=True):
    """A jump and its number; `end` says how it ended, if it has."""

    number: int
    jumped: ClockJumped
    end: JumpEnded | None = None


Jumps: TypeAlias = dict[int, Jump]


class ClockLog:
    """The clocks' stream of one store. Everything here blocks."""

    def __init__(self, recorder: AggregateRecorder) -> None:
        self._recorder = recorder

    def jumps(self) -> Jumps:
        """All jumps by their numbers, in order."""
        return self._read()[1]

    def opened(self, at: int, machine: str, microseconds: int, tolerance: int) -> int:
        """The number of the open jump of this machine by so much, give or take the `tolerance`:
        of several processes on a machine the first records it."""

        def find(jumps: Jumps) -> ClockEvent | int:
            for number, jump in jumps.items():
                same = abs(jump.jumped.microseconds - microseconds) <= tolerance
                if jump.end is None and jump.jumped.machine == machine and same:
                    return number
            return ClockJumped(at, machine, microseconds)

        return self._append(find)

    def accept(self, at: int, number: int) -> None:
        """Accepts a jump. Raises NoSuchJump if it is not open."""

        def find(jumps: Jumps) -> ClockEvent:
            if number not in jumps or jumps[number].end is not None:
                raise NoSuchJump(number)
            return JumpEnded(at, number, accepted=True)

        self._append(find)

    def agreed(self, at: int, number: int) -> None:
        """Notes that a jump is over. Does nothing if that is on record already."""

        def find(jumps: Jumps) -> ClockEvent | int:
            return number if jumps[number].end else JumpEnded(at, number, accepted=False)

        self._append(find)

    def _append(self, find: Callable[[Jumps], ClockEvent | int]) -> int:
        """Appends what `find` makes of the jumps on record, unless that is a number. Returns the
        number, or that of the new event."""
        while True:
            length, jumps = self._read()
            found = find(jumps)
            if isinstance(found, int):
                return found
            name = str(found.__struct_config__.tag)
            # Where another process was first, that one's is read.
            with suppress(IntegrityError):
                self._recorder.insert_events(
                    [StoredEvent(CLOCKS, length + 1, name, _encode(found))]
                )
                return length + 1

    def _read(self) -> tuple[int, Jumps]:
        """The number of events on record, and the jumps."""
        events = [_decoder.decode(stored.state) for stored in self._recorder.select_events(CLOCKS)]
        jumps = Jumps()
        for number, event in enumerate(events, 1):
            if isinstance(event, ClockJumped):
                jumps[number] = Jump(number, event)
            elif jumps[event.jump].end is None:
                jumps[event.jump] = replace(jumps[event.jump], end=event)
        return len(events), jumps
