"""A real server as an operator sets it up, with all its monitoring."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litestar.types import ASGIApp

from service.app import create_app
from service.auth.request_guard import RequestGuard
from service.event_store.database import EMBEDDED
from service.instance import Instance
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation
from service.observability.readiness import Probe
from service.observability.request_log import InstrumentedApp
from service.server.web_server import Server
from service.setting_types import OriginsSetting
from service.settings import ServerSettings, Settings
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live
from tests.support.servers.server_thread import client_of, running


@dataclass(frozen=True)
class Operated(Live):
    """A server under test; `server` and `guard` are what its operator sees of it."""

    server: Server
    guard: RequestGuard

    def do(self, doing: Coroutine[Any, Any, None]) -> None:
        """Does something that takes time on the server's own loop."""
        asyncio.run_coroutine_threadsafe(doing, self.loop).result(60)


@contextmanager
def operated(
    data: Path,
    probes: Mapping[str, Probe] | None = None,
    instrumentation: Instrumentation = NO_INSTRUMENTATION,
    within: Callable[[ASGIApp], ASGIApp] | None = None,
    origins: Sequence[str] = (),
    guard: RequestGuard | None = None,
) -> Iterator[Operated]:
    """A server with its data in the folder `data`, in a thread and on a loop of its own. `within`
    wraps the application; pages of `origins` may call it."""
    store = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(data / "arbiter.db")}
    settings = Settings(
        store=store,
        organiser_key=ORGANISER_KEY,
        server=ServerSettings(origins=OriginsSetting(origins)),
    )
    instance = Instance(settings, instrumentation=instrumentation)
    guard = guard or RequestGuard()

    def around(app: ASGIApp) -> ASGIApp:
        return InstrumentedApp(within(app) if within else app, instrumentation)

    server = Server(create_app(instance, probes=probes, guard=guard), instance, around)
    with running(server) as (loop, url), client_of(url) as http:
        yield Operated(url, instance, http, loop, server, guard)
