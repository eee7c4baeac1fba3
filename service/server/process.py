"""One process of the service: its instances, the web server, and their instrumentation."""

import asyncio
import faulthandler
import os
import signal
import socket
from contextlib import AbstractAsyncContextManager, nullcontext
from multiprocessing.connection import Connection

import uvloop
from litestar.types import ASGIApp

from service.app import create_app
from service.auth.client_address import ClientAddresses
from service.auth.request_guard import RequestGuard
from service.demo_matches import Begin, DemoMatches
from service.http.cors import Origins
from service.instance import Instance, open_instance
from service.observability.instrumentation import (
    NO_INSTRUMENTATION,
    CombinedInstrumentation,
)
from service.observability.logs import configure_logs
from service.observability.metrics import Metrics, serving_metrics
from service.observability.metrics_address import metrics_address
from service.observability.request_log import RequestLog
from service.observability.traces import tracing
from service.server.core_dumps import forbid_core_dumps
from service.server.descriptors import fitting, open_files
from service.server.health import gauges, probes
from service.server.web_server import Server, make_server
from service.settings import Settings


class Broken(Exception):
    """A part of an instance ended although it should run for ever."""


def run_worker(chosen: Settings, number: int, listener: socket.socket, alive: Connection) -> None:
    """Runs one of several worker processes. It stops when its parent closes `alive`."""
    forbid_core_dumps()
    # An interrupt at the terminal is for the parent, which passes it on.
    os.setsid()
    uvloop.run(serving(chosen, listener, alive, number))


async def serving(
    chosen: Settings,
    listener: socket.socket,
    alive: Connection | None = None,
    number: int = 0,
    bots: Begin | None = None,
) -> None:
    """Serves the socket until a signal to stop; with `alive`, also until its other end is closed.
    `number` is the number of this worker among those that share the address. `bots` play the
    matches that readers start, where the settings offer them.

    Raises Broken if a part of the instance has ended, OSError or ValueError for settings that do
    not work.
    """
    # If a library's native code crashes, the log says where: functions and lines, no content.
    faulthandler.enable()
    metrics = Metrics() if chosen.logs.metrics else None
    configure_logs(chosen.logs.format, metrics.failed if metrics else None)
    with tracing(chosen.logs.telemetry) as traces:
        instrumentations = [each for each in (metrics, traces) if each is not None]
        instrumentation = (
            CombinedInstrumentation(instrumentations) if instrumentations else NO_INSTRUMENTATION
        )
        instance = open_instance(chosen, instrumentation=instrumentation)
        secret = await asyncio.to_thread(instance.signer.ticket_secret)
        rates = fitting(chosen.rates, open_files())
        guard = RequestGuard(rates, ClientAddresses(chosen.server.proxies), secret, chosen.redis)
        instance.signer.use_ticket_secret = guard.tickets.use
        demo = DemoMatches(chosen, guard, bots) if bots and chosen.offers_demo else None
        app: ASGIApp = create_app(instance, probes=probes(instance), guard=guard, demo=demo)
        if demo is not None:
            app = demo.around(app)
        log = RequestLog(addresses=chosen.logs.addresses) if chosen.logs.access else None
        server = make_server(
            traces.around(app) if traces else app,
            instance,
            instrumentation,
            log=log,
            now=instance.clock.now,
            origins=Origins(chosen.server.origins),
            root=chosen.server.root,
            keep_alive=chosen.server.keep_alive,
        )
        if alive is not None:
            _stop_with(alive, server)
        async with (
            _serving_metrics(metrics, chosen, number, instance, server),
            nullcontext() if demo is None else demo.running(instance.stopping),
        ):
            await server.serve([listener])
    if instance.broken.is_set():
        raise Broken("a part of the service ended: see the log")


def _serving_metrics(
    metrics: Metrics | None, chosen: Settings, number: int, instance: Instance, server: Server
) -> AbstractAsyncContextManager[object]:
    if metrics is None or chosen.logs.metrics is None:
        return nullcontext()
    where = metrics_address(chosen.logs.metrics, number)
    return serving_metrics(metrics, *where, gauges(instance, server.connections))


def _stop_with(alive: Connection, server: Server) -> None:
    """Stops the server when the parent process is gone."""
    loop = asyncio.get_running_loop()

    def orphaned() -> None:
        loop.remove_reader(alive)
        server.handle_exit(signal.SIGTERM, None)

    loop.add_reader(alive, orphaned)
