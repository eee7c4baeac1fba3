"""The web server: one process, one event loop."""

import gc
import socket
import sys
from types import FrameType

import msgspec
import uvicorn
from litestar.types import ASGIApp

from service.arbiter import Arbiter
from service.http.problems import MEDIA_TYPE, document
from service.operation.connections import Connection, Connections
from service.operation.requests import Watched
from service.operation.watcher import NOBODY, Watcher

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
"""How many seconds requests under way are given when the service stops."""


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


class Server(uvicorn.Server):
    """Tells open streams to end before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, arbiter: Arbiter) -> None:
        super().__init__(config)
        self._arbiter = arbiter
        self.connections = self.server_state = Connections()

    async def on_tick(self, counter: int) -> bool:
        """Stops when the instance has broken: whoever runs it starts it anew."""
        if counter % TICKS_A_SECOND == 0:
            self.connections.cut_off_the_slow()
        return await super().on_tick(counter) or self._arbiter.broken.is_set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._arbiter.stop_streams()
        super().handle_exit(sig, frame)


def bind(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 takes a free one. Raises OSError with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_SENDING)
    return bound


def make_server(app: ASGIApp, arbiter: Arbiter, watcher: Watcher = NOBODY) -> Server:
    """A server for the application. Nothing of a request or its answer is logged; `watcher` is told
    of every answer."""
    config = uvicorn.Config(
        app if watcher is NOBODY else Watched(app, watcher),
        http=Protocol,
        loop="none",
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=PATIENCE,
        backlog=BACKLOG,
    )
    # What is alive by now lives for ever; collecting it again and again costs the slowest answers.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    # The writer's thread takes turns with the event loop many times a transaction; at the default
    # of 5 ms a turn, a busy loop would keep it waiting longer than the disk does.
    sys.setswitchinterval(TURN_SECONDS)
    return Server(config, arbiter)
