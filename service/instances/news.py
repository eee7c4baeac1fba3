"""News between instances: that a match has some, by way of Redis, and nothing else.

A lost word delays a reader until its next look and does nothing else: readers read the log.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as TooSlow

from service.instances.hub import Hub
from service.instances.link import Failures

CHANNEL = "arbiter.news.1"

MOST_WAITING = 4_096
"""So many matches wait to be told of; of more nothing is told, and readers find out themselves."""

PING_SECONDS = 1.0
DEAF_SECONDS = 3.0
"""A subscription that has not answered for so long is cut off, whatever its connection says."""

ANSWER_SECONDS = 1.0
AGAIN_SECONDS = 0.5
RETRIES = 3
"""More would be too many: a backoff that doubles a thousand times overflows, and so a reader that
tries again for ever by itself is dead after a quarter of an hour."""

_ID = 16


class News:
    """Tells other instances of matches that have grown, and wakes the readers of this one when
    others tell it. `run` keeps it going."""

    def __init__(self, url: str, hub: Hub) -> None:
        self._url = url
        self.hub = hub
        self._own = uuid4().bytes
        self._waiting: set[UUID] = set()
        self._told = asyncio.Event()
        self._subscribed = False
        self._heard = 0.0

    @property
    def alive(self) -> bool:
        """Whether the subscription stands, and has answered lately."""
        return self._subscribed and time.monotonic() - self._heard < DEAF_SECONDS

    @property
    def waiting(self) -> int:
        """Of how many matches others are still to be told."""
        return len(self._waiting)

    def tell(self, match: UUID) -> None:
        """Lets other instances know, some time soon, that the match has news. While Redis is away
        so many matches wait, and of more nothing is told. Neither waits nor fails."""
        if len(self._waiting) < MOST_WAITING:
            self._waiting.add(match)
            self._told.set()

    async def run(self) -> None:
        """Tells and listens for ever."""
        both = [
            asyncio.create_task(self._again_and_again(self._listen, "news_not_heard")),
            asyncio.create_task(self._again_and_again(self._publish, "news_not_told")),
        ]
        try:
            await asyncio.gather(*both)
        finally:
            await ended(both)

    async def _again_and_again(
        self, do: Callable[[Redis, Callable[[], None]], Awaitable[None]], failure: str
    ) -> None:
        """Does a thing that ends only by failing."""
        failures = Failures(failure)
        redis = connect(self._url)
        try:
            while True:
                try:
                    await do(redis, failures.succeeded)
                except Exception as error:  # noqa: BLE001  at its address may be anything
                    failures.failed(error)
                await asyncio.sleep(AGAIN_SECONDS)
        finally:
            with suppress(Exception):
                await asyncio.shield(redis.aclose())

    async def _publish(self, redis: Redis, succeeded: Callable[[], None]) -> None:
        while True:
            await self._told.wait()
            self._told.clear()
            told, self._waiting = self._waiting, set()
            try:
                await redis.publish(CHANNEL, packed(self._own, told))
            except Exception:
                # Whose subscription stands has missed nothing that he could know of.
                for match in told:
                    self.tell(match)
                raise
            succeeded()

    async def _listen(self, redis: Redis, succeeded: Callable[[], None]) -> None:
        async with redis.pubsub() as subscription:
            try:
                await subscription.subscribe(CHANNEL)
                await self._hear(subscription, succeeded)
            finally:
                self._subscribed = False

    async def _hear(self, subscription: PubSub, succeeded: Callable[[], None]) -> None:
        """Takes what comes until there is nothing more to expect. Raises TooSlow then."""
        self._heard = asked = time.monotonic()
        while True:
            message = await subscription.get_message(timeout=PING_SECONDS)
            now = time.monotonic()
            if message is not None:
                self._heard = now
                self._take(message)
                succeeded()
            if now - self._heard > DEAF_SECONDS:
                raise TooSlow("the subscription does not answer")
            if now - asked > PING_SECONDS:
                asked = now
                await subscription.ping()
            # Where much comes at once, nothing above waits.
            await asyncio.sleep(0)

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            # Whatever was told while nobody listened here is lost.
            self._subscribed = True
            self.hub.wake_all()
        elif message["type"] == "message":
            for match in unpacked(message["data"], self._own):
                self.hub.wake(match)


async def ended(tasks: Collection[asyncio.Task[None]]) -> None:
    """Ends the tasks. Each is told until it does: `asyncio.wait_for`, which the client uses, loses
    a cancellation that comes just when it has what it waited for."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=PING_SECONDS)


def connect(url: str) -> Redis:
    """A client that tries again a few times, and never waits for long."""
    return Redis.from_url(
        url,
        retry=Retry(ExponentialBackoff(cap=1, base=0.05), RETRIES),
        retry_on_error=[Unreachable, TooSlow],
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
    )


def packed(sender: bytes, matches: Collection[UUID]) -> bytes:
    """Who tells, and of which matches."""
    return b"".join((sender, *(match.bytes for match in matches)))


def unpacked(told: object, own: bytes) -> list[UUID]:
    """The matches that another instance tells of. Nothing if that is nobody's message, or ours."""
    if not isinstance(told, bytes) or len(told) % _ID or told[:_ID] == own:
        return []
    if len(told) > _ID * (MOST_WAITING + 1):
        return []
    return [UUID(bytes=told[at : at + _ID]) for at in range(_ID, len(told), _ID)]
