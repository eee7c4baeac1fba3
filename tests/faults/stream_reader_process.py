"""Readers of many streams, in a process of their own. A reader that is cut off reconnects after the
last event that it has received completely.

It takes orders line by line on standard input, and answers each line with one.
"""

import selectors
import socket
import sys
import time
from array import array
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import httptools
import msgspec
from msgspec import Struct

from service.server.descriptors import open_files

AT_ONCE = 256 * 1024
"""Maximum bytes to read before it is another reader's turn."""


class Wanted(Struct, frozen=True):
    """A wanted reader: of which stream, and from which of its events on."""

    name: str
    match: str
    audience: str
    key: str
    after: int


class Read(Struct):
    """A reader's result: the number of its last event and the digest of all, how often it was cut
    off, and whether the match is over. `begun` is when its first stream began; `at` is when each
    event came. `wrong` says what was not as it must be."""

    last: int = 0
    digest: str = ""
    cut: int = 0
    over: bool = False
    begun: float = 0.0
    at: list[float] = []
    wrong: str = ""


class Order(Struct):
    """An order: `come` is for some readers. `report` writes the `Read` of each to a file."""

    do: str
    readers: list[Wanted] = []
    to: str = ""


class Progress(Struct):
    """How many streams have begun, each reader's last event, and how often it was cut off."""

    begun: int
    last: dict[str, int]
    cut: dict[str, int]


class Reader:
    """One reader."""

    def __init__(self, wanted: Wanted, port: int, selector: selectors.BaseSelector) -> None:
        self.wanted = wanted
        self.read = Read(last=wanted.after)
        self._port = port
        self._selector = selector
        self._digest = sha256()
        self._at = array("d")
        self.connect()

    def connect(self) -> None:
        """Requests the stream after the last event read."""
        self._rest = b""
        self._parser = httptools.HttpResponseParser(self)
        self._connection = socket.create_connection(("127.0.0.1", self._port))
        self._connection.sendall(self._request())
        self._connection.setblocking(False)
        self._selector.register(self._connection, selectors.EVENT_READ, self)

    def _request(self) -> bytes:
        wanted = self.wanted
        return (
            f"GET /v1/matches/{wanted.match}/stream?as={wanted.audience} HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {wanted.key}\r\nAccept: text/event-stream\r\n"
            f"Last-Event-ID: {self.read.last}\r\n\r\n"
        ).encode()

    def receive(self) -> None:
        """Reads the available bytes."""
        came = b""
        with suppress(ConnectionResetError):
            try:
                came = self._connection.recv(AT_ONCE)
            except BlockingIOError:
                return
        if came:
            self._parser.feed_data(came)
        if self.read.over:
            self._closed()
        elif not came:
            self._closed()
            self.read.cut += 1
            self.connect()

    def _closed(self) -> None:
        self._selector.unregister(self._connection)
        self._connection.close()

    def reported(self) -> Read:
        """The reader's result."""
        self.read.digest, self.read.at = self._digest.hexdigest(), self._at.tolist()
        return self.read

    # Callbacks of the parser.

    def on_headers_complete(self) -> None:
        self.read.begun = self.read.begun or time.monotonic()
        status = self._parser.get_status_code()
        # 204 is the answer to a reader that was cut off after the last event.
        if status not in (200, 204):
            self.read.wrong = f"answered {status}"

    def on_body(self, body: bytes) -> None:
        *events, self._rest = (self._rest + body).split(b"\n\n")
        now = time.monotonic()
        for event in events:
            if event.startswith(b"id: "):
                self._take(event, now)
            elif event.startswith(b"event: end\n"):
                self._check_end(event)

    def on_message_complete(self) -> None:
        self.read.over = True

    def _check_end(self, event: bytes) -> None:
        if event != b'event: end\ndata: {"seq":%d}' % self.read.last:
            self.read.wrong = f"it ended behind {self.read.last} with {event.decode()}"

    def _take(self, event: bytes, now: float) -> None:
        seq = int(event[4 : event.index(b"\n")])
        if self.read.last and seq != self.read.last + 1:
            self.read.wrong = f"{seq} follows {self.read.last}"
        self.read.last = seq
        self._digest.update(event)
        self._at.append(now)


class Readers:
    """All readers, until standard input ends."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._selector = selectors.DefaultSelector()
        self._readers: dict[str, Reader] = {}
        self._going = True

    def run(self) -> None:
        """Reads, and follows orders."""
        self._selector.register(sys.stdin.buffer, selectors.EVENT_READ)
        while self._going:
            for key, _ in self._selector.select():
                if isinstance(key.data, Reader):
                    key.data.receive()
                else:
                    self._follow_order()

    def _follow_order(self) -> None:
        line = sys.stdin.buffer.readline()
        if not line:
            self._going = False
            return
        self._do(msgspec.json.decode(line, type=Order))
        sys.stdout.buffer.write(msgspec.json.encode(self._progress()) + b"\n")
        sys.stdout.buffer.flush()

    def _do(self, order: Order) -> None:
        for wanted in order.readers:
            self._readers[wanted.name] = Reader(wanted, self._port, self._selector)
        if order.do == "report":
            reads = {name: reader.reported() for name, reader in self._readers.items()}
            Path(order.to).write_bytes(msgspec.msgpack.encode(reads))

    def _progress(self) -> Progress:
        readers = self._readers.values()
        return Progress(
            sum(bool(reader.read.begun) for reader in readers),
            {reader.wanted.name: reader.read.last for reader in readers},
            {reader.wanted.name: reader.read.cut for reader in readers},
        )


if __name__ == "__main__":
    open_files()
    Readers(int(sys.argv[1])).run()
