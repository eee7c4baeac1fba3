"""A simulated process: an instance of the service, its threads, and how it dies."""

import asyncio
import contextvars
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any, Literal, TypeVar

from eventsourcing.persistence import IntegrityError, OperationalError

from service.event_store.store_threads import current_threads
from service.instance import Instance
from service.observability.store_faults import Outages, current_outages
from tests.simulation.fault_kinds import ActiveFaults, FaultKind
from tests.simulation.shared_memory_store import CONNECTIONS, NOTICES, SharedStore
from tests.simulation.simulated_cluster import SimulatedClock, SimulatedLock
from tests.simulation.simulated_threads import Done, SimulatedThreads, SimulatedWriter
from tests.simulation.virtual_loop import PROCESS, VirtualLoop

Coverage = Counter[tuple[str, str]]
"""How often a fault hit the write side in one of its states."""

LOST_RACE = "lost race"
"""No fault but what instances do to one another: the versions of a transaction were taken."""


T = TypeVar("T")

READ_SECONDS = 0.0001, 0.003
WRITE_SECONDS = 0.001, 0.008
ANSWER_SECONDS = 0.0, 0.0015
STALLED_SECONDS = 0.5, 12.0
"""How long a call takes, how long its answer is on the way, and how long a stalled one takes."""

MOST_TASKS = 512
"""Tasks after which those that have ended are forgotten."""

KINDS_OF_ROWS = (
    ("match.created", "creating"),
    ("match.deadline-passed", "deadline"),
    ("tournament.match-settled", "settling"),
    ("tournament.", "tournament"),
    ("log.", "signing"),
    ("match.rul", "ruling"),
    ("case.", "case"),
    ("key.", "keys"),
    ("invitation.", "invitations"),
    (NOTICES, "notices"),
)
"""Beginnings of stored names, and the state of the write side that they show."""


class ConnectionLost(Exception):
    """The instance did not answer: it is gone, or the network was."""


class ProcessDied(BaseException):
    """The process dies in the middle of a call."""


