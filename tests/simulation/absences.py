"""Absences of the service in a simulation: computed again from its heartbeats, and by how much
deadlines are later because of them."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from domain.events import Event, Record, batches
from domain.match.events import AwaitingChanged, DeadlineSet
from service.application.scheduling.heartbeat import PROPERTY, Heartbeat
from service.event_store.database import SQLiteDatabase
from service.event_store.properties import Properties
from tests.simulation.simulation_history import Away


class SharedProperties(Properties):
    """The properties that all processes share, which outlive each of them. `away` is called with
    the beginning and the end of each time between two heartbeats that is longer than `grace`."""

    def __init__(
        self, shared: SQLiteDatabase, grace: int, away: Callable[[int, int], None]
    ) -> None:
        super().__init__(shared)
        self._grace, self._away = grace, away
        self._last_beat = 0

    def change(self, name: str, to: Callable[[bytes | None], bytes]) -> bytes:
        value = super().change(name, to)
        if name == PROPERTY:
            beat = msgspec.msgpack.decode(value, type=Heartbeat).at
            if 0 < self._last_beat < beat - self._grace:
                self._away(self._last_beat, beat)
            self._last_beat = beat
        return value

    def close(self) -> None:
        """Closes nothing: others go on using them."""


def wrongly_moved(records: Sequence[Record[Event]], away: Sequence[Away]) -> Iterator[str]:
    """What is wrong with the deadlines of a match. One that is in force when an absence ends is
    later by it, at that instant and before anything else that is recorded; and by nothing that is
    no absence. What was decided before by a clock that was ahead may have a later instant."""
    deadline: int | None = None
    last = 0
    for batch in batches(records):
        at, event = batch[0].at, batch[0].event
        absences = [one for one in away if last < one.ended <= at]
        if isinstance(event, DeadlineSet) and event.because == "absence":
            later = (deadline or 0) + event.ended - event.begun
            wanted = [(one.begun, one.ended, one.ended, later) for one in absences]
            if wanted != [(event.begun, event.ended, at, event.deadline)]:
                yield f"no absence moves the deadline from {deadline} to {event.deadline}"
        elif deadline is not None and any(one.ended + one.ahead <= at for one in absences):
            yield f"absences do not move the deadline {deadline}: {absences}"
        awaited = [one.event for one in batch if isinstance(one.event, AwaitingChanged)]
        deadline, last = awaited[-1].deadline if awaited else deadline, at
