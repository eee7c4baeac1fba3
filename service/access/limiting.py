"""How often one sender may ask, and how many streams it may hold open.

Where there is a Redis, all instances count together; without one, or while it is away, each counts
for itself. What one sender is told depends on what it has sent itself, and on nobody else.
"""

import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from limits import RateLimitItem, parse
from limits.aio.storage import RedisStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from msgspec import Struct

from service.instances.link import Away, Link

PREFIX = "arbiter.limits"

STEPS = 100
"""Redis is told of a sender's requests in so many portions a window."""

MOST_WINDOWS = 100_000
"""So many senders are counted in memory; beyond, those counted longest begin anew."""


class Rates(Struct, frozen=True):
    """How much one sender may do: `by_key` with a known key, `by_address` without one, and
    `failures` of how many keys that nobody knows. `0` or `off` does not limit.

    A thousand people behind one address may look at a match now and then; a bot with a key may play
    as fast as a table of them does. Streams count as one request each, and while they are open.
    """

    by_key: str = "6000/minute"
    by_address: str = "1200/minute"
    failures: str = "30/minute"
    streams_by_key: int = 50
    streams_by_address: int = 500
    streams: int = 10_000


def rate(setting: str) -> RateLimitItem | None:
    """What a setting such as `600/minute` or `20 per 10 seconds` means; None where it is off.

    Raises ValueError with a sentence for the operator.
    """
    if setting.strip().lower() in ("0", "off"):
        return None
    try:
        limit = parse(setting)
    except (ValueError, IndexError):
        raise ValueError(f"{setting!r} is no rate: say 600/minute, or off") from None
    return limit if limit.amount else None


class Windows(Storage):
    """Counts in the memory of this process.

    The library's own storage starts a task for every request that looks at every sender there is;
    here a request looks at the two that have been counted longest. `now` tells seconds and is never
    set back: a minute would last as long as the clock was set back by.
    """

    STORAGE_SCHEME = None

    def __init__(self, most: int = MOST_WINDOWS, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most = most
        self._now = now
        self._windows: dict[str, tuple[int, float]] = {}

    def __len__(self) -> int:
        return len(self._windows)

    @property
    def base_exceptions(self) -> type[Exception]:
        """What it raises: nothing of its own."""
        return ValueError

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Counts in the window that is open, or opens one that lasts `expiry` seconds."""
        now = self._now()
        count, until = self._windows.get(key, (0, 0.0))
        if until > now:
            self._windows[key] = count + amount, until
            return count + amount
        self._windows.pop(key, None)
        self._forget(now)
        self._windows[key] = amount, now + expiry
        return amount

    async def get(self, key: str) -> int:
        """What has been counted in the open window."""
        count, until = self._windows.get(key, (0, 0.0))
        return count if until > self._now() else 0

    async def get_expiry(self, key: str) -> float:
        """When the open window closes, by the wall clock, as every storage tells it; now, if there
        is none."""
        now = self._now()
        return time.time() + max(0.0, self._windows.get(key, (0, now))[1] - now)

    async def check(self) -> bool:
        """Memory is always there."""
        return True

    async def reset(self) -> int:
        """Forgets everything."""
        count = len(self._windows)
        self._windows.clear()
        return count

    async def clear(self, key: str) -> None:
        """Forgets one window."""
        self._windows.pop(key, None)

    def _forget(self, now: float) -> None:
        """Makes room for one more: two go for each that comes, if their time is over."""
        for _ in range(2):
            if not self._windows:
                return
            oldest = next(iter(self._windows))
            if self._windows[oldest][1] > now and len(self._windows) < self._most:
                return
            del self._windows[oldest]


class Limiter:
    """Counts requests here, and where there is a Redis, together with other instances.

    Redis is not asked for every request but told of some at once: in all, a sender may do more than
    the limit says by a hundredth of it for each instance. While Redis is away, what is counted here
    decides.
    """

    def __init__(self, link: Link | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._windows = Windows(now=now)
        self._here = FixedWindowRateLimiter(self._windows)
        self._refused = Windows(now=now)
        self._link = link
        self._shared: FixedWindowRateLimiter | None = None
        if link is not None:
            # The address is not used: the pool knows it.
            options: dict[str, Any] = {"connection_pool": link.pool, "key_prefix": PREFIX}
            storage = RedisStorage("redis://", implementation="redispy", **options)
            self._shared = FixedWindowRateLimiter(storage)

    async def count(self, limit: RateLimitItem, name: str) -> int | None:
        """Counts one request. In how many seconds to ask again, if it was one too many."""
        if self._link is None:
            return await _counted(self._here, limit, name)
        key = limit.key_for(name)
        if await self._refused.get(key):
            return await _seconds(self._refused.get_expiry(key))
        here = await self._windows.incr(key, limit.get_expiry())
        step = max(1, limit.amount // STEPS)
        if here % step == 0:
            wait = await self._together(key, limit, lambda all_: _counted(all_, limit, name, step))
            if wait is not None:
                await self._refused.incr(key, wait)
                return wait
        return None if here <= limit.amount else await _seconds(self._windows.get_expiry(key))

    async def used_up(self, limit: RateLimitItem, name: str) -> int | None:
        """In how many seconds to ask again, if one more would be one too many. Counts nothing."""
        here = await _used_up(self._here, limit, name)
        if here is not None:
            return here
        key = limit.key_for(name)
        return await self._together(key, limit, lambda all_: _used_up(all_, limit, name))

    async def _together(
        self,
        key: str,
        limit: RateLimitItem,
        ask: Callable[[FixedWindowRateLimiter], Awaitable[int | None]],
    ) -> int | None:
        """What all instances have counted; nothing, if Redis does not say so at once."""
        link, shared = self._link, self._shared
        if link is None or shared is None:
            return None

        async def asked() -> int | None:
            wait = await ask(shared)
            if wait is None:
                return None
            # A window of ours ends, and in time; what does not is no count of ours.
            left = await link.redis.ttl(f"{PREFIX}:{key}")
            return wait if 0 <= left <= limit.get_expiry() else None

        try:
            return await link.ask(asked)
        except Away:
            return None


async def _counted(
    windows: FixedWindowRateLimiter, limit: RateLimitItem, name: str, cost: int = 1
) -> int | None:
    if await windows.hit(limit, name, cost=cost):
        return None
    return await _seconds(windows.storage.get_expiry(limit.key_for(name)))


async def _used_up(windows: FixedWindowRateLimiter, limit: RateLimitItem, name: str) -> int | None:
    if await windows.test(limit, name):
        return None
    return await _seconds(windows.storage.get_expiry(limit.key_for(name)))


async def _seconds(until: Awaitable[float]) -> int:
    """Until the sender's window closes, which it opened itself with its first request."""
    return max(1, math.ceil(await until - time.time()))


class TooMany(Exception):
    """The sender holds as many streams open as it may."""


class Full(Exception):
    """This process holds as many streams open as it can."""


class OpenStreams:
    """The streams that are open in this process: in all, and of each sender. 0 does not limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all = 0
        self._by_sender: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._all

    @contextmanager
    def one_more(self, sender: str | None, most: int) -> Iterator[None]:
        """One more stream of the sender, who may hold `most`, for as long as this is not left; None
        is a sender that is not counted. Raises TooMany or Full."""
        if sender is not None and 0 < most <= self._by_sender[sender]:
            raise TooMany
        if 0 < self._most <= self._all:
            raise Full
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
