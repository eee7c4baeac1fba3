"""Readers of many streams, in a process of their own: some read everything, some little, some
nothing. A reader that is cut off reconnects after the last event that it has received completely,
and never leaves on its own without an order.

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

RECEIVE_BUFFER = 4_096
"""Receive buffer of a slow reader: unread bytes are to wait at the service."""

TICK = 0.25
"""Seconds between two reads of slow readers, in which they also notice whether they were cut
off."""

CONNECTED = "01"
"""How the kernel names a connection that neither side has closed."""


class Wanted(Struct, frozen=True):
    """A wanted reader: of which stream, from which of its events on, by default from now; and how
    many bytes a second it reads, by default everything."""

    name: str
    match: str
    audience: str
    key: str
    after: int | None = None
    pace: int | None = None


class Read(Struct):
    """A reader's result: the number of its last event and the digest of all, how often it was cut
    off, and whether the match is over. `begun` is when its first stream began; `at` is when each
    event came, if it reads everything. `wrong` says what was not as it must be."""

    last: int = 0
    digest: str = ""
    cut: int = 0
    over: bool = False
    begun: float = 0.0
    at: list[float] = []
    wrong: str = ""


class Order(Struct):
    """An order: `come` and `leave` are for some readers, `wake` is for all slow ones: from now on
    they read everything. `report` writes the `Read` of each to a file."""

    do: str
    readers: list[Wanted] = []
    to: str = ""


class Progress(Struct):
    """How many streams have begun, each reader's last event, and how often it was cut off; how many
    bytes all have read, and how many seconds of CPU time that took."""

    begun: int
    last: dict[str, int]
    cut: dict[str, int]
    bytes: int
    busy: float


class Reader:
    """One reader."""

    def __init__(self, wanted: Wanted, port: int, selector: selectors.BaseSelector) -> None:
        self.wanted = wanted
        self.read = Read(last=wanted.after or 0)
        self.bytes = 0
        self.slow = wanted.pace is not None
        self._port = port
        self._selector = selector
        self._digest = sha256()
        self._at = array("d")
        self.connect()

    def connect(self) -> None:
        """Requests the stream after the last event read."""
        self._rest = b""
        self._parser = httptools.HttpResponseParser(self)
        self._connection = connection = socket.socket()
        if self.slow:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        connection.connect(("127.0.0.1", self._port))
        connection.sendall(self._request())
        connection.setblocking(False)
        self.own_port = connection.getsockname()[1]
        self._attending = False
        if not self.slow:
            self.attend()

    def _request(self) -> bytes:
        wanted, last = self.wanted, f"Last-Event-ID: {self.read.last}\r\n"
        return (
            f"GET /v1/matches/{wanted.match}/stream?as={wanted.audience} HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {wanted.key}\r\nAccept: text/event-stream\r\n"
            f"{last if self.read.last or wanted.after is not None else ''}\r\n"
        ).encode()

    def attend(self) -> None:
        """Reads everything until this connection ends."""
        if not self._attending and not self.read.over:
            self._attending = True
            self._selector.register(self._connection, selectors.EVENT_READ, self)

    def wake(self) -> None:
        """From now on reads everything."""
        self.slow = False
        self.attend()

    def leave(self) -> None:
        """Leaves on its own."""
        if not self.read.over:
            self.read.over = True
            self._closed()

    def tick(self) -> None:
        """Reads a little, if it is a slow reader."""
        if self.wanted.pace and not self._attending and not self.read.over:
            self.receive(int(self.wanted.pace * TICK))

    def receive(self, most: int = AT_ONCE) -> None:
        """Reads the available bytes."""
        if self.read.over:
            return  # It has just left.
        came = b""
        with suppress(ConnectionResetError):
            try:
                came = self._connection.recv(most)
            except BlockingIOError:
                return
        self.bytes += len(came)
        if came:
            self._parser.feed_data(came)
        if self.read.over:
            self._closed()
        elif not came:
            self._closed()
            self.read.cut += 1
            self.connect()

    def _closed(self) -> None:
        if self._attending:
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
        if self.wanted.pace is None:
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
        due = time.monotonic()
        while self._going:
            for key, _ in self._selector.select(max(0.0, due - time.monotonic())):
                if isinstance(key.data, Reader):
                    key.data.receive()
                else:
                    self._follow_order()
            if time.monotonic() >= due:
                due = time.monotonic() + TICK
                self._tick()

    def _tick(self) -> None:
        slow = [reader for reader in self._readers.values() if reader.slow]
        connected = connections_at(self._port) if slow else set()
        for reader in slow:
            if reader.own_port in connected:
                reader.tick()
            else:
                # What was sent before it was cut off can still be read.
                reader.attend()

    def _follow_order(self) -> None:
        line = sys.stdin.buffer.readline()
        if not line:
            self._going = False
            return
        self._do(msgspec.json.decode(line, type=Order))
        sys.stdout.buffer.write(msgspec.json.encode(self._progress()) + b"\n")
        sys.stdout.buffer.flush()

    def _do(self, order: Order) -> None:
        match order.do:
            case "come":
                for wanted in order.readers:
                    self._readers[wanted.name] = Reader(wanted, self._port, self._selector)
            case "leave":
                for wanted in order.readers:
                    self._readers.pop(wanted.name).leave()
            case "wake":
                for reader in self._readers.values():
                    reader.wake()
            case "report":
                reads = {name: reader.reported() for name, reader in self._readers.items()}
                Path(order.to).write_bytes(msgspec.msgpack.encode(reads))

    def _progress(self) -> Progress:
        readers = self._readers.values()
        return Progress(
            sum(bool(reader.read.begun) for reader in readers),
            {reader.wanted.name: reader.read.last for reader in readers},
            {reader.wanted.name: reader.read.cut for reader in readers},
            sum(reader.bytes for reader in readers),
            time.process_time(),
        )


def connections_at(port: int) -> set[int]:
    """The remote ports of the connections to a local port that its own side has not closed."""
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, own, other, state, *_ = line.split()
        if state == CONNECTED and int(own.partition(":")[2], 16) == port:
            found.add(int(other.partition(":")[2], 16))
    return found


if __name__ == "__main__":
    open_files()
    Readers(int(sys.argv[1])).run()
