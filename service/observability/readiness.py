"""Readiness: whether the instance can do its work now and should be sent requests."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.observability import logs

PROBE_SECONDS = 1.0
"""Time limit for a probe."""

CACHE_SECONDS = 0.5
"""How long a result is reused, so that frequent checks cost nothing."""

OPTIONAL = frozenset({"redis"})
"""Parts without which the instance is still ready: everything works, only later. All instances
would lose such a part at once, and none would be left."""

CheckValue = Literal["up", "degraded", "low", "down", "corrupt", "full", "read_only", "io_error"]
"""What a check found; load balancers and alerts rely on the names.

The part works: `up`; `degraded`, someone should look at it; `low`, its disk is nearly full.
It does not: `down`, it does not answer or cannot be used, and may come back by itself. The others
last until an operator acts: `corrupt`, stored bytes are damaged; `full`, its disk has no room left;
`read_only`, it may not be written; `io_error`, its disk fails."""

WORKING: frozenset[CheckValue] = frozenset({"up", "degraded", "low"})
"""The values of a part that does its work."""


Probe = Callable[[], Awaitable[bool | CheckValue]]
"""Returns what it found, or whether a part is up. An exception or a time-out counts as down."""


class Readiness(Struct, frozen=True, omit_defaults=True):
    """Whether the service can do its work, and how its parts are. It can do without some of them,
    only slower. `degraded` means that it is ready, and yet not every part is up."""

    ready: bool
    checks: Annotated[dict[str, CheckValue], Meta(description="How each part is, by its name")]
    degraded: bool = False


class PartDown(logs.OperatorError):
    """A probe said that its part does not work."""


async def check(probes: Mapping[str, Probe], before: Readiness | None = None) -> Readiness:
    """Runs all probes at once. The reason why a part is down goes to the log and nowhere else, and
    only if it was not the same `before`."""
    values_before = {} if before is None else before.checks
    values = await asyncio.gather(
        *(_value(name, probe, values_before.get(name)) for name, probe in probes.items())
    )
    checks = dict(zip(probes, values, strict=True))
    ready = all(value in WORKING or name in OPTIONAL for name, value in checks.items())
    degraded = ready and any(value != "up" for value in checks.values())
    return Readiness(ready, checks, degraded)


async def _value(name: str, probe: Probe, before: CheckValue | None) -> CheckValue:
    """What a probe finds. A part that works again is logged, too."""
    value: bool | CheckValue = "down"
    error: Exception | None = None
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            value = await probe()
    except TimeoutError:
        error = PartDown(f"{name}: no answer in {PROBE_SECONDS:g} s")
    except Exception as raised:  # noqa: BLE001  a part may raise anything
        error = raised
    if isinstance(value, bool):
        value = "up" if value else "down"
    if value in WORKING:
        if before is not None and before not in WORKING:
            logs.info("ready_again", check=name)
    elif value != before:
        # Without its place, which is here.
        logs.failure("not_ready", error or PartDown(f"{name}: {value}"), check=name)
    return value


class CachedReadiness:
    """Cached readiness: callers at the same time, and soon after, share one check."""

    def __init__(self, probes: Mapping[str, Probe]) -> None:
        self._probes = probes
        self._last: asyncio.Task[Readiness] | None = None
        self._until = 0.0
        self._before: Readiness | None = None

    async def now(self) -> Readiness:
        """The readiness now, or at most `CACHE_SECONDS` ago."""
        now = asyncio.get_running_loop().time()
        last = self._last
        if last is None or (last.done() and now >= self._until):
            last = self._last = asyncio.create_task(self._check())
        # Shielded, because other callers still wait when the first one is cancelled.
        return await asyncio.shield(last)

    async def _check(self) -> Readiness:
        readiness = self._before = await check(self._probes, self._before)
        self._until = asyncio.get_running_loop().time() + CACHE_SECONDS
        return readiness
