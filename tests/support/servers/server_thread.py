"""A server in a thread of the tests, on a loop and a port of its own."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvloop

from service.server.web_server import Server, bind
from tests.support.http import local_http

PATIENCE = 20.0


@contextmanager
def running(server: Server) -> Iterator[tuple[asyncio.AbstractEventLoop, str]]:
    """The loop of a running server, and its address; it has stopped when the context exits."""
    loop = uvloop.new_event_loop()
    with bind("127.0.0.1", 0) as address:
        thread = threading.Thread(
            target=_serve, args=(server, address, loop), name="server", daemon=True
        )
        thread.start()
        try:
            yield loop, f"http://127.0.0.1:{address.getsockname()[1]}"
        finally:
            loop.call_soon_threadsafe(_stop, server)
            thread.join(PATIENCE)
    assert not thread.is_alive(), "the server did not stop"


def client_of(url: str) -> httpx.Client:
    limits = httpx.Limits(max_connections=200)
    return local_http.client(url, timeout=PATIENCE, limits=limits)


def _serve(server: Server, address: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(server.serve(address))


def _stop(server: Server) -> None:
    server.stop()
