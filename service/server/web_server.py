"""The web server of one process, with one event loop."""

import asyncio
import gc
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from types import FrameType
from typing import Protocol

import uvicorn
from litestar.types import ASGIApp

from service.http.cors import NO_ORIGINS, Origins, Preflights
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation
from service.observability.request_log import InstrumentedApp, RequestLog
from service.server.connections import Connection, Connections
from service.server.descriptors import DescriptorWatch
from service.settings import KEEP_ALIVE

BACKLOG = 2048

TICKS_A_SECOND = 10

SWITCH_SECONDS = 0.0002

SEND_BUFFER_BYTES = 128 * 1024
"""Size of the system's send buffer for a client; beyond it bytes wait in this process's memory."""

STOP_SECONDS = 8
"""Time limit for stopping, in seconds, after draining."""

FAIL_WAITING_SECONDS = 1.0
"""How long before that limit requests that wait for the store are answered 503."""

CLOSE_SECONDS = 2.0
"""How long after that limit the process is ended even if its store is not closed."""

SAME_SIGNAL_SECONDS = 0.5
"""Signals within this time count as one: a service manager may signal every process, and a process
its children, too."""

STOPPING_SHARE = 1 / 30
"""Fraction of their time limits that slow clients get while the server stops: one second."""


class Service(Protocol):
    """The service behind a server, as the server needs it."""

    @property
    def broken(self) -> asyncio.Event:
        """Set when a part of the service has ended and it can promise nothing any more."""

    def stop_streams(self) -> None:
        """Ends every open stream."""

    def fail_waiting(self) -> None:
        """Fails all waiting commands; it is unknown whether they are on record."""


class Server(uvicorn.Server):
    """The server. At the first signal to stop it ends streams, finishes requests under way and
    closes. At the second it exits at once, which is safe: what was acknowledged is on disk.

    `drain_seconds` is how long it still accepts requests after the first signal. `origins` are the
    origins whose pages may read its answers.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        drain_seconds: float,
        now: Callable[[], int],
        origins: Origins = NO_ORIGINS,
    ) -> None:
        super().__init__(config)
        self._service = service
        self._now = now
        self._drain_seconds = drain_seconds
        self._stop_requested_at: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.connections = self.server_state = Connections(origins)
        self._descriptors = DescriptorWatch()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Stops when the service is broken, so that its supervisor restarts it."""
        self._descriptors.check(len(self.connections.connections))
        if counter % TICKS_A_SECOND == 0:
            self.connections.cut_off_the_slow()
        stops = await super().on_tick(counter)
        if counter % TICKS_A_SECOND == 0:
            date = formatdate(self._now() / 1e6, usegmt=True).encode()
            self.server_state.default_headers = [(b"date", date), *self.config.encoded_headers]
        return stops or self._service.broken.is_set()

    async def main_loop(self) -> None:
        await super().main_loop()
        if self._stop_requested_at is not None:
            # Readiness is off already, but load balancers may not have seen it yet.
            await asyncio.sleep(self._drain_seconds)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        cutting_off = asyncio.create_task(self._cut_off_while_stopping())
        try:
            await super().shutdown(sockets)
        finally:
            cutting_off.cancel()

    async def _cut_off_while_stopping(self) -> None:
        """Cuts off clients that do not read or send while the server stops."""
        while True:
            # A connection accepted at the moment of stopping has not been asked to close yet.
            for connection in list(self.connections.connections):
                connection.shutdown()
            self.connections.cut_off_the_slow(STOPPING_SHARE)
            await asyncio.sleep(1 / TICKS_A_SECOND)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._stop_requested_at is not None:
            if time.monotonic() - self._stop_requested_at > SAME_SIGNAL_SECONDS:
                os._exit(128 + sig)
            return
        self._stop_requested_at = time.monotonic()
        if self._loop is not None:
            # A signal can arrive between any two steps of the loop.
            self._loop.call_soon_threadsafe(self._stop_in_time, sig)
        if sig == signal.SIGTERM:
            self.should_exit = True
        else:
            # The framework raises it again at the end, as a terminal expects.
            super().handle_exit(sig, frame)

    def _stop_in_time(self, sig: int) -> None:
        """Limits the time for stopping, even if the store does not answer: what is not on disk has
        not been acknowledged. In a thread of another program it leaves ending the process to that
        program."""
        self._service.stop_streams()
        limit = self._drain_seconds + (self.config.timeout_graceful_shutdown or STOP_SECONDS)
        asyncio.get_running_loop().call_later(
            limit - FAIL_WAITING_SECONDS, self._service.fail_waiting
        )
        if threading.current_thread() is threading.main_thread():
            # A thread that waits for the store would block the end of the loop, too.
            killer = threading.Timer(limit + CLOSE_SECONDS, os._exit, (128 + sig,))
            killer.daemon = True
            killer.start()


def bind(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 takes a free one. `::` is every address of the machine, also
    those of IPv4. Raises OSError with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    try:
        bound = socket.create_server(
            (host, port), family=family, backlog=BACKLOG, dualstack_ipv6=both
        )
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    return bound


def wall_time() -> int:
    """The wall clock's time, in microseconds since 1970."""
    return time.time_ns() // 1000


def make_server(
    app: ASGIApp,
    service: Service,
    instrumentation: Instrumentation = NO_INSTRUMENTATION,
    drain_seconds: float = 0.0,
    log: RequestLog | None = None,
    now: Callable[[], int] = wall_time,
    origins: Origins = NO_ORIGINS,
    root: str = "",
    keep_alive: int = KEEP_ALIVE,
) -> Server:
    """A server for the application. `instrumentation` and `log` receive every response. After a
    signal to stop it still accepts requests for `drain_seconds`. `now` is the clock of the `Date`
    header, in microseconds since 1970. Pages of `origins` may read the responses. Paths may begin
    with `root`. A connection that waits for its next request is kept for `keep_alive` seconds."""
    if origins:
        app = Preflights(app)
    config = uvicorn.Config(
        app
        if instrumentation is NO_INSTRUMENTATION and log is None
        else InstrumentedApp(app, instrumentation, log),
        http=Connection,
        loop="none",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        date_header=False,
        headers=[("x-content-type-options", "nosniff")],
        proxy_headers=False,
        root_path=root,
        timeout_keep_alive=keep_alive,
        timeout_graceful_shutdown=max(1, STOP_SECONDS - math.ceil(drain_seconds)),
        backlog=BACKLOG,
    )
    # Objects alive now live for ever; collecting them again and again would delay responses.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    # The writer's thread and the event loop switch many times a transaction. At the default switch
    # interval of 5 ms a busy loop would delay the writer longer than the disk does.
    sys.setswitchinterval(SWITCH_SECONDS)
    return Server(config, service, drain_seconds, now, origins)
