"""Redis as far as it answers at once: who asks it has another way to go on."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from service import logs

ANSWER_SECONDS = 0.05
AWAY_SECONDS = 5.0
MOST_CONNECTIONS = 32

T = TypeVar("T")


class Away(logs.Plain):
    """Redis has not answered in time, now or a moment ago."""


class Link:
    """Connections to one Redis. When it has not answered once, it is left alone for some seconds;
    then one asks again, and the others as soon as that was answered."""

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

    async def ask(self, asking: Callable[[], Awaitable[T]]) -> T:
        """What Redis answers. Raises Away if it does not at once."""
        before = self._away_until
        if time.monotonic() < before:
            raise Away
        if before:
            self._leave_alone()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await asking()
        except (RedisError, OSError, TimeoutError) as error:
            if not self._away_until:
                # Where in the client it failed tells the operator nothing.
                logs.failed("redis_away", Away(repr(error)))
            self._leave_alone()
            raise Away from None
        self._away_until = 0.0
        return answer

    async def close(self) -> None:
        """Closes its connections."""
        await self.redis.aclose()
        await self.pool.aclose()

    def _leave_alone(self) -> None:
        self._away_until = time.monotonic() + AWAY_SECONDS