class SimulatedProcess:
    """One start of an instance: `name` is unique, `number` is that of the instance. `died` is
    called once it is gone; those in `at_next_commit` when the next transaction begins, with the
    seconds until something is to go wrong."""

    instance: Instance
    clock: SimulatedClock
    lock: SimulatedLock

    def __init__(
        self,
        name: str,
        number: int,
        store: SharedStore,
        loop: VirtualLoop,
        chance: Random,
        faults: ActiveFaults,
        coverage: Coverage,
        died: Callable[["SimulatedProcess"], None],
    ) -> None:
        self.name, self.number, self.store = name, number, store
        self.frozen = self.dead = self.up = False
        self.suspended: list[asyncio.Handle] = []
        self.received = 0
        self.at_next_commit: list[Callable[[float], None]] = []
        self.stopping = asyncio.Event()
        self.replies: dict[asyncio.Future[Any], None] = {}
        self.tasks: list[asyncio.Task[Any]] = []
        self._loop, self._chance, self._faults = loop, chance, faults
        self._coverage, self._died = coverage, died
        self.writer = SimulatedWriter(self)
        self.context = contextvars.copy_context()
        self.context.run(PROCESS.set, self)
        self.context.run(current_threads.set, SimulatedThreads(self))
        self.context.run(current_outages.set, Outages(loop.time))
        CONNECTIONS[name] = self

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Runs something in the process."""
        return self._loop.create_task(work, context=self.context)

    def adopt(self, task: asyncio.Task[Any]) -> None:
        self.tasks.append(task)
        if len(self.tasks) > MOST_TASKS:
            self.tasks = [one for one in self.tasks if not one.done()]

    def die(self) -> None:
        """The process is gone at once, with its memory. Nothing of it reaches anyone any more."""
        if self.dead:
            return
        self.dead, self.up = True, False
        self._loop.thaw(self)
        for reply in self.replies:
            if not reply.done():
                reply.set_exception(ConnectionLost())
        self.replies.clear()
        for task in self.tasks:
            task.cancel()
        CONNECTIONS.pop(self.name, None)
        self._died(self)

    # Threads.

    def in_thread(
        self, call: Callable[[], Any], done: Done, kind: Literal["read", "write"] = "read"
    ) -> None:
        """Calls a function after a delay; its result arrives after another. What a dead process
        has not begun never happens."""
        if self.dead:
            self._loop.call_soon(done, None, ConnectionLost())
            return
        delay = self._chance.uniform(*(WRITE_SECONDS if kind == "write" else READ_SECONDS))
        stalled: FaultKind = "stalled write" if kind == "write" else "stalled read"
        if self._hit(stalled):
            delay += self._chance.uniform(*STALLED_SECONDS)
        if kind == "write":
            while self.at_next_commit:
                # Some during the transaction, and some just after it.
                self.at_next_commit.pop()(self._chance.uniform(0, 1.2 * delay))
        self._loop.call_later(delay, partial(self._called, call, done), context=self.context)

    def _called(self, call: Callable[[], Any], done: Done) -> None:
        if self.dead:
            return
        result, error = None, None
        try:
            result = call()
        except ProcessDied:
            return
        except Exception as raised:  # noqa: BLE001  whoever waits gets it
            error = raised
        answered = partial(self._answered, partial(done, result, error))
        delay = self._chance.uniform(*ANSWER_SECONDS)
        self._loop.call_later(delay, answered, context=self.context)

    def _answered(self, deliver: Callable[[], None]) -> None:
        if not self.dead:
            deliver()

    # The connection to the store.

    def write(self, topics: Sequence[str], call: Callable[[], T]) -> T:
        with self.writing(topics):
            return call()

    @contextmanager
    def writing(self, topics: Sequence[str]) -> Iterator[None]:
        """Makes a transaction inside the context fail or not."""
        self._check_alive()
        if self._hit("torn write", topics):
            self.die()
            raise ProcessDied
        if self._hit("full disk", topics):
            raise OperationalError("simulated: the disk is full")
        if self._hit("failed write", topics):
            raise OperationalError("simulated: not done")
        try:
            yield
        except IntegrityError:
            self.note(LOST_RACE, topics)
            raise
        if self._hit("crash after commit", topics):
            self.die()
            raise ProcessDied
        if self._hit("lost answer", topics):
            raise OperationalError("simulated: done, and the answer is lost")

    def read(self, call: Callable[[], T]) -> T:
        self._check_alive()
        if self._hit("failed read"):
            raise OperationalError("simulated: not read")
        return call()

    def _check_alive(self) -> None:
        if self.dead:
            raise ProcessDied

    # Faults.

    def _hit(self, kind: FaultKind, topics: Sequence[str] = ()) -> bool:
        hit = self._faults.hits(kind, self.number)
        if hit:
            self.note(kind, topics)
        return hit

    def note(self, kind: str, topics: Sequence[str] = ()) -> None:
        """Counts a fault and the states of the write side that it hits, when these rows are
        written. `reading`: a match is read for its commands; `conflict`: a command lost a race and
        is decided again; several may hold at once."""
        matches, sessions = self.instance.matches, self.instance.sessions._cache
        queue = matches._queue
        found = {
            "idle": not matches.waiting,
            "reading": any(one.preparing is not None and one.queue for one in sessions),
            "queued": bool(queue._ready),
            "deciding": any(one.deciding for one in sessions),
            "conflict": bool(queue._retries) or any(one.tries for one in matches._accepted),
            "leading": self.instance.leader.leads,
        }
        for begins, state in KINDS_OF_ROWS:
            if any(topic.startswith(begins) for topic in topics):
                found[state] = True
        self._coverage.update((kind, state) for state, holds in found.items() if holds)
