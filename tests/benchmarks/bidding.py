"""One table of Liar's Dice at a server, played bid by bid over one blocking connection.

Every bid adds the same number of public lines to the record, so its watchers know how many must
come.
"""

import socket
import time

from arbiter_client import Arbiter
from tests.benchmarks.http import KEY
from tests.benchmarks.load import request

NAMES = ("Ann", "Ben", "Cy", "Dee")
DICE = 6
FACES = 6
BIDS = len(NAMES) * DICE * FACES
"""Number of bids of a round, each higher than the one before; none is called."""


class RawConnection:
    """A connection that sends a request and blocks until the whole answer is there."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> "RawConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def answer(self, sent: bytes) -> bytes:
        """The body of the answer. Raises AssertionError if it is not 2xx."""
        self._socket.sendall(sent)
        received = b""
        while (head := received.find(b"\r\n\r\n")) < 0:
            received += self._more()
        length = int(received[:head].lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(received) < head + 4 + length:
            received += self._more()
        assert received[9:10] == b"2", received
        return received[head + 4 :]

    def _more(self) -> bytes:
        came = self._socket.recv(65_536)
        assert came, "the server has closed the connection"
        return came


class BiddingTable:
    """A started match of four with six dice each. `seq` is the number of public events so far."""

    def __init__(self, port: int) -> None:
        with Arbiter(f"http://127.0.0.1:{port}", KEY) as arbiter:
            made = arbiter.create_match("liars-dice", NAMES, {"dice": DICE})
            match = arbiter.match(made.id)
            match.start()
            self.id = made.id
            self._keys = [seat.key or "" for seat in made.seats]
            self._port = port
            self._connection = RawConnection(port)
            self._bids = 0
            before = match.view("public").seq
            self.bid()
            self.seq = match.view("public").seq
            self.lines_each = self.seq - before

    def __enter__(self) -> "BiddingTable":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.__exit__()

    @property
    def bids_left(self) -> int:
        """Number of bids that can still follow."""
        return BIDS - self._bids

    @property
    def stream(self) -> str:
        """The path of its public stream."""
        return f"/v1/matches/{self.id}/stream?as=public"

    def reconnect(self) -> None:
        """Takes a new connection: the server closes one that rests for some seconds."""
        self._connection.__exit__()
        self._connection = RawConnection(self._port)

    def bid(self) -> tuple[float, float]:
        """The next bid; the times at which it was sent and answered, by the monotonic clock."""
        count, face = divmod(self._bids, FACES)
        body = b'{"type":"bid","count":%d,"face":%d}' % (count + 1, face + 1)
        key = self._keys[self._bids % len(NAMES)]
        sent = request("POST", f"/v1/matches/{self.id}/actions", key, body)
        began = time.monotonic()
        self._connection.answer(sent)
        answered = time.monotonic()
        self._bids += 1
        if self._bids > 1:
            self.seq += self.lines_each
        return began, answered
