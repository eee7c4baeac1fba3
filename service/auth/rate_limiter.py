"""The rate limiter: limits the requests and the open streams of each client.

With Redis all instances count together; without it, or while it is away, each counts for itself. A
client's result depends only on its own requests, never on those of others.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from limits import RateLimitItem
from limits.aio.storage import RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter
from msgspec import Struct

from service.cluster.redis_client import RedisClient, RedisUnavailable

PREFIX = "arbiter.limits"

PORTIONS = 100
"""Updates per window in which a client's count is sent to Redis."""

MAX_WINDOWS = 100_000
"""Maximum clients that are counted in memory; beyond that the oldest windows are dropped."""


class Window(Struct):
    """A client's requests until it closes, in monotonic seconds; Redis does not know of the
    `unsent` ones."""

    until: float
    count: int = 0
    unsent: int = 0


class Limiter:
    """Counts requests in this process, and with Redis together with other instances.

    Redis is updated not at every request but in portions: in all, a client may exceed the limit by
    a hundredth for each instance. While Redis is away, the local count decides. A limit None
    refuses nothing. `now` returns seconds and must be monotonic: with a clock that is set back, a
    window would last longer by as much.
    """

    def __init__(
        self,
        redis_client: RedisClient | None = None,
        now: Callable[[], float] = time.monotonic,
        most: int = MAX_WINDOWS,
    ) -> None:
        self._redis_client = redis_client
        self._now = now
        self._most = most
        self._windows: dict[str, Window] = {}
        if redis_client is not None:
            # The URL is not used: the pool has the connections.
            options: dict[str, Any] = {"connection_pool": redis_client.pool, "key_prefix": PREFIX}
            storage = RedisStorage("redis://", implementation="redispy", **options)
            self._shared = FixedWindowRateLimiter(storage)

    def __len__(self) -> int:
        return len(self._windows)

    async def count(self, limit: RateLimitItem | None, counter: str) -> int | None:
        """Counts one request. Returns the seconds to wait if it exceeds the limit, else None."""
        if limit is None:
            return None
        window = self._opened(limit, counter)
        allowed = window.count < limit.amount
        window.count += allowed
        window.unsent += allowed
        if self._redis_client is not None and window.unsent >= max(1, limit.amount // PORTIONS):
            unsent, window.unsent = window.unsent, 0
            wait = await self._shared_wait(limit, counter, unsent)
            if wait is not None:
                # All instances together have used it up: nothing more is let in here until then.
                until = self._now() + wait
                beyond = window.count > limit.amount
                window.until = max(until, window.until) if beyond else until
                window.count = max(window.count, limit.amount)
                return wait
        return None if allowed else self._wait(window)

    def charge(self, limit: RateLimitItem | None, counter: str, cost: int) -> None:
        """Counts so many requests more, for work that was done. By as much as there is then beyond
        the limit the window lasts longer: what was used too much is missing later. Other instances
        are told with the client's next request here."""
        if limit is None:
            return
        window = self._opened(limit, counter)
        window.count += cost
        window.unsent += cost
        beyond = min(cost, max(0, window.count - limit.amount))
        window.until += limit.get_expiry() * beyond / limit.amount

    async def used_up(self, limit: RateLimitItem | None, counter: str) -> int | None:
        """Seconds to wait if one more request would exceed the limit, else None. Counts nothing."""
        if limit is None:
            return None
        window = self._windows.get(limit.key_for(counter))
        if window is not None and window.count >= limit.amount and window.until > self._now():
            return self._wait(window)
        return await self._shared_wait(limit, counter, 0)

    def _opened(self, limit: RateLimitItem, counter: str) -> Window:
        """The client's open window; a new one where the last has closed. The library's own storage
        starts a task for every request, which looks at every client; here a request looks at the
        two oldest windows."""
        key, now = limit.key_for(counter), self._now()
        window = self._windows.get(key)
        if window is None or window.until <= now:
            self._windows.pop(key, None)
            for oldest in [*islice(self._windows, 2)]:
                if self._windows[oldest].until <= now or len(self._windows) >= self._most:
                    del self._windows[oldest]
            window = self._windows[key] = Window(now + limit.get_expiry())
        return window

    def _wait(self, window: Window) -> int:
        return max(1, math.ceil(window.until - self._now()))

    async def _shared_wait(self, limit: RateLimitItem, counter: str, cost: int) -> int | None:
        """The seconds to wait by the count of all instances with `cost` more, or for one more
        request if that is 0; None if the limit is not exceeded, or Redis does not answer at
        once."""
        redis_client = self._redis_client
        if redis_client is None:
            return None

        async def command() -> int | None:
            tried = (
                self._shared.hit(limit, counter, cost=cost)
                if cost
                else self._shared.test(limit, counter)
            )
            if await tried:
                return None
            # A window of ours always ends, within its length; another value is not our counter.
            left = await redis_client.redis.ttl(f"{PREFIX}:{limit.key_for(counter)}")
            return max(1, left) if 0 <= left <= limit.get_expiry() else None

        try:
            return await redis_client.call(command)
        except RedisUnavailable:
            return None


class TooManyStreams(Exception):
    """The client has reached its limit of open streams."""


class StreamsFull(Exception):
    """This process has reached its limit of open streams."""


class OpenStreams:
    """Counts the open streams of this process, in all and by client. 0 means no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all = 0
        self._by_sender: Counter[str | None] = Counter()

    def __len__(self) -> int:
        return self._all

    @contextmanager
    def acquire(self, sender: str | None, most: int) -> Iterator[None]:
        """Counts one more stream of the client until the block ends. `most` is the client's limit;
        a client None is not counted. Raises TooManyStreams or StreamsFull."""
        if sender is not None and 0 < most <= self._by_sender[sender]:
            raise TooManyStreams
        if 0 < self._most <= self._all:
            raise StreamsFull
        self._all += 1
        self._by_sender[sender] += 1
        try:
            yield
        finally:
            self._all -= 1
            self._by_sender[sender] -= 1
            if not self._by_sender[sender]:
                del self._by_sender[sender]
