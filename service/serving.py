"""One process of the service: an instance, the server before it, and all that watches it."""

import asyncio
import faulthandler
import os
import signal
import socket
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from multiprocessing.connection import Connection

import uvloop
from litestar.types import ASGIApp

from service.access.edge import Edge
from service.access.senders import Senders
from service.app import create_app
from service.arbiter import Arbiter
from service.logs import configure_logs
from service.operation.address import metrics_address
from service.operation.instance import gauges, probes
from service.operation.metrics import Metrics, collected
from service.operation.requests import RequestLog
from service.operation.traces import tracing
from service.place import Place
from service.proof.signing import Signing
from service.server import Server, make_server, wall
from service.settings import Settings
from service.stores import Stores
from service.watcher import NOBODY, Watcher, Watchers


class Broken(Exception):
    """An instance has ended that should have gone on."""


def work(chosen: Settings, number: int, listening: socket.socket, alive: Connection) -> None:
    """What one of several processes does. It stops when `alive` says that its parent is gone."""
    # An interrupt at the terminal is for the parent, who passes it on.
    os.setsid()
    uvloop.run(serving(chosen, listening, alive, number))


async def serving(
    chosen: Settings,
    listening: socket.socket,
    alive: Connection | None = None,
    number: int = 0,
) -> None:
    """Serves the socket until told to stop; with `alive`, also when nobody is at its other end. It
    is worker `number` of those that share an address.

    Raises Broken if a part of the instance has ended, OSError or ValueError for settings that do
    not work.
    """
    # Should a library's own code crash, the log says where: functions and lines, no content.
    faulthandler.enable()
    metrics = Metrics() if chosen.metrics else None
    configure_logs(chosen.log_format, metrics.failed if metrics else None)
    with tracing(os.environ) as traces:
        watching = [each for each in (metrics, traces) if each is not None]
        watcher = Watchers(watching) if watching else NOBODY
        stores = opened(chosen, watcher)
        signing = Signing(chosen.key_folder, chosen.name)
        secret = await asyncio.to_thread(signing.ticket_secret)
        edge = Edge(chosen.rates, Senders(chosen.proxies), secret, chosen.redis)
        app: ASGIApp = create_app(stores, probes=probes(stores), edge=edge)
        log = RequestLog(addresses=chosen.log_addresses) if chosen.access_log else None
        # Each of several stores has a clock of its own; the wall's is no worse than another's.
        now = wall if chosen.stores else stores.home.clock.now
        server = make_server(
            traces.around(app) if traces else app, stores, watcher, log=log, now=now
        )
        if alive is not None:
            _stop_with(alive, server)
        async with _collected(metrics, chosen, number, stores, server):
            await server.serve([listening])
    if stores.broken.is_set():
        raise Broken("a part of the service ended: see the log")


def opened(chosen: Settings, watcher: Watcher = NOBODY) -> Stores:
    """The stores of a process, each with an instance. Raises PersistenceErrors if the only one
    cannot be opened; of several each is tried until it can."""
    if not chosen.stores:
        return Stores.of_one(Arbiter(chosen, watcher=watcher))
    return Stores(
        [Place(name, partial(Arbiter, one, watcher=watcher)) for name, one in chosen.each.items()]
    )


def _collected(
    metrics: Metrics | None, chosen: Settings, number: int, stores: Stores, server: Server
) -> AbstractAsyncContextManager[object]:
    if metrics is None or chosen.metrics is None:
        return nullcontext()
    where = metrics_address(chosen.metrics, number)
    return collected(metrics, *where, gauges(stores, server.connections))


def _stop_with(alive: Connection, server: Server) -> None:
    """An instance whose parent is gone stops."""
    loop = asyncio.get_running_loop()

    def orphaned() -> None:
        loop.remove_reader(alive)
        server.handle_exit(signal.SIGTERM, None)

    loop.add_reader(alive, orphaned)
