"""A connection between a client and PostgreSQL that can be cut when a request has been carried
out."""

import contextlib
import socket
import threading
from pathlib import Path
from typing import Self

SOCKET = ".s.PGSQL.5432"


class PostgresProxy:
    """Forwards bytes from a socket in `folder` to the server whose socket is in `server`.

    `requests` counts the client's requests.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self._server = f"{server}/{SOCKET}"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / SOCKET))
        self._listener.listen()
        self._losing = threading.Event()
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._let_in)]
        self.requests = 0

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._open):
            _hang_up(one)
        for thread in self._threads:
            thread.join()
        for one in (self._listener, *self._open):
            one.close()

    def lose_the_next_answer(self) -> None:
        """The next request arrives and is carried out; instead of its answer the connection goes
        dead."""
        self._losing.set()

    def _let_in(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._open += [client, server]
            for carry in (self._forward_requests, self._answer):
                thread = threading.Thread(target=carry, args=(client, server))
                thread.start()
                self._threads.append(thread)

    def _forward_requests(self, client: socket.socket, server: socket.socket) -> None:
        while said := _received(client):
            self.requests += 1
            _say(server, said)
        _hang_up(server)

    def _answer(self, client: socket.socket, server: socket.socket) -> None:
        while said := _received(server):
            if self._losing.is_set():
                self._losing.clear()
                break
            _say(client, said)
        _hang_up(client)


def _received(one: socket.socket) -> bytes:
    try:
        return one.recv(65_536)
    except OSError:
        return b""


def _say(one: socket.socket, what: bytes) -> None:
    with contextlib.suppress(OSError):
        one.sendall(what)


def _hang_up(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
