"""A Redis client that fails fast: callers must have a fallback.

The client library is imported where it is used: it takes a quarter of the time in which a service
starts, and most run without Redis.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from service.observability import logs

ANSWER_SECONDS = 0.05
"""Maximum seconds for a call."""

AWAY_SECONDS = 5.0
"""Seconds without calls after one that failed."""

MAX_CONNECTIONS = 32

T = TypeVar("T")


class RedisUnavailable(logs.OperatorError):
    """Redis has not answered in time, now or a few seconds ago, or its answer was unusable."""


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
        from redis.exceptions import ConnectionError as Unreachable
        from redis.exceptions import RedisError
        from redis.exceptions import TimeoutError as TooSlow

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


class RedisClient:
    """A Redis client that fails fast; callers must have a fallback.

    After a missing or unusable answer all calls fail at once for some seconds. Then one call tries
    again, and the others follow when it has succeeded.
    """

    def __init__(self, url: str) -> None:
        from redis.asyncio import BlockingConnectionPool, Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        self.pool = BlockingConnectionPool.from_url(
            url,
            max_connections=MAX_CONNECTIONS,
            timeout=ANSWER_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            # One retry reopens a connection that was closed since its last use.
            retry=Retry(NoBackoff(), 1),
        )
        self.redis = Redis(connection_pool=self.pool)
        self._away_until = 0.0
        self._failures = FailureLog("redis_away")

    async def call(self, command: Callable[[], Awaitable[T]]) -> T:
        """The answer to a command. Raises RedisUnavailable if Redis does not answer at once, or the
        answer is unusable."""
        away_until = self._away_until
        if time.monotonic() < away_until:
            raise RedisUnavailable
        if away_until:
            self._back_off()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await command()
        except Exception as error:  # noqa: BLE001  a server that is no Redis may send anything
            self._failures.failed(error)
            self._back_off()
            raise RedisUnavailable from None
        self._failures.succeeded()
        self._away_until = 0.0
        return answer

    async def close(self) -> None:
        """Closes all connections."""
        await self.redis.aclose()
        await self.pool.aclose()

    def _back_off(self) -> None:
        self._away_until = time.monotonic() + AWAY_SECONDS
