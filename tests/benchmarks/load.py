"""A closed loop of connections to a server: each sends its next request when it has its answer.

Requests are written to raw sockets, so that the generator costs a fraction of what it measures.
"""

import asyncio
import time
from collections.abc import Callable
from typing import cast

import msgspec
from msgspec import Struct

Next = Callable[[bytes], bytes | None]
"""From the body of the answer before (empty at first) to the next request; None ends the loop."""


class Outcome(Struct):
    """The result of a run: answers, total seconds, seconds of each, and answers that were not
    2xx."""

    answers: int
    seconds: float
    latencies: list[float]
    failed: int

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds

    def percentile(self, share: float) -> float:
        """The latency, in seconds, under which `share` of the answers stayed."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def request(
    method: str,
    path: str,
    key: str | None = None,
    body: bytes = b"",
    accept_encoding: str | None = None,
) -> bytes:
    """An HTTP/1.1 request as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n"
    if body:
        head += "Content-Type: application/json\r\n"
    if key is not None:
        head += f"Authorization: Bearer {key}\r\n"
    if accept_encoding is not None:
        head += f"Accept-Encoding: {accept_encoding}\r\n"
    return head.encode() + b"\r\n" + body


class _Connection(asyncio.Protocol):
    def __init__(self, following: Next, until: float, outcome: Outcome) -> None:
        self._following = following
        self._until = until
        self._outcome = outcome
        self._buffer = b""
        self._sent = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._send(b"")

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        length = _content_length(self._buffer[:head])
        if len(self._buffer) < head + 4 + length:
            return
        body = self._buffer[head + 4 : head + 4 + length]
        if self._buffer[9:10] != b"2":
            self._outcome.failed += 1
        self._buffer = self._buffer[head + 4 + length :]
        now = time.perf_counter()
        self._outcome.answers += 1
        self._outcome.latencies.append(now - self._sent)
        if now < self._until:
            self._send(body)
        else:
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()

    def _send(self, body: bytes) -> None:
        following = self._following(body)
        if following is None:
            self._end()
            return
        self._sent = time.perf_counter()
        self._transport.write(following)

    def _end(self) -> None:
        if not self.done.done():
            self.done.set_result(None)
            self._transport.close()


def _content_length(head: bytes) -> int:
    at = head.lower().find(b"content-length:")
    return 0 if at < 0 else int(head[at + 15 :].split(b"\r\n", 1)[0])


async def run(port: int, players: list[Next], seconds: float) -> Outcome:
    """Runs every player on a connection of its own for this long; returns the result."""
    loop = asyncio.get_running_loop()
    outcome = Outcome(0, 0.0, [], 0)
    began = time.perf_counter()
    connections = []
    for player in players:
        _, connection = await loop.create_connection(
            lambda player=player: _Connection(player, began + seconds, outcome),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        connections.append(connection)
    await asyncio.gather(*(connection.done for connection in connections))
    outcome.seconds = time.perf_counter() - began
    return outcome


class Turn(Struct):
    """The part of a view that a player reads; `to_act` is None when the match is over."""

    phase: str
    to_act: int | None = None
    placed: bool = False


class _Seen(Struct):
    view: Turn


class _Answer(Struct):
    view: _Seen


_decoder = msgspec.json.Decoder(_Answer)


def turn_answered(body: bytes) -> Turn:
    """The turn after an action, from its answer."""
    return _decoder.decode(body).view.view


class Table(Struct):
    """A match of Dollar Prize that has been started, and its seats' keys."""

    id: str
    keys: list[str]


class DollarPlayer:
    """Plays both seats of one match after another, with pennies, following the answers."""

    def __init__(self, tables: list[Table]) -> None:
        self._tables = tables
        self._table: Table | None = None
        self.played = 0

    def __call__(self, body: bytes) -> bytes | None:
        turn = turn_answered(body) if body else None
        if turn is None or turn.to_act is None:
            if not self._tables:
                return None
            self._table = self._tables.pop()
            return self._act(0, b'{"type":"choose_side","side":"heads"}')
        return self._act(turn.to_act, _MOVES[turn.phase, turn.placed])

    def _act(self, seat: int, action: bytes) -> bytes:
        assert self._table is not None
        self.played += 1
        path = f"/v1/matches/{self._table.id}/actions"
        return request("POST", path, self._table.keys[seat], action)


_MOVES = {
    ("choose_side", False): b'{"type":"choose_side","side":"heads"}',
    ("turn", False): b'{"type":"place","coin":"penny"}',
    ("turn", True): b'{"type":"end_turn"}',
    ("exchange", False): b'{"type":"keep"}',
}
