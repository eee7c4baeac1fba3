"""Redis as far as it answers at once: who asks it has another way to go on."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as TooSlow

from service import logs

ANSWER_SECONDS = 0.05
AWAY_SECONDS = 5.0
MOST_CONNECTIONS = 32

T = TypeVar("T")


class Away(logs.Plain):
    """Redis has not answered in time, now or a moment ago, or not as a Redis does."""


class Failures:
    """What the operator is told of a Redis that fails: each time that it has gone, once; and of
    each kind of answer that is none, once for all, since good ones may come in between."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._failing = False
        self._kinds: set[type[Exception]] = set()

    def succeeded(self) -> None:
        """It has answered as it should."""
        self._failing = False

    def failed(self, error: Exception) -> None:
        """It has not."""
        gone = isinstance(error, OSError | TimeoutError | Unreachable | TooSlow)
        told = self._failing if gone else type(error) in self._kinds
        if not told:
            # Where in the client it failed tells the operator nothing. What its answer was made of
            # may be anything, and stays out of the log.
            own = isinstance(error, OSError | TimeoutError | RedisError)
            logs.failed(self._event, Away(repr(error) if own else type(error).__name__))
        self._failing = True
        if not gone:
            self._kinds.add(type(error))


class Link:
    """Connections to one Redis. When it has not answered once, or something that cannot be, it is
    left alone for some seconds; then one asks again, and the others as soon as that was answered.
    """

    def __init__(self, url: str) -> None:
        self.pool = BlockingConnectionPool.from_url(
            url,
            max_connections=MOST_CONNECTIONS,
            timeout=ANSWER_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            # A connection that was closed since it was last used is opened again.
            retry=Retry(NoBackoff(), 1),
        )
        self.redis = Redis(connection_pool=self.pool)
        self._away_until = 0.0
        self._failures = Failures("redis_away")

    async def ask(self, asking: Callable[[], Awaitable[T]]) -> T:
        """What Redis answers. Raises Away if it does not at once, or what nobody can read."""
        before = self._away_until
        if time.monotonic() < before:
            raise Away
        if before:
            self._leave_alone()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await asking()
        except Exception as error:  # noqa: BLE001  whatever is read there, it is no answer
            self._failures.failed(error)
            self._leave_alone()
            raise Away from None
        self._failures.succeeded()
        self._away_until = 0.0
        return answer

    async def close(self) -> None:
        """Closes its connections."""
        await self.redis.aclose()
        await self.pool.aclose()

    def _leave_alone(self) -> None:
        self._away_until = time.monotonic() + AWAY_SECONDS
