"""Readiness: whether the instance can do its work now, so that it may be sent some."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from msgspec import Struct

from service import logs

PROBE_SECONDS = 1.0
"""How long a part may take to say that it is up."""

KEPT_SECONDS = 0.5
"""For so long an answer serves everybody who asks: asking often must cost nothing."""

CLOCKS_APART = 1_000_000
"""So many microseconds the clocks of the application and of the database may differ."""

HELPFUL = frozenset({"redis", "scheduler"})
"""Parts without which everything goes on, only later: who lacks one is sent work all the same. All
instances lose it at once, and there would be none left."""

Probe = Callable[[], Awaitable[bool]]
"""Says whether a part is up. To raise, or to take too long, is a no."""


class Readiness(Struct, frozen=True):
    """Whether the service can do its work, and which of its parts are up. Without some of them it
    can, only slower."""

    ready: bool
    checks: dict[str, Literal["up", "down"]]


class NotUp(Exception):
    """A part says that it is down."""


async def check(probes: Mapping[str, Probe]) -> Readiness:
    """Asks all parts at once. Why one is down is told to the operator's log, and to nobody else."""
    up = await asyncio.gather(*(_up(name, probe) for name, probe in probes.items()))
    found = dict(zip(probes, up, strict=True))
    ready = all(is_up or _only_helps(name) for name, is_up in found.items())
    return Readiness(ready, {name: "up" if is_up else "down" for name, is_up in found.items()})


def _only_helps(name: str) -> bool:
    """Whether work can be done without a part: one of those named above, or one of several stores,
    whose parts have two names."""
    return name in HELPFUL or " " in name


async def _up(name: str, probe: Probe) -> bool:
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            if await probe():
                return True
        raise NotUp(name)
    except Exception as error:  # noqa: BLE001  whatever a part may raise
        logs.failed("not_ready", error, check=name)
        return False


class Readings:
    """Readiness as it is told to whoever asks: looked up once for all who ask at the same time, and
    for those who ask soon after."""

    def __init__(self, probes: Mapping[str, Probe]) -> None:
        self._probes = probes
        self._last: asyncio.Task[Readiness] | None = None
        self._until = 0.0

    async def now(self) -> Readiness:
        """How it is, or was half a second ago at most."""
        now = asyncio.get_running_loop().time()
        last = self._last
        if last is None or (last.done() and now >= self._until):
            last = self._last = asyncio.create_task(self._look())
        # Whoever asked first may go; the others still want to know.
        return await asyncio.shield(last)

    async def _look(self) -> Readiness:
        readiness = await check(self._probes)
        self._until = asyncio.get_running_loop().time() + KEPT_SECONDS
        return readiness


def clock_offset(before: int, database_time: int, after: int) -> int:
    """By how many microseconds the database's clock is ahead of ours (behind: negative), at least.

    `before` and `after` are our clock around the question. A database that may have answered at the
    very time that it says is not ahead: a slow answer is no wrong clock.
    """
    if database_time > after:
        return database_time - after
    return min(0, database_time - before)


def clocks_agree(offset: int) -> bool:
    """Whether deadlines are judged alike by the application and by the database."""
    return abs(offset) < CLOCKS_APART
