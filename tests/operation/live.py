"""A real server as an operator sets it up, with all that he watches it by."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvloop
from litestar.types import ASGIApp

from service.app import create_app
from service.arbiter import Arbiter
from service.operation.readiness import Probe
from service.operation.requests import RequestLog
from service.server import Server, bind, make_server
from service.settings import EMBEDDED, Settings
from service.stores import Stores
from service.watcher import NOBODY, Watcher
from tests.live import ORGANISER_KEY, Live


@dataclass(frozen=True)
class Operated(Live):
    """A server under test; `server` is what its operator has of it."""

    server: Server

    def do(self, doing: Coroutine[Any, Any, None]) -> None:
        """Does something that takes its time on the server's own loop."""
        asyncio.run_coroutine_threadsafe(doing, self.loop).result(60)


@contextmanager
def operated(
    data: Path,
    probes: Mapping[str, Probe] | None = None,
    watcher: Watcher = NOBODY,
    leaving: float = 0.0,
    log: RequestLog | None = None,
    within: Callable[[ASGIApp], ASGIApp] | None = None,
) -> Iterator[Operated]:
    """A server with its data in the folder `data`, in a thread and on a loop of its own. `within`
    wraps the application."""
    store = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(data / "arbiter.db")}
    arbiter = Arbiter(Settings(store, organiser_key=ORGANISER_KEY))
    app: ASGIApp = create_app(Stores.of_one(arbiter), probes=probes)
    server = make_server(within(app) if within else app, arbiter, watcher, leaving, log)
    with bind("127.0.0.1", 0) as address, _running(server, address) as loop:
        url = f"http://127.0.0.1:{address.getsockname()[1]}"
        limits = httpx.Limits(max_connections=200)
        with httpx.Client(base_url=url, timeout=20, limits=limits, trust_env=False) as http:
            yield Operated(url, arbiter, http, loop, server)


@contextmanager
def _running(server: Server, address: socket.socket) -> Iterator[asyncio.AbstractEventLoop]:
    loop = uvloop.new_event_loop()

    def serve() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(server.serve([address]))

    thread = threading.Thread(target=serve, name="server", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(_told_to_stop, server)
        thread.join(20)
    assert not thread.is_alive(), "the server did not stop"


def _told_to_stop(server: Server) -> None:
    if not server.should_exit:
        server.handle_exit(signal.SIGTERM, None)
