"""One process of the service: its instance, the web server, and their instrumentation; and several
that serve one address, each with its own instance on the shared store.

A worker that dies is replaced. The parent does nothing else, so that little can go wrong in it. If
it is killed all the same, its children notice and stop in an orderly way.
"""

import asyncio
import ctypes
import faulthandler
import multiprocessing
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic

import uvloop
from litestar.types import ASGIApp

from service.app import create_app
from service.auth.request_guard import ClientAddresses, RequestGuard
from service.child_processes import spawn_context
from service.demo_matches import Begin, DemoMatches
from service.instance import Instance
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION
from service.observability.logs import configure_logs
from service.observability.metrics import Metrics, serving_metrics
from service.observability.request_log import InstrumentedApp
from service.server.descriptors import fitting, open_files
from service.server.health import gauges, probes, traffic
from service.server.web_server import Server
from service.setting_types import metrics_address
from service.settings import Settings

PR_SET_DUMPABLE = 4
"""The option of prctl(2) by which a process says whether its memory, with keys and seeds in it, may
be dumped."""


def forbid_core_dumps() -> None:
    """Keeps this process's memory off the disk if it crashes, and on Linux also from other
    processes of its user. Its children inherit the first, and must call it for the second.

    Raises OSError if the system refuses.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Broken(Exception):
    """A part of an instance ended although it should run forever."""


def run_worker(settings: Settings, listener: socket.socket, number: int) -> None:
    """Runs one of several worker processes. It stops when its parent is gone."""
    forbid_core_dumps()
    # An interrupt at the terminal is for the parent, which passes it on.
    os.setsid()
    uvloop.run(serving(settings, listener, number))


async def serving(
    settings: Settings, listener: socket.socket, number: int = 0, bots: Begin | None = None
) -> None:
    """Serves the socket until a signal to stop. `number` is the number of this worker among those
    that share the address. `bots` play the matches that readers start, where the settings offer
    them.

    Raises Broken if a part of the instance has ended, OSError or ValueError for settings that do
    not work.
    """
    # If a library's native code crashes, the log says where: functions and lines, no content.
    faulthandler.enable()
    metrics = Metrics() if settings.logs.metrics else None
    configure_logs(settings.logs.format, metrics.failed if metrics else None)
    instrumentation = metrics or NO_INSTRUMENTATION
    instance = Instance(settings, instrumentation=instrumentation)
    secret = await asyncio.to_thread(instance.signer.ticket_secret)
    rates = fitting(settings.rates, open_files())
    guard = RequestGuard(rates, ClientAddresses(settings.server.proxies), secret)
    instance.signer.use_ticket_secret = guard.tickets.use
    demo = DemoMatches(settings, guard, bots) if bots and settings.offers_demo else None

    def within(app: ASGIApp) -> ASGIApp:
        app = demo.around(app) if demo else app
        return InstrumentedApp(app, metrics) if metrics else app

    app = create_app(
        instance, probes=probes(instance), guard=guard, demo=demo.start if demo else None
    )
    server = Server(app, instance, within)
    _stop_with_parent(server)
    all_gauges = {**gauges(instance), **traffic(guard, server.connections)}
    observe = (lambda _: None) if metrics is None else metrics.lag.observe
    async with AsyncExitStack() as parts:
        await parts.enter_async_context(guard.delay.measured(observe))
        if metrics is not None and settings.logs.metrics is not None:
            address = metrics_address(settings.logs.metrics, number)
            await parts.enter_async_context(serving_metrics(metrics, *address, all_gauges))
        if demo is not None:
            await parts.enter_async_context(demo.running(instance.stopping))
        await server.serve(listener)
    if instance.broken.is_set():
        raise Broken("a part of the service ended: see the log")


def _stop_with_parent(server: Server) -> None:
    """A worker stops when its parent process is gone."""
    parent, loop = multiprocessing.parent_process(), asyncio.get_running_loop()
    if parent is None:
        return

    def orphaned() -> None:
        loop.remove_reader(parent.sentinel)
        server.stop()

    loop.add_reader(parent.sentinel, orphaned)


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
    before = [signal.signal(item, lambda *_: waking.send(b"\0") and None) for item in signals]
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
            for number in [item for item, child in living.items() if not child.is_alive()]:
                died = WorkerDied(f"exit code {living.pop(number).exitcode}")
                logs.failure("worker_died", died, worker=number)
    finally:
        _stop(living.values())
        for item, handler in zip(signals, before, strict=True):
            signal.signal(item, handler)


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
