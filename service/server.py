"""The web server: one process, one event loop."""

import asyncio
import gc
import math
import os
import signal
import socket
import sys
import threading
import time
import typing
from collections.abc import Callable
from email.utils import formatdate
from types import FrameType

import msgspec
import uvicorn
from litestar.types import ASGIApp

from service.http.problems import MEDIA_TYPE, document
from service.operation.connections import Connection, Connections
from service.operation.requests import RequestLog, Watched
from service.watcher import NOBODY, Watcher

BACKLOG = 2048

TICKS_A_SECOND = 10

TURN_SECONDS = 0.0002

HEAD_LIMIT = 64 * 1024
THROWN_AWAY = 1024 * 1024
LISTENING_SECONDS = 5.0
"""So much, and for so long, is read of an endless head after it has been answered."""

_document = msgspec.json.encode(document("head_too_large"))
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n"
    b"content-type: %b\r\ncontent-length: %d\r\n\r\n%b"
    % (MEDIA_TYPE.encode(), len(_document), _document)
)

MOST_SENDING = 128 * 1024
"""So much waits in the system's own memory for a reader, before it waits in ours."""

PATIENCE = 8
"""How many seconds it may take to stop."""

LAST_ANSWERS = 1.0
"""So long before its patience ends, whoever waits for the store is told to try again elsewhere."""

CLOSING = 2.0
"""And so long afterwards it goes whether or not it has been able to close its store."""

ONCE_SECONDS = 0.5
"""Whatever tells it within so short a time tells it once: a service manager may tell every process,
and a process its children, too."""

HURRY = 1 / 30
"""Such a share of their time those have who are slow while the service stops: a second."""


class Protocol(Connection):
    """Reads requests, but no endless ones: a head that does not end is answered 431.

    What still comes of it is read on for a while and thrown away: a sender that is cut off in the
    middle may never hear why.
    """

    _reading_head = True
    _unfinished = 0
    _refused = False

    def feed(self, data: bytes) -> None:
        self._unfinished += len(data)
        if self._refused:
            if self._unfinished > THROWN_AWAY:
                self.transport.close()
            return
        super().feed(data)
        # Whatever ended a head, or belongs to a body, is not part of an endless head.
        if self._reading_head and self._unfinished > HEAD_LIMIT and not self.transport.is_closing():
            self._refuse()

    def _refuse(self) -> None:
        if self.answering:
            # In the middle of the answer to an earlier request nothing can be said.
            self.cut_off()
            return
        self._refused = True
        self.transport.write(TOO_LARGE)
        self.transport.write_eof()
        self.loop.call_later(LISTENING_SECONDS, self.transport.close)

    def on_headers_complete(self) -> None:
        self._reading_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._reading_head, self._unfinished = True, 0
        super().on_message_complete()


class Served(typing.Protocol):
    """What a server answers for."""

    @property
    def broken(self) -> asyncio.Event:
        """Set when it can promise nothing any more."""

    def stop_streams(self) -> None:
        """Ends every open stream."""

    def give_up(self) -> None:
        """Tells whoever waits that nobody knows what becomes of it."""


class Server(uvicorn.Server):
    """Told to stop, it tells open streams to end, answers what is under way and then closes; told a
    second time it goes at once: whatever was acknowledged is on disk."""

    def __init__(
        self, config: uvicorn.Config, service: Served, leaving: float, now: Callable[[], int]
    ) -> None:
        super().__init__(config)
        self._service = service
        self._now = now
        self._leaving = leaving
        self._told: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.connections = self.server_state = Connections()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Stops when the instance has broken: whoever runs it starts it anew."""
        if counter % TICKS_A_SECOND == 0:
            self.connections.cut_off_the_slow()
        stops = await super().on_tick(counter)
        if counter % TICKS_A_SECOND == 0:
            date = formatdate(self._now() / 1e6, usegmt=True).encode()
            self.server_state.default_headers = [(b"date", date), *self.config.encoded_headers]
        return stops or self._service.broken.is_set()

    async def main_loop(self) -> None:
        await super().main_loop()
        if self._told is not None:
            # Not ready any more, but whoever sends requests here may not have seen it yet.
            await asyncio.sleep(self._leaving)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        hurrying = asyncio.create_task(self._hurry())
        try:
            await super().shutdown(sockets)
        finally:
            hurrying.cancel()

    async def _hurry(self) -> None:
        """Nobody is waited for who does not read or send."""
        while True:
            # One that was made at the very moment of stopping has not been told yet.
            for connection in list(self.connections.connections):
                connection.shutdown()
            self.connections.cut_off_the_slow(HURRY)
            await asyncio.sleep(1 / TICKS_A_SECOND)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._told is not None:
            if time.monotonic() - self._told > ONCE_SECONDS:
                os._exit(128 + sig)
            return
        self._told = time.monotonic()
        if self._loop is not None:
            # This comes between any two steps of the loop's own work.
            self._loop.call_soon_threadsafe(self._stop_in_time, sig)
        if sig == signal.SIGTERM:
            self.should_exit = True
        else:
            # The framework raises it again at the end: who runs this in a terminal wants to know.
            super().handle_exit(sig, frame)

    def _stop_in_time(self, sig: int) -> None:
        """Whatever the store does: what is not on disk has not been acknowledged. Within another
        program, in a thread of it, that program says when it ends."""
        self._service.stop_streams()
        patience = self._leaving + (self.config.timeout_graceful_shutdown or PATIENCE)
        asyncio.get_running_loop().call_later(patience - LAST_ANSWERS, self._service.give_up)
        if threading.current_thread() is threading.main_thread():
            # A thread that waits for the store would hold up the end of the loop, too.
            gone = threading.Timer(patience + CLOSING, os._exit, (128 + sig,))
            gone.daemon = True
            gone.start()


def bind(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 takes a free one. Raises OSError with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_SENDING)
    return bound


def wall() -> int:
    """The wall clock's time, in microseconds since 1970."""
    return time.time_ns() // 1000


def make_server(
    app: ASGIApp,
    service: Served,
    watcher: Watcher = NOBODY,
    leaving: float = 0.0,
    log: RequestLog | None = None,
    now: Callable[[], int] = wall,
) -> Server:
    """A server for the application. `watcher` and `log` are told of every answer. Told to stop, it
    still takes requests for `leaving` seconds. `now` is the time that answers tell."""
    config = uvicorn.Config(
        app if watcher is NOBODY and log is None else Watched(app, watcher, log),
        http=Protocol,
        loop="none",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=max(1, PATIENCE - math.ceil(leaving)),
        backlog=BACKLOG,
    )
    # What is alive by now lives for ever; collecting it again and again costs the slowest answers.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    # The writer's thread takes turns with the event loop many times a transaction; at the default
    # of 5 ms a turn, a busy loop would keep it waiting longer than the disk does.
    sys.setswitchinterval(TURN_SECONDS)
    return Server(config, service, leaving, now)
