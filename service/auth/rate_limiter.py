"""The requests and the open streams that one client may have, as an operator sets them; counted in
each process by itself: what a client takes of one worker is no share of another.

A client's result depends only on its own requests, never on those of others.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Annotated

from limits import RateLimitItem, parse
from msgspec import Meta, Struct, field

Streams = Annotated[int, Meta(ge=0, description="the number of streams, a whole number")]


class Rates(Struct, frozen=True):
    """The limits of one client: requests `by_key` with a known key, `by_address` without one, and
    `failures` with unknown keys; and open streams. `0` or `off` means no limit.

    The defaults allow a thousand spectators behind one address, and a bot to play at full speed. A
    stream counts as one request, and as an open stream until it closes.
    """

    by_key: str = field(name="ARBITER_RATE_BY_KEY", default="6000/minute")
    by_address: str = field(name="ARBITER_RATE_BY_ADDRESS", default="1200/minute")
    failures: str = field(name="ARBITER_RATE_FAILURES", default="30/minute")
    streams_by_key: Streams = field(name="ARBITER_STREAMS_BY_KEY", default=50)
    streams_by_address: Streams = field(name="ARBITER_STREAMS_BY_ADDRESS", default=500)
    streams: Streams = field(name="ARBITER_STREAMS", default=10_000)

    def __post_init__(self) -> None:
        for setting in (self.by_key, self.by_address, self.failures):
            rate(setting)


def rate(setting: str) -> RateLimitItem | None:
    """Parses a setting such as `600/minute` or `20 per 10 seconds`; None if it is off.

    Raises ValueError with a sentence for the operator.
    """
    if setting.strip().lower() in ("0", "off"):
        return None
    try:
        limit = parse(setting)
    except (ValueError, IndexError):
        raise ValueError(f"{setting!r} is not a rate: write 600/minute, or off") from None
    return limit if limit.amount else None


MAX_WINDOWS = 100_000
"""Maximum clients that are counted in memory; beyond that the oldest windows are dropped."""


class Window(Struct):
    """A client's requests until it closes, in monotonic seconds."""

    until: float
    count: int = 0


class Limiter:
    """Counts requests. A limit None refuses nothing. `now` returns seconds and must be monotonic:
    with a clock that is set back, a window would last longer by as much."""

    def __init__(self, now: Callable[[], float] = time.monotonic, most: int = MAX_WINDOWS) -> None:
        self._now = now
        self._most = most
        self._windows: dict[str, Window] = {}

    def __len__(self) -> int:
        return len(self._windows)

    def count(self, limit: RateLimitItem | None, counter: str) -> int | None:
        """Counts one request. Returns the seconds to wait if it exceeds the limit, else None."""
        if limit is None:
            return None
        window = self._opened(limit, counter)
        if window.count >= limit.amount:
            return self._wait(window)
        window.count += 1
        return None

    def charge(self, limit: RateLimitItem | None, counter: str, cost: int) -> None:
        """Counts so many requests more, for work that was done. By as much as there is then beyond
        the limit the window lasts longer: what was used too much is missing later."""
        if limit is None:
            return
        window = self._opened(limit, counter)
        window.count += cost
        beyond = min(cost, max(0, window.count - limit.amount))
        window.until += limit.get_expiry() * beyond / limit.amount

    def used_up(self, limit: RateLimitItem | None, counter: str) -> int | None:
        """Seconds to wait if one more request would exceed the limit, else None. Counts nothing."""
        window = None if limit is None else self._windows.get(limit.key_for(counter))
        if limit is None or window is None or window.until <= self._now():
            return None
        return self._wait(window) if window.count >= limit.amount else None

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
