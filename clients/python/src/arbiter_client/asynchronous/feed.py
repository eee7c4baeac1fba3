"""Events behind a number, over connections that are renewed when they are cut."""

import time
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from arbiter_client.answers import Event
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.asynchronous.commitments import Commitments
from arbiter_client.asynchronous.transport import Channel
from arbiter_client.problems import (
    WENT_BACK,
    Disconnected,
    HistoryWentBack,
    NotUnderstood,
    ProblemError,
)
from arbiter_client.requests import INCARNATION, Request, successful

LASTING = 15.0
"""Seconds after which a connection was no failure, even if nothing came."""


class End(Struct, frozen=True):
    """The match is over, and there was no event behind the number `seq`."""

    seq: int


class Opened(NamedTuple):
    """An open connection, or None where the match is over and nothing is missing; and in which
    incarnation the service's records are."""

    channel: Channel | None
    incarnation: str | None


class _Line(Struct, frozen=True):
    """A line, as far as it is known."""

    seq: int | None = None
    public_seq: int | None = None
    at: datetime | None = None
    type: str | None = None
    data: Any = None
    end: bool = False

    def read(self) -> Event | End | None:
        if self.seq is None:
            return None
        if self.end:
            return End(self.seq)
        if self.at is None or self.type is None:
            return None
        return Event(self.seq, self.at, self.type, self.data, self.public_seq)


class Stream:
    """The stream of an audience, as lines of JSON."""

    def __init__(self, match: str, as_: str | None = None) -> None:
        self._path = f"{match}/stream"
        self._query = {} if as_ is None else {"as": as_}

    async def opened(self, calls: Calls, seq: int) -> Opened:
        """A connection on which the events behind `seq` come. Raises ProblemError, Disconnected."""
        headers = {"Accept": "application/x-ndjson", "Last-Event-ID": str(seq)}
        request = Request("GET", self._path, self._query, headers)
        answer, channel = await calls.transport.stream(calls.signed(request))
        return Opened(channel, successful(answer).headers.get(INCARNATION))

    def read(self, line: bytes) -> Event | End | None:
        """What came. None is what only a newer client understands."""
        try:
            return msgspec.json.decode(line, type=_Line).read()
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NotUnderstood(str(error)) from error


class Feed:
    """An audience's events behind the number `seq`, each once; `over` is whether there will be no
    more, because the match is over. `incarnation` is that of the service's records. The events of
    the key's own audience show their `commitments`."""

    def __init__(
        self,
        calls: Calls,
        stream: Stream,
        seq: int,
        incarnation: str | None = None,
        commitments: Commitments | None = None,
    ) -> None:
        self.seq = seq
        self.over = False
        self._calls = calls
        self._stream = stream
        self.incarnation = incarnation
        self._commitments = commitments
        self._channel: Channel | None = None
        self._failures = 0
        self._since = 0.0

    async def events(self) -> AsyncGenerator[Event, None]:
        """The events, to the end of the match."""
        try:
            while not self.over:
                event = await self.event()
                if event is not None:
                    yield event
        finally:
            await self.close()

    async def event(self) -> Event | None:
        """The next event, or None: when the connection was cut, or what came is unknown or was
        there before. Raises ProblemError, HistoryWentBack, and Disconnected when it gives up."""
        try:
            event = await self._event()
        except HistoryWentBack:
            if self._commitments is not None:
                self._commitments.forget()
            raise
        if event is not None and self._commitments is not None:
            self._commitments.show(event)
        return event

    async def _event(self) -> Event | None:
        channel = await self._connected()
        if channel is None:
            return None
        try:
            received = await channel.receive()
        except Disconnected as error:
            await self._lost(error)
            return None
        self._failures = 0
        event = self._new(self._stream.read(received))
        if self.over:
            await self.close()
        return event

    async def close(self) -> None:
        """Closes the connection."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    def _new(self, read: Event | End | None) -> Event | None:
        if isinstance(read, End):
            self.over = True
        if not isinstance(read, Event) or read.seq <= self.seq:
            return None
        self.seq = read.seq
        return read

    async def _connected(self) -> Channel | None:
        while self._channel is None and not self.over:
            try:
                channel, incarnation = await self._stream.opened(self._calls, self.seq)
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
        if time.monotonic() - self._since > LASTING:
            self._failures = 0
        await self._failed(error)

    async def _failed(self, error: ProblemError | Disconnected) -> None:
        self._failures += 1
        await self._calls.pause_or_raise(self._failures, error)
