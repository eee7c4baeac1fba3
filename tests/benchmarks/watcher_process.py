"""Watchers of one stream, in a process of their own: each on its own connection, all from the same
moment on. They check that no line is missing.

Orders come line by line on standard input, and each is answered with one line.
"""

import selectors
import socket
import sys
import time
from array import array
from typing import Literal

import msgspec
from msgspec import Struct

from service.server.descriptors import open_files

LINE = b'data: {"seq":'
RECEIVED_AT_ONCE = 64 * 1024
HEAD_END = b"\r\n\r\n"


class WatcherOrder(Struct, frozen=True):
    """An order. `open`: `count` more watchers of `path` come, from the local address `source`;
    `reach`: answer at once, and again
    when all have the line `seq`; `raw`: answer what the first one has received;
    `close`: all leave."""

    do: Literal["open", "reach", "raw", "close"]
    path: str = ""
    count: int = 0
    source: str = "127.0.0.1"
    after: int = 0
    seq: int = 0


class WatcherAnswer(Struct, frozen=True):
    """`arrived` is when each watcher had the line that was to be reached, by the monotonic clock;
    `raw` is everything that the first watcher has received after the head."""

    arrived: list[float] = []
    raw: bytes = b""


class Watcher:
    """One watcher. `last` is the number of its last line."""

    def __init__(self, connection: socket.socket, last: int, raw: bytearray | None) -> None:
        self.connection = connection
        self.last = last
        self._rest = b""
        self._raw = raw

    def receive(self) -> None:
        """Takes what has come. Raises ValueError if a line is missing, ConnectionError at the end
        of the stream."""
        came = self.connection.recv(RECEIVED_AT_ONCE)
        if not came:
            raise ConnectionError("the server has ended a stream")
        if self._raw is not None:
            self._raw += came
        *lines, self._rest = (self._rest + came).split(b"\n")
        for line in lines:
            if line.startswith(LINE):
                seq = int(line[len(LINE) : line.index(b",")])
                if seq != self.last + 1:
                    raise ValueError(f"line {seq} follows line {self.last}")
                self.last = seq


class WatcherProcess:
    """All watchers of this process, until standard input ends."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._selector = selectors.DefaultSelector()
        self._selector.register(sys.stdin.buffer, selectors.EVENT_READ)
        self._watchers: list[Watcher] = []
        self._raw = bytearray()
        self._wanted = 0
        self._missing = 0
        self._arrived = array("d")

    def run(self) -> None:
        """Receives, and follows orders."""
        while True:
            for key, _ in self._selector.select():
                if isinstance(key.data, Watcher):
                    self._receive(key.data)
                elif self._follow_order():
                    # The other events may be of watchers who have just left.
                    break
                else:
                    return

    def _receive(self, watcher: Watcher) -> None:
        before = watcher.last
        watcher.receive()
        if before < self._wanted <= watcher.last:
            self._arrived.append(time.monotonic())
            self._missing -= 1
            if not self._missing:
                self._say(WatcherAnswer(self._arrived.tolist()))

    def _follow_order(self) -> bool:
        line = sys.stdin.buffer.readline()
        if not line:
            return False
        order = msgspec.json.decode(line, type=WatcherOrder)
        match order.do:
            case "open":
                self._open(order)
            case "reach":
                self._reach(order.seq)
            case "raw":
                self._say(WatcherAnswer(raw=bytes(self._raw)))
            case "close":
                self._close()
        return True

    def _open(self, order: WatcherOrder) -> None:
        """Connects one after another; a stream is open when the head of its answer is there."""
        request = f"GET {order.path} HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n"
        for _ in range(order.count):
            connection = socket.create_connection(
                ("127.0.0.1", self._port), source_address=(order.source, 0)
            )
            connection.sendall(request.encode())
            received = b""
            while HEAD_END not in received:
                more = connection.recv(RECEIVED_AT_ONCE)
                assert more, received
                received += more
            assert received.startswith(b"HTTP/1.1 200"), received
            raw = self._raw if not self._watchers else None
            watcher = Watcher(connection, order.after, raw)
            self._watchers.append(watcher)
            self._selector.register(connection, selectors.EVENT_READ, watcher)
        self._say(WatcherAnswer())

    def _reach(self, seq: int) -> None:
        """Answers that the order was understood, and again when all have the line."""
        assert all(watcher.last < seq for watcher in self._watchers), "the line is there already"
        self._wanted, self._arrived = seq, array("d")
        self._missing = len(self._watchers)
        self._say(WatcherAnswer())

    def _close(self) -> None:
        for watcher in self._watchers:
            self._selector.unregister(watcher.connection)
            watcher.connection.close()
        self._watchers.clear()
        self._raw.clear()
        self._say(WatcherAnswer())

    def _say(self, answer: WatcherAnswer) -> None:
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    open_files()
    WatcherProcess(int(sys.argv[1])).run()
