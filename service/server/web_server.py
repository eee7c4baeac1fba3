"""The web server of one process, with one event loop."""

import asyncio
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate

from litestar import Litestar
from litestar.types import ASGIApp

from service.http.middleware.cors import AllowedOrigins, answering_preflights
from service.instance import Instance
from service.server.connections import Connection, Connections

BACKLOG = 2048

SIGNALS = (signal.SIGTERM, signal.SIGINT)

SWITCH_SECONDS = 0.0002

SEND_BUFFER_BYTES = 128 * 1024
"""Size of the system's send buffer for a client; beyond it bytes wait in this process's memory."""

STOP_SECONDS = 8.0
"""Time limit for stopping, in seconds."""

FAIL_WAITING_SECONDS = 1.0
"""How long before that limit requests that wait for the store are answered 503."""

CLOSE_SECONDS = 2.0
"""How long after that limit the process is ended even if its store is not closed."""

STOP_PAUSE = 0.1

STOPPING_SHARE = 1 / 30
"""Fraction of their time limits that slow clients get while the server stops: one second."""


class Server:
    """The server of an instance. At a signal to stop it ends streams, finishes requests under way
    and closes. `within` wraps the application."""

    def __init__(
        self,
        app: Litestar,
        instance: Instance,
        within: Callable[[ASGIApp], ASGIApp] = lambda app: app,
    ) -> None:
        settings, origins = instance.settings, AllowedOrigins(instance.settings.server.origins)
        answering = within(answering_preflights(app) if origins else app)
        self.connections = Connections(
            answering, origins, settings.server.root, settings.server.keep_alive
        )
        self.started = False
        self._running = app.lifespan
        self._instance = instance
        self._stopped = asyncio.Event()
        self._signal: int | None = None

    def stop(self) -> None:
        """Begins to stop; called on the server's loop."""
        self._stopped.set()

    async def serve(self, listening: socket.socket) -> None:
        """Serves the socket until it is told to stop, or a part of the instance has ended."""
        _tune()
        loop = asyncio.get_running_loop()
        with self._signals_stop(loop):
            async with self._running():
                self._look_after_clients()
                accepting = await loop.create_server(
                    lambda: Connection(self.connections), sock=listening, backlog=BACKLOG
                )
                self.started = True
                while not (self._stopped.is_set() or self._instance.broken.is_set()):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._stopped.wait(), 1.0)
                    self._look_after_clients()
                accepting.close()
                self._instance.stop_streams()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._finish(loop), STOP_SECONDS)
                for task in self.connections.tasks:
                    task.cancel()

    def _look_after_clients(self) -> None:
        """What is done every second."""
        date = formatdate(self._instance.clock.now() / 1e6, usegmt=True).encode()
        self.connections.headers = [(b"date", date), (b"x-content-type-options", b"nosniff")]
        self.connections.cut_off_the_slow()

    async def _finish(self, loop: asyncio.AbstractEventLoop) -> None:
        """Returns when what is under way is answered, and clients that do not read or send are cut
        off. What waits for a store that does not answer fails."""
        loop.call_later(STOP_SECONDS - FAIL_WAITING_SECONDS, self._instance.fail_waiting)
        # Connections that were accepted at the last moment come later.
        await asyncio.sleep(STOP_PAUSE)
        while self.connections.open or self.connections.tasks:
            for connection in list(self.connections.open):
                connection.shutdown()
            self.connections.cut_off_the_slow(STOPPING_SHARE)
            await asyncio.sleep(STOP_PAUSE)

    @contextmanager
    def _signals_stop(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Signals to stop are for this server. In a thread of another program they are not."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        for number in SIGNALS:
            loop.add_signal_handler(number, self._stop_in_time, number)
        try:
            yield
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        if self._signal == signal.SIGINT:
            signal.raise_signal(signal.SIGINT)  # As a terminal expects.

    def _stop_in_time(self, number: int) -> None:
        """Stops, and ends the process even if the store does not answer: what is not on disk has
        not been acknowledged, and a thread that waits for it would block the end of the loop."""
        if self._signal is not None:
            return
        self._signal = number
        self.stop()
        killer = threading.Timer(STOP_SECONDS + CLOSE_SECONDS, os._exit, (128 + number,))
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


def _tune() -> None:
    """Tunes the interpreter for many short requests."""
    # Objects alive now live forever; collecting them again and again would delay responses.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    # The writer's thread and the event loop switch many times a transaction. At the default switch
    # interval of 5 ms a busy loop would delay the writer longer than the disk does.
    sys.setswitchinterval(SWITCH_SECONDS)
