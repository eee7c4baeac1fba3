"""Readiness: whether the instance can do its work now and should be sent requests."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from msgspec import Struct

from service.observability import logs

PROBE_SECONDS = 1.0
"""Time limit for a probe."""

CACHE_SECONDS = 0.5
"""How long a result is reused, so that frequent checks cost nothing."""

OPTIONAL = frozenset({"redis", "scheduler"})
"""Parts without which the instance is still ready: everything works, only later. All instances
would lose such a part at once, and none would be left."""

Probe = Callable[[], Awaitable[bool]]
"""Returns whether a part is up. An exception or a time-out counts as down."""


class Readiness(Struct, frozen=True):
    """Whether the service can do its work, and which of its parts are up. It can do without some of
    them, only slower."""

    ready: bool
    checks: dict[str, Literal["up", "down"]]


class PartDown(Exception):
    """A probe said that its part is down."""


async def check(probes: Mapping[str, Probe]) -> Readiness:
    """Runs all probes at once. The reason why a part is down goes to the log and nowhere else."""
    up = await asyncio.gather(*(_up(name, probe) for name, probe in probes.items()))
    results = dict(zip(probes, up, strict=True))
    ready = all(is_up or _is_optional(name) for name, is_up in results.items())
    return Readiness(ready, {name: "up" if is_up else "down" for name, is_up in results.items()})


def _is_optional(name: str) -> bool:
    """Whether the service works without this part: one of `OPTIONAL`, or a part of one of several
    stores, whose name has a space."""
    return name in OPTIONAL or " " in name


async def _up(name: str, probe: Probe) -> bool:
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            if await probe():
                return True
        raise PartDown(name)
    except Exception as error:  # noqa: BLE001  a part may raise anything
        logs.failure("not_ready", error, check=name)
        return False


class CachedReadiness:
    """Cached readiness: callers at the same time, and soon after, share one check."""

    def __init__(self, probes: Mapping[str, Probe]) -> None:
        self._probes = probes
        self._last: asyncio.Task[Readiness] | None = None
        self._until = 0.0

    async def now(self) -> Readiness:
        """The readiness now, or at most `CACHE_SECONDS` ago."""
        now = asyncio.get_running_loop().time()
        last = self._last
        if last is None or (last.done() and now >= self._until):
            last = self._last = asyncio.create_task(self._check())
        # Shielded, because other callers still wait when the first one is cancelled.
        return await asyncio.shield(last)

    async def _check(self) -> Readiness:
        readiness = await check(self._probes)
        self._until = asyncio.get_running_loop().time() + CACHE_SECONDS
        return readiness
