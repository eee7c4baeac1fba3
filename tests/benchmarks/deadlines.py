"""The delay until a passed deadline is on disk, on an otherwise idle machine."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import uvloop

from domain.commands import Start
from domain.match_events import DeadlinePassed
from service.instance import Instance
from service.settings import read_settings
from tests.benchmarks.rows import Row, at_most

MATCHES = 300
PATIENCE = 30
TARGET_MS = 250
NAMES = ("Ann", "Ben")


def measure(folder: Path) -> list[Row]:
    """Many deadlines of one second, each on its own and some together; none may pass twice."""
    alone, together = uvloop.run(_measure(folder))
    return [_row("deadlines one by one", alone), _row("deadlines at one instant", together)]


def _row(what: str, late: Sequence[int]) -> Row:
    ordered = sorted(late)
    p50, p99 = ordered[len(ordered) // 2] / 1000, ordered[int(len(ordered) * 0.99)] / 1000
    return at_most(f"{what}, p99 to disk", p99, TARGET_MS, "ms", f"  (p50 {p50:.1f})")


async def _measure(folder: Path) -> tuple[list[int], list[int]]:
    instance = Instance(read_settings(folder, environment={}))
    async with instance.running():
        alone = [await _created(instance) for _ in range(MATCHES)]
        watching = [asyncio.create_task(_late(instance, match)) for match in alone]
        for match in alone:
            await instance.matches.execute(match, Start(), "moderator")
            await asyncio.sleep(0.005)
        one_by_one = await asyncio.gather(*watching)
        crowd = [await _created(instance) for _ in range(MATCHES)]
        watching = [asyncio.create_task(_late(instance, match)) for match in crowd]
        await asyncio.gather(*(instance.matches.execute(m, Start(), "moderator") for m in crowd))
        return one_by_one, await asyncio.gather(*watching)


async def _created(instance: Instance) -> UUID:
    opened = await instance.creation.match(
        "dollar-prize", NAMES, {"turn_seconds": 1}, "server", "rules", None
    )
    return opened.id


async def _late(instance: Instance, match: UUID) -> int:
    """Microseconds after its instant at which the match's first deadline was notified."""
    with instance.waiters.listening(match) as news:
        async with asyncio.timeout(PATIENCE):
            while True:
                news.clear()
                numbered, _ = await instance.sessions.lines(match, "public", 0, 100)
                passed = [r for _, r in numbered if isinstance(r.event, DeadlinePassed)]
                if passed:
                    return instance.clock.now() - passed[0].at
                await news.wait()
