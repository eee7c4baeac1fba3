"""A seat's WebSocket as a client has it: the library's own, in the thread of the test."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.support.servers.live_server import Json, Player

SILENCE = 10.0
"""Seconds without a message after which a socket has failed."""


class PlaySocket:
    """An open WebSocket of a seat. `lines` has the lines received, `texts` every message as sent,
    `end` the number in the message of the end."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.lines: list[Json] = []
        self.texts: list[str] = []
        self.end: int | None = None
        self._answers: dict[str | None, Json] = {}
        self._ids = count(1)

    def send(self, action: Any, to: str | None = None, **more: Any) -> str:
        """Sends an action, by default under an id of its own; returns the id."""
        sent = to or f"k{next(self._ids)}"
        self.connection.send(json.dumps({"id": sent, "action": action, **more}))
        return sent

    def act(self, action: Any, to: str | None = None, **more: Any) -> Json:
        """Sends an action and returns its answer, after the lines before it."""
        return self.answer(self.send(action, to, **more))

    def answer(self, to: str | None) -> Json:
        """The answer to the message with this id."""
        while to not in self._answers:
            self.take()
        return self._answers.pop(to)

    def take(self) -> Json:
        """The next message, whatever it is. Raises ConnectionClosed at the end."""
        text = self.connection.recv(SILENCE)
        assert isinstance(text, str), "text frames only"
        self.texts.append(text)
        message: Json = json.loads(text)
        if "line" in message:
            assert set(message) == {"line"}
            self.lines.append(message["line"])
        elif "end" in message:
            assert set(message) == {"end"} and set(message["end"]) == {"seq"}
            self.end = message["end"]["seq"]
        else:
            assert list(message) == ["answer", "status", "body"]
            self._answers[message["answer"]] = message
        return message

    def follow_to(self, seq: int) -> None:
        """Receives until the line with this number is there."""
        while not (self.lines and self.lines[-1]["seq"] >= seq):
            self.take()

    def _take_all(self) -> None:
        while True:
            self.take()

    def closed(self) -> int:
        """Receives to the end; returns the close code."""
        with pytest.raises(ConnectionClosed) as error:
            self._take_all()
        assert error.value.rcvd is not None, "closed without a close frame"
        return error.value.rcvd.code


def play_url(player: Player, **query: Any) -> str:
    asked = "&".join(f"{name}={value}" for name, value in query.items() if value is not None)
    base = str(player.client.http.base_url).replace("http://", "ws://").rstrip("/")
    return f"{base}{player.path}/play?{asked}"


@contextmanager
def playing(
    player: Player, *, origin: str | None = None, key: bool = True, **query: Any
) -> Iterator[PlaySocket]:
    """A socket of the seat, with its key unless a ticket is in the query. Raises InvalidStatus when
    the handshake is answered otherwise than 101."""
    headers = player.client.headers() if key else {}
    with connect(
        play_url(player, **query),
        additional_headers=headers,
        origin=origin,  # type: ignore[arg-type]
        proxy=None,
        compression=None,
        max_size=None,
        ping_interval=None,
    ) as connection:
        yield PlaySocket(connection)
