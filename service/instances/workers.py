"""Several processes that serve one address: each is an instance of its own on the shared store.

Whoever dies is replaced. The parent does nothing else, so that nothing can happen to it; should
it be killed all the same, its children notice and stop in an orderly way.
"""

import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic

from service import logs

STOP_SECONDS = 10.0
"""How long children are given to stop; then they are killed."""

YOUNG_SECONDS = 5.0
"""A child that dies younger than this is replaced only after so long: it would die again."""

Work = Callable[[int, socket.socket, Connection], None]
"""What a child does: its number, the socket on which it listens, and an end of a pipe on which
there is nothing to read until the parent is gone."""

_spawning = multiprocessing.get_context("spawn")


class WorkerDied(logs.Plain):
    """A child has ended that should have gone on."""


class Workers:
    """So many children that do the same work on one socket, from `run` to a signal to stop."""

    def __init__(self, count: int, listening: socket.socket, work: Work) -> None:
        self._listening = listening
        self._work = work
        self._children: dict[int, SpawnProcess | None] = dict.fromkeys(range(count))
        self._begun: dict[int, float] = {}
        self._alive, self._lives = _spawning.Pipe(duplex=False)
        self._woken, self._wakes = os.pipe()

    def run(self) -> None:
        """Keeps the children alive until SIGTERM or SIGINT; returns when all are gone."""
        os.set_blocking(self._wakes, False)
        before = {sig: signal.signal(sig, self._signal) for sig in (signal.SIGTERM, signal.SIGINT)}
        try:
            while not self._tend():
                pass
        finally:
            self._stop()
            for sig, handler in before.items():
                signal.signal(sig, handler)

    def _signal(self, _number: int, _frame: object) -> None:
        os.write(self._wakes, b"\0")

    def _tend(self) -> bool:
        """Starts whoever is missing, and waits until somebody dies. Whether it is time to stop."""
        for number, child in self._children.items():
            if child is None and self._may_start(number):
                self._children[number] = self._started(number)
        living = {c.sentinel: n for n, c in self._children.items() if c is not None}
        pause = None if len(living) == len(self._children) else YOUNG_SECONDS
        ready = wait([self._woken, *living], pause)
        for sentinel in ready:
            if sentinel == self._woken:
                return True
            assert isinstance(sentinel, int)
            self._bury(living[sentinel])
        return False

    def _may_start(self, number: int) -> bool:
        return monotonic() - self._begun.get(number, -YOUNG_SECONDS) >= YOUNG_SECONDS

    def _started(self, number: int) -> SpawnProcess:
        self._begun[number] = monotonic()
        child = _spawning.Process(
            target=self._work,
            args=(number, self._listening, self._alive),
            name=f"arbiter worker {number}",
        )
        child.start()
        return child

    def _bury(self, number: int) -> None:
        child, self._children[number] = self._children[number], None
        assert child is not None
        child.join()
        logs.failed("worker_died", WorkerDied(f"exit code {child.exitcode}"), worker=number)

    def _stop(self) -> None:
        """All at once: first the request, then force."""
        children = [child for child in self._children.values() if child is not None]
        for child in children:
            child.terminate()
        give_up = monotonic() + STOP_SECONDS
        for child in children:
            child.join(max(0.0, give_up - monotonic()))
            if child.is_alive():
                child.kill()
                child.join()
        self._lives.close()
