"""A seat's play: what it is told and what it does, on one connection."""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol

import msgspec

from arbiter_client.answers import Action, Event, Taken, View
from arbiter_client.calls import Calls, condition, new_key
from arbiter_client.feed import Feed, Message, Replied, Socket, Stream
from arbiter_client.problems import Disconnected, ProblemError, Refused, problem_of

LARGEST = 64 * 1024
"""Bytes of the largest message of a WebSocket."""


class Acting(Protocol):
    """Sends an action by a request of its own."""

    def __call__(
        self, action: Action, *, key: str | None = None, if_match: View | str | None = None
    ) -> Awaitable[Taken]: ...


class AsyncPlay:
    """A seat at a match: iterate for its events, each once, and `act` in between.

    It is a WebSocket, or where none can be had a stream, with requests for the actions. It is for
    one task at a time.
    """

    def __init__(
        self,
        calls: Calls,
        match: str,
        view: View,
        act: Acting,
        kept: Callable[[Taken | Refused], object],
    ) -> None:
        self._calls = calls
        self._match = match
        self._act = act
        self._kept = kept
        self._feed = Feed(calls, Socket(match), view.seq, view.incarnation)
        self._by_socket = True
        self._events: deque[Event] = deque()

    @property
    def by_socket(self) -> bool:
        """Whether it is a WebSocket."""
        return self._by_socket

    async def __aenter__(self) -> "AsyncPlay":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection."""
        await self._feed.close()

    async def __aiter__(self) -> AsyncGenerator[Event, None]:
        while self._events or not self._feed.over:
            if self._events:
                yield self._events.popleft()
            else:
                await self._message()

    async def act(
        self, action: Action, *, key: str | None = None, if_match: View | str | None = None
    ) -> Taken:
        """Sends an action, as `AsyncMatch.act` does."""
        key, seen = key or new_key(), condition(if_match)
        frame = {"id": key, "action": action} | ({} if seen is None else {"if_match": seen})
        message = msgspec.json.encode(frame)
        taken = None
        if self._by_socket and len(message) <= LARGEST:
            taken = await self._sent(message.decode(), key)
        return taken or await self._act(action, key=key, if_match=if_match)

    async def _sent(self, message: str, key: str) -> Taken | None:
        """What the action in a message is answered; None if it cannot be sent by a WebSocket."""
        failures = 0
        while self._by_socket and not self._feed.over:
            try:
                replied = await self._reply(message, key)
                if replied is not None:
                    return self._taken(replied)
            except Refused as refused:
                self._kept(refused)
                raise
            except ProblemError as error:
                failures += 1
                await self._calls.pause_or_raise(failures, error)
            except Disconnected:
                await self._fall_back()
        return None

    async def _reply(self, message: str, key: str) -> Replied | None:
        """The answer to a message; None if the connection was cut before it came."""
        if not await self._feed.send(message):
            return None
        while self._feed.open:
            received = await self._message()
            if isinstance(received, Replied) and received.to in (key, None):
                return received
        return None

    async def _message(self) -> Message:
        """The next message; events are kept until somebody asks for them."""
        try:
            message = await self._feed.message()
        except Disconnected:
            if not self._by_socket:
                raise
            await self._fall_back()
            return None
        if isinstance(message, Event):
            self._events.append(message)
        return message

    async def _fall_back(self) -> None:
        """Goes on with a stream."""
        await self._feed.close()
        self._by_socket = False
        self._feed = Feed(self._calls, Stream(self._match), self._feed.seq, self._feed.incarnation)

    def _taken(self, replied: Replied) -> Taken:
        if replied.status >= 400:
            raise problem_of(replied.status, {}, replied.body)
        taken = msgspec.json.decode(replied.body, type=Taken)
        self._kept(taken)
        return taken
