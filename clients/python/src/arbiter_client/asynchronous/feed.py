"""Events after a number, over connections that are renewed when they are cut."""

import time
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any

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
from arbiter_client.requests import INCARNATION, Request, only, successful

LASTING = 15.0
"""Seconds after which a connection was no failure, even if nothing came."""


class _Line(Struct, frozen=True):
    """A line of a stream, as far as it is known. With `end` the match is over, and there was no
    event after the number `seq`."""

    seq: int | None = None
    public_seq: int | None = None
    at: datetime | None = None
    type: str | None = None
    data: Any = None
    end: bool = False


class Feed:
    """The events after the number `seq` of an audience of the match at a path, each once; `over`
    is whether there will be no more, because the match is over. `incarnation` is that of the
    service's records. The events of the key's own audience show their `commitments`."""

    def __init__(
        self,
        calls: Calls,
        path: str,
        as_: str | None,
        seq: int,
        incarnation: str | None = None,
        commitments: Commitments | None = None,
    ) -> None:
        self.seq = seq
        self.over = False
        self._calls = calls
        self._path = f"{path}/stream"
        self._query = only(as_=as_)
        self._incarnation = incarnation
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
            channel = await self._connected()
        except HistoryWentBack:
            if self._commitments is not None:
                self._commitments.forget()
            raise
        if channel is None:
            return None
        try:
            received = await channel.receive()
        except Disconnected as error:
            await self.close()
            if time.monotonic() - self._since > LASTING:
                self._failures = 0
            await self._failed(error)
            return None
        self._failures = 0
        event = await self._read(received)
        if event is not None and self._commitments is not None:
            self._commitments.show(event)
        return event

    async def close(self) -> None:
        """Closes the connection."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    async def _read(self, received: bytes) -> Event | None:
        try:
            line = msgspec.json.decode(received, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NotUnderstood(str(error)) from error
        if line.end and line.seq is not None:
            self.over = True
            await self.close()
        elif line.at is not None and line.type is not None and (line.seq or 0) > self.seq:
            self.seq = line.seq or 0
            return Event(self.seq, line.at, line.type, line.data, line.public_seq)
        return None

    async def _connected(self) -> Channel | None:
        """The connection, which is opened if need be; None if the match is over."""
        while self._channel is None and not self.over:
            headers = {"Accept": "application/x-ndjson", "Last-Event-ID": str(self.seq)}
            request = self._calls.signed(Request("GET", self._path, self._query, headers))
            try:
                answer, self._channel = await self._calls.transport.stream(request)
                incarnation = successful(answer).headers.get(INCARNATION)
            except (ProblemError, Disconnected) as error:
                await self._failed(error)
                continue
            self._since = time.monotonic()
            self.over = self._channel is None
            if self._incarnation not in (None, incarnation) and incarnation is not None:
                await self.close()
                raise HistoryWentBack(WENT_BACK)
            self._incarnation = incarnation or self._incarnation
        return self._channel

    async def _failed(self, error: ProblemError | Disconnected) -> None:
        self._failures += 1
        await self._calls.pause_or_raise(self._failures, error)
