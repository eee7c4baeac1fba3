"""Worker processes that serve one address, each with its own instance on the shared store.

A worker that dies is replaced. The parent does nothing else, so that little can go wrong in it. If
it is killed all the same, its children notice and stop in an orderly way.
"""

import os
import signal
import socket
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic

from service.child_processes import spawn_context
from service.observability import logs

STOP_SECONDS = 10.0
"""Time limit for children to stop; then they are killed."""

RESTART_SECONDS = 5.0
"""Minimum time between two starts of a worker: one that dies at once would die again."""

Work = Callable[[int, socket.socket, Connection], None]
"""The main function of a child. Its arguments are the worker's number, the listening socket, and
the end of a pipe that becomes readable only when the parent is gone."""


class WorkerDied(logs.OperatorError):
    """A worker process ended although it should run for ever."""


class Workers:
    """`count` child processes that do the same work on one socket, until a signal to stop."""

    def __init__(self, count: int, listening: socket.socket, work: Work) -> None:
        self._spawning = spawn_context()
        self._listening = listening
        self._work = work
        self._children: dict[int, SpawnProcess | None] = dict.fromkeys(range(count))
        self._started_at: dict[int, float] = {}
        self._alive_reader, self._alive_writer = self._spawning.Pipe(duplex=False)
        self._stop_reader, self._stop_writer = os.pipe()

    def run(self) -> None:
        """Keeps the children alive until SIGTERM or SIGINT; returns when all are gone."""
        os.set_blocking(self._stop_writer, False)
        before = {sig: signal.signal(sig, self._signal) for sig in (signal.SIGTERM, signal.SIGINT)}
        try:
            while not self._supervise():
                pass
        finally:
            self._stop()
            for sig, handler in before.items():
                signal.signal(sig, handler)

    def _signal(self, _number: int, _frame: object) -> None:
        os.write(self._stop_writer, b"\0")

    def _supervise(self) -> bool:
        """Starts missing workers and waits until one dies or a signal arrives. Returns whether to
        stop."""
        for number, child in self._children.items():
            began = self._started_at.get(number, -RESTART_SECONDS)
            if child is None and monotonic() - began >= RESTART_SECONDS:
                self._children[number] = self._start(number)
        living = {c.sentinel: (n, c) for n, c in self._children.items() if c is not None}
        pause = None if len(living) == len(self._children) else RESTART_SECONDS
        ready = wait([self._stop_reader, *living], pause)
        if self._stop_reader in ready:
            return True
        for sentinel, (number, child) in living.items():
            if sentinel in ready:
                self._log_death(number, child)
        return False

    def _start(self, number: int) -> SpawnProcess:
        self._started_at[number] = monotonic()
        child = self._spawning.Process(
            target=self._work,
            args=(number, self._listening, self._alive_reader),
            name=f"arbiter worker {number}",
        )
        child.start()
        return child

    def _log_death(self, number: int, child: SpawnProcess) -> None:
        self._children[number] = None
        child.join()
        logs.failure("worker_died", WorkerDied(f"exit code {child.exitcode}"), worker=number)

    def _stop(self) -> None:
        """Stops all children at once, first with SIGTERM, then with SIGKILL."""
        children = [child for child in self._children.values() if child is not None]
        for child in children:
            child.terminate()
        deadline = monotonic() + STOP_SECONDS
        for child in children:
            child.join(max(0.0, deadline - monotonic()))
            if child.is_alive():
                child.kill()
                child.join()
        self._alive_writer.close()
