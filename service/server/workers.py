"""Worker processes that serve one address, each with its own instance on the shared store.

A worker that dies is replaced. The parent does nothing else, so that little can go wrong in it. If
it is killed all the same, its children notice and stop in an orderly way.
"""

import signal
import socket
from collections.abc import Callable, Iterable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic

from service.child_processes import spawn_context
from service.observability import logs

STOP_SECONDS = 10.0
"""Time limit for children to stop; then they are killed."""

RESTART_SECONDS = 5.0
"""Minimum time between two starts of a worker: one that dies at once would die again."""


class WorkerDied(logs.OperatorError):
    """A worker process ended although it should run forever."""


def run_workers(count: int, work: Callable[[int], None]) -> None:
    """Keeps `count` child processes alive, each of which does the work of its number, until SIGTERM
    or SIGINT; returns when all are gone."""
    woken, waking = socket.socketpair()
    waking.setblocking(False)
    signals = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(each, lambda *_: waking.send(b"\0") and None) for each in signals]
    started = dict.fromkeys(range(count), -RESTART_SECONDS)
    living: dict[int, BaseProcess] = {}
    try:
        while True:
            for number in started.keys() - living.keys():
                if monotonic() - started[number] >= RESTART_SECONDS:
                    started[number] = monotonic()
                    living[number] = _start(number, work)
            sentinels = [child.sentinel for child in living.values()]
            patience = None if len(living) == count else RESTART_SECONDS
            if woken in wait([woken, *sentinels], patience):
                return
            for number in [each for each, child in living.items() if not child.is_alive()]:
                died = WorkerDied(f"exit code {living.pop(number).exitcode}")
                logs.failure("worker_died", died, worker=number)
    finally:
        _stop(living.values())
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


def _start(number: int, work: Callable[[int], None]) -> BaseProcess:
    child = spawn_context().Process(target=work, args=(number,), name=f"arbiter worker {number}")
    child.start()
    return child


def _stop(children: Iterable[BaseProcess]) -> None:
    """Stops all children at once, first with SIGTERM, then with SIGKILL."""
    for child in children:
        child.terminate()
    deadline = monotonic() + STOP_SECONDS
    for child in children:
        child.join(max(0.0, deadline - monotonic()))
        if child.is_alive():
            child.kill()
            child.join()
