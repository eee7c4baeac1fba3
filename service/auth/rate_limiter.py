"""The rate limiter: limits the requests and the open streams of each client.

With Redis all instances count together; without it, or while it is away, each counts for itself. A
client's result depends only on its own requests, never on those of others.
"""

import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from limits import RateLimitItem
from limits.aio.storage import RedisStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter

from service.cluster.redis_client import RedisClient, RedisUnavailable

PREFIX = "arbiter.limits"

PORTIONS = 100
"""Updates per window in which a client's count is sent to Redis."""

MAX_WINDOWS = 100_000
"""Maximum clients that are counted in memory; beyond that the oldest windows are dropped."""


class Windows(Storage):
    """Counters in the memory of this process, each with a window of time.

    The library's own storage starts a task for every request, which looks at every client; here a
    request looks at the two oldest windows. `now` returns seconds and must be monotonic: with a
    clock that is set back, a window would last longer by as much.
    """

    STORAGE_SCHEME = None

    def __init__(self, most: int = MAX_WINDOWS, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most = most
        self._now = now
        self._windows: dict[str, tuple[int, float]] = {}

    def __len__(self) -> int:
        return len(self._windows)

    @property
    def base_exceptions(self) -> type[Exception]:
        """The errors of this storage: it has none of its own."""
        return ValueError

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Adds to the open window, or opens one that lasts `expiry` seconds; returns its count."""
        now = self._now()
        count, until = self._windows.get(key, (0, 0.0))
        if until > now:
            self._windows[key] = count + amount, until
            return count + amount
        self._windows.pop(key, None)
        self._make_room(now)
        self._windows[key] = amount, now + expiry
        return amount

    def charge(self, key: str, expiry: int, amount: int, most: int) -> None:
        """Adds what was used beside what was asked for. By as much as there is then beyond `most`
        the window lasts longer: what was used too much is missing later."""
        now = self._now()
        count, until = self._windows.get(key, (0, 0.0))
        if until <= now:
            self._windows.pop(key, None)
            self._make_room(now)
            count, until = 0, now + expiry
        beyond = min(amount, max(0, count + amount - most))
        self._windows[key] = count + amount, until + expiry * beyond / most

    async def get(self, key: str) -> int:
        """The count of the open window; 0 if there is none."""
        count, until = self._windows.get(key, (0, 0.0))
        return count if until > self._now() else 0

    async def get_expiry(self, key: str) -> float:
        """The time at which the open window closes, by the wall clock, in seconds; now if there is
        none."""
        now = self._now()
        return time.time() + max(0.0, self._windows.get(key, (0, now))[1] - now)

    async def check(self) -> bool:
        """Memory is always available."""
        return True

    async def reset(self) -> int:
        """Drops all windows, and returns how many there were."""
        count = len(self._windows)
        self._windows.clear()
        return count

    async def clear(self, key: str) -> None:
        """Drops one window."""
        self._windows.pop(key, None)

    def _make_room(self, now: float) -> None:
        """Makes room for one more window: drops up to two that are closed, or one if all are
        needed."""
        for _ in range(2):
            if not self._windows:
                return
            oldest = next(iter(self._windows))
            if self._windows[oldest][1] > now and len(self._windows) < self._most:
                return
            del self._windows[oldest]


class Limiter:
    """Counts requests in this process, and with Redis together with other instances.

    Redis is updated not at every request but in portions: in all, a client may exceed the limit by
    a hundredth for each instance. While Redis is away, the local count decides.
    """

    def __init__(
        self, redis_client: RedisClient | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._windows = Windows(now=now)
        self._here = FixedWindowRateLimiter(self._windows)
        self._refused = Windows(now=now)
        self._untold = Windows(now=now)
        self._redis_client = redis_client
        self._shared: FixedWindowRateLimiter | None = None
        if redis_client is not None:
            # The URL is not used: the pool has the connections.
            options: dict[str, Any] = {"connection_pool": redis_client.pool, "key_prefix": PREFIX}
            storage = RedisStorage("redis://", implementation="redispy", **options)
            self._shared = FixedWindowRateLimiter(storage)

    async def count(self, limit: RateLimitItem, counter: str) -> int | None:
        """Counts one request. Returns the seconds to wait if it exceeds the limit, else None."""
        if self._redis_client is None:
            return await _counted(self._here, limit, counter)
        key = limit.key_for(counter)
        if await self._refused.get(key):
            return await _seconds(self._refused.get_expiry(key))
        here = await self._windows.incr(key, limit.get_expiry())
        untold = await self._untold.incr(key, limit.get_expiry())
        if untold >= limit.amount // PORTIONS:
            await self._untold.clear(key)
            wait = await self._shared_count(
                key, limit, lambda windows: _counted(windows, limit, counter, untold)
            )
            if wait is not None:
                await self._refused.incr(key, wait)
                return wait
        return None if here <= limit.amount else await _seconds(self._windows.get_expiry(key))

    def charge(self, limit: RateLimitItem, counter: str, cost: int) -> None:
        """Counts so many requests more, for work that was done. Other instances are told with the
        client's next request here."""
        key = limit.key_for(counter)
        self._windows.charge(key, limit.get_expiry(), cost, limit.amount)
        if self._redis_client is not None:
            self._untold.charge(key, limit.get_expiry(), cost, limit.amount)

    async def used_up(self, limit: RateLimitItem, counter: str) -> int | None:
        """Seconds to wait if one more request would exceed the limit, else None. Counts nothing."""
        here = await _used_up(self._here, limit, counter)
        if here is not None:
            return here
        key = limit.key_for(counter)
        return await self._shared_count(
            key, limit, lambda windows: _used_up(windows, limit, counter)
        )

    async def _shared_count(
        self,
        key: str,
        limit: RateLimitItem,
        query: Callable[[FixedWindowRateLimiter], Awaitable[int | None]],
    ) -> int | None:
        """The seconds to wait by the count of all instances; None if the limit is not exceeded, or
        Redis does not answer at once."""
        redis_client, shared = self._redis_client, self._shared
        if redis_client is None or shared is None:
            return None

        async def command() -> int | None:
            wait = await query(shared)
            if wait is None:
                return None
            # A window of ours always ends, within its length; another value is not our counter.
            left = await redis_client.redis.ttl(f"{PREFIX}:{key}")
            return wait if 0 <= left <= limit.get_expiry() else None

        try:
            return await redis_client.call(command)
        except RedisUnavailable:
            return None


async def _counted(
    windows: FixedWindowRateLimiter, limit: RateLimitItem, counter: str, cost: int = 1
) -> int | None:
    if await windows.hit(limit, counter, cost=cost):
        return None
    return await _seconds(windows.storage.get_expiry(limit.key_for(counter)))


async def _used_up(
    windows: FixedWindowRateLimiter, limit: RateLimitItem, counter: str
) -> int | None:
    if await windows.test(limit, counter):
        return None
    return await _seconds(windows.storage.get_expiry(limit.key_for(counter)))


async def _seconds(until: Awaitable[float]) -> int:
    """Seconds until the client's window closes, rounded up."""
    return max(1, math.ceil(await until - time.time()))


class TooManyStreams(Exception):
    """The client has reached its limit of open streams."""


class StreamsFull(Exception):
    """This process has reached its limit of open streams."""


class OpenStreams:
    """Counts the open streams of this process, in all and by client. 0 means no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all = 0
        self._by_sender: Counter[str] = Counter()

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
        if sender is not None:
            self._by_sender[sender] += 1
        try:
            yield
        finally:
            self._all -= 1
            if sender is not None:
                self._by_sender[sender] -= 1
                if not self._by_sender[sender]:
                    del self._by_sender[sender]
