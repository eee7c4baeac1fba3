"""Events behind a number, over connections that are renewed when they are cut."""

import time
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import Raw, Struct

from arbiter_client.answers import Event
from arbiter_client.calls import INCARNATION, Calls, successful
from arbiter_client.problems import WENT_BACK, Disconnected, HistoryWentBack, ProblemError
from arbiter_client.transport import Channel, Closed, NoSocket, Request

LASTING = 15.0
"""Seconds after which a connection was no failure, even if nothing came."""

TRIALS = 3
"""Attempts for a WebSocket by which nothing has come yet."""

BEYOND_LAST = 4409
"""The code with which a WebSocket is closed that begins behind events which are not there."""


class Replied(Struct, frozen=True):
    """The answer to an action that was sent by a WebSocket. `to` is its idempotency key; None where
    the service could not read one."""

    to: str | None
    status: int
    body: bytes


class End(Struct, frozen=True):
    """The match is over, and there was no event behind the number `seq`."""

    seq: int


Message = Event | Replied | End | None
"""What comes on a connection. None is what only a newer client understands."""


class Opened(NamedTuple):
    """An open connection, or None where the match is over and nothing is missing; and in which
    incarnation the service's records are."""

    channel: Channel | None
    incarnation: str | None


class Opening(Protocol):
    """How a connection is opened, and what comes on it is read."""

    @property
    def trials(self) -> int | None:
        """Attempts until something comes on it; None for as many as usual."""

    async def opened(self, calls: Calls, seq: int) -> Opened:
        """A connection on which the events behind `seq` come. Raises ProblemError, Disconnected."""

    def read(self, message: bytes) -> Message:
        """What came."""


class _Line(Struct, frozen=True):
    """A line, as far as it is known."""

    seq: int | None = None
    public_seq: int | None = None
    at: datetime | None = None
    type: str | None = None
    data: Any = None
    end: bool = False

    def message(self) -> Event | End | None:
        if self.seq is None:
            return None
        if self.end:
            return End(self.seq)
        if self.at is None or self.type is None:
            return None
        return Event(self.seq, self.at, self.type, self.data, self.public_seq)


class _Frame(Struct, frozen=True):
    """A message of a WebSocket, as far as it is known."""

    answer: str | None = None
    status: int | None = None
    body: Raw = Raw(b"null")
    line: _Line | None = None
    end: End | None = None


class Stream:
    """The stream of an audience, as lines of JSON."""

    trials = None

    def __init__(self, match: str, as_: str | None = None) -> None:
        self._path = f"{match}/stream"
        self._query = {} if as_ is None else {"as": as_}

    async def opened(self, calls: Calls, seq: int) -> Opened:
        headers = {"Accept": "application/x-ndjson", "Last-Event-ID": str(seq)}
        request = Request("GET", self._path, self._query, headers)
        answer, channel = await calls.transport.stream(calls.signed(request))
        return Opened(channel, successful(answer).headers.get(INCARNATION))

    def read(self, message: bytes) -> Message:
        return msgspec.json.decode(message, type=_Line).message()


class Socket:
    """The WebSocket of a seat."""

    trials = TRIALS

    def __init__(self, match: str) -> None:
        self._match = match

    async def opened(self, calls: Calls, seq: int) -> Opened:
        request = calls.signed(Request("GET", f"{self._match}/play", {"after": seq}))
        channel = await calls.transport.socket(request)
        try:
            # Asked behind the handshake: if nothing has changed by now, it is what was connected.
            answer = await calls.answer(Request("HEAD", self._match))
        except BaseException:
            await channel.close()
            raise
        return Opened(channel, answer.headers.get(INCARNATION))

    def read(self, message: bytes) -> Message:
        frame = msgspec.json.decode(message, type=_Frame)
        if frame.status is not None:
            return Replied(frame.answer, frame.status, bytes(frame.body))
        return frame.end if frame.line is None else frame.line.message()


class Feed:
    """An audience's events behind the number `seq`, each once; `over` is whether there will be no
    more, because the match is over. `incarnation` is that of the service's records."""

    def __init__(
        self, calls: Calls, opening: Opening, seq: int, incarnation: str | None = None
    ) -> None:
        self.seq = seq
        self.over = False
        self._calls = calls
        self._opening = opening
        self.incarnation = incarnation
        self._channel: Channel | None = None
        self._failures = 0
        self._trials = opening.trials
        self._since = 0.0

    @property
    def open(self) -> bool:
        """Whether there is a connection."""
        return self._channel is not None

    async def events(self) -> AsyncGenerator[Event, None]:
        """The events, to the end of the match."""
        try:
            while not self.over:
                message = await self.message()
                if isinstance(message, Event):
                    yield message
        finally:
            await self.close()

    async def message(self) -> Message:
        """The next message, or None: when the connection was cut, or what came is unknown or was
        there before. Raises ProblemError, HistoryWentBack, and Disconnected when it gives up."""
        channel = await self._connected()
        if channel is None:
            return None
        try:
            received = await channel.receive()
        except Disconnected as error:
            await self._lost(error)
            return None
        self._failures, self._trials = 0, None
        message = self._new(self._opening.read(received))
        if self.over:
            await self.close()
        return message

    async def send(self, message: str) -> bool:
        """Sends a message; returns False if the connection was cut, or the match is over."""
        channel = await self._connected()
        if channel is None:
            return False
        try:
            await channel.send(message)
        except Disconnected as error:
            await self._lost(error)
            return False
        return True

    async def close(self) -> None:
        """Closes the connection."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    def _new(self, message: Message) -> Message:
        if isinstance(message, End):
            self.over = True
        if isinstance(message, Event):
            if message.seq <= self.seq:
                return None
            self.seq = message.seq
        return message

    async def _connected(self) -> Channel | None:
        while self._channel is None and not self.over:
            try:
                channel, incarnation = await self._opening.opened(self._calls, self.seq)
            except (ProblemError, Disconnected) as error:
                await self._failed(error)
                continue
            self._channel, self._since = channel, time.monotonic()
            self.over = channel is None
            await self._compare(incarnation)
        return self._channel

    async def _compare(self, incarnation: str | None) -> None:
        if incarnation is None:
            return
        if self.incarnation not in (None, incarnation):
            await self.close()
            raise HistoryWentBack(WENT_BACK)
        self.incarnation = incarnation

    async def _lost(self, error: Disconnected) -> None:
        await self.close()
        code = error.code if isinstance(error, Closed) else None
        if code == BEYOND_LAST:
            raise HistoryWentBack(WENT_BACK)
        if time.monotonic() - self._since > LASTING:
            self._failures, self._trials = 0, None
        await self._failed(error)

    async def _failed(self, error: ProblemError | Disconnected) -> None:
        self._failures += 1
        if isinstance(error, NoSocket) or self._failures == self._trials:
            raise error
        await self._calls.pause_or_raise(self._failures, error)
