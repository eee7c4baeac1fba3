"""Notifications between instances by Redis: only that a match or a tournament has grown, or that a
ticket was used.

A lost notification delays a reader until its next poll and has no other effect: readers read the
log.
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
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as TooSlow

from service.cluster.log_poller import News
from service.observability import logs

CHANNEL = "arbiter.news.1"

MAX_NOTIFICATIONS = 4_096
"""Maximum queued notifications; the rest are dropped and readers poll."""

PING_SECONDS = 1.0
"""Seconds between two pings on the subscription."""

SUBSCRIPTION_TIMEOUT_SECONDS = 3.0
"""Seconds without an answer after which the subscription is closed, whatever its connection says.
"""

ANSWER_SECONDS = 1.0
"""Maximum seconds to connect, and to send or receive."""

RETRY_SECONDS = 0.5
"""Seconds between two attempts to subscribe or publish."""

RETRIES = 3
"""Retries within the client. Its backoff doubles each time and overflows after about a thousand
retries, so that a client with endless retries would fail after a quarter of an hour."""

_ID = 16


class RedisUnavailable(logs.OperatorError):
    """Redis has not answered in time, or its answer was unusable."""


class FailureLog:
    """Logs failures of Redis without repeating them.

    Each time that Redis becomes unreachable is logged once. Each kind of unusable answer is logged
    once for the life of the process, because good answers may come in between.
    """

    def __init__(self, event: str) -> None:
        self._event = event
        self._failing = False
        self._kinds: set[type[Exception]] = set()

    def succeeded(self) -> None:
        """Notes a good answer."""
        self._failing = False

    def failed(self, error: Exception) -> None:
        """Notes a failure, and logs it if it is new."""
        unreachable = isinstance(error, OSError | TimeoutError | Unreachable | TooSlow)
        logged = self._failing if unreachable else type(error) in self._kinds
        if not logged:
            # The traceback lies in the client and does not help the operator. The content of an
            # unusable answer may be anything, and stays out of the log.
            known_error = isinstance(error, OSError | TimeoutError | RedisError)
            logs.failure(
                self._event, RedisUnavailable(repr(error) if known_error else type(error).__name__)
            )
        self._failing = True
        if not unreachable:
            self._kinds.add(type(error))


class RedisNotifications:
    """Notifies other instances of what has grown here, and passes on what they notify. `run` must
    be running."""

    def __init__(self, url: str, news: News) -> None:
        self._url = url
        self.news = news
        self._sender_id = uuid4().bytes
        self._queued: set[UUID] = set()
        self._has_queued = asyncio.Event()
        self._subscribed = False
        self._last_message_at = 0.0

    @property
    def alive(self) -> bool:
        """Whether the subscription is open and has answered recently."""
        return (
            self._subscribed
            and time.monotonic() - self._last_message_at < SUBSCRIPTION_TIMEOUT_SECONDS
        )

    @property
    def queued(self) -> int:
        """The number of notifications that are not yet published."""
        return len(self._queued)

    def notify(self, match: UUID) -> None:
        """Queues a notification that the match has grown. At most `MAX_NOTIFICATIONS` are queued
        while Redis is away; the rest are dropped. Neither waits nor fails."""
        if len(self._queued) < MAX_NOTIFICATIONS:
            self._queued.add(match)
            self._has_queued.set()

    async def run(self) -> None:
        """Publishes and listens forever."""
        tasks = [
            asyncio.create_task(self._repeat(self._listen, "news_not_heard")),
            asyncio.create_task(self._repeat(self._publish, "news_not_told")),
        ]
        try:
            # Shielded: a cancellation that both lose would leave this waiting for ever.
            await asyncio.shield(asyncio.gather(*tasks))
        finally:
            await cancel_all(tasks)

    async def _repeat(
        self, step: Callable[[Redis, Callable[[], None]], Awaitable[None]], failure: str
    ) -> None:
        """Repeats a step that ends only by failing, forever. `failure` is the log event."""
        failures = FailureLog(failure)
        redis = connect(self._url)
        try:
            while True:
                try:
                    await step(redis, failures.succeeded)
                except Exception as error:  # noqa: BLE001  a server that is no Redis may send anything
                    failures.failed(error)
                await asyncio.sleep(RETRY_SECONDS)
        finally:
            with suppress(Exception):
                await asyncio.shield(redis.aclose())

    async def _publish(self, redis: Redis, succeeded: Callable[[], None]) -> None:
        while True:
            await self._has_queued.wait()
            self._has_queued.clear()
            matches, self._queued = self._queued, set()
            try:
                await redis.publish(CHANNEL, encode_message(self._sender_id, matches))
            except Exception:
                # They are queued again: subscribers would not notice that they missed something.
                for match in matches:
                    self.notify(match)
                raise
            succeeded()

    async def _listen(self, redis: Redis, succeeded: Callable[[], None]) -> None:
        async with redis.pubsub() as subscription:
            try:
                await subscription.subscribe(CHANNEL)
                await self._receive(subscription, succeeded)
            finally:
                self._subscribed = False

    async def _receive(self, subscription: PubSub, succeeded: Callable[[], None]) -> None:
        """Handles messages forever. Raises TooSlow when the subscription does not answer."""
        self._last_message_at = last_ping = time.monotonic()
        while True:
            message = await subscription.get_message(timeout=PING_SECONDS)
            now = time.monotonic()
            if message is not None:
                self._last_message_at = now
                self._handle(message)
                succeeded()
            if now - self._last_message_at > SUBSCRIPTION_TIMEOUT_SECONDS:
                raise TooSlow("the subscription does not answer")
            if now - last_ping > PING_SECONDS:
                last_ping = now
                await subscription.ping()
            # With many messages at once nothing above waits, so that other tasks would not run.
            await asyncio.sleep(0)

    def _handle(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            # Notifications before the subscription are lost, so all readers must look.
            self._subscribed = True
            self.news.any_may_have_grown()
        elif message["type"] == "message":
            for match in decode_message(message["data"], self._sender_id):
                self.news.grown(match)


async def cancel_all(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancels the tasks until all have ended. `asyncio.wait_for`, which the client uses, loses a
    cancellation that comes together with the result."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=PING_SECONDS)


def connect(url: str) -> Redis:
    """A client that retries a few times, and never waits long."""
    return Redis.from_url(
        url,
        retry=Retry(ExponentialBackoff(cap=1, base=0.05), RETRIES),
        retry_on_error=[Unreachable, TooSlow],
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
    )


def encode_message(sender_id: bytes, matches: Collection[UUID]) -> bytes:
    """A message: the id of the sending instance, and the ids of the matches that have grown."""
    return b"".join((sender_id, *(match.bytes for match in matches)))


def decode_message(message: object, own_id: bytes) -> list[UUID]:
    """The ids of the matches in a message; none if it is malformed, or our own."""
    if not isinstance(message, bytes) or len(message) % _ID or message[:_ID] == own_id:
        return []
    if len(message) > _ID * (MAX_NOTIFICATIONS + 1):
        return []
    return [UUID(bytes=message[at : at + _ID]) for at in range(_ID, len(message), _ID)]
