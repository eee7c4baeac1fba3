"""The delay until a passed deadline is on disk, on an otherwise idle machine."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import uvloop

from domain.events import stored_name
from domain.match.events import DeadlinePassed
from projections.audience.disclosure import PUBLIC_VIEWER
from service.application.matches.creation import NewMatch
from service.instance import Instance
from service.settings import read_settings
from tests.benchmarks.rows import Row, at_most
from tests.support.instance.match_growth import joined
from tests.support.tables.directing import START

MATCHES = 300
PATIENCE = 30
TARGET_MS = 250
NAMES = ("Ann", "Ben")
PASSED = stored_name(DeadlinePassed).encode()


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
            await instance.matches.execute(match, START, "moderator")
            await asyncio.sleep(0.005)
        one_by_one = await asyncio.gather(*watching)
        crowd = [await _created(instance) for _ in range(MATCHES)]
        watching = [asyncio.create_task(_late(instance, match)) for match in crowd]
        await asyncio.gather(*(instance.matches.execute(m, START, "moderator") for m in crowd))
        return one_by_one, await asyncio.gather(*watching)


async def _created(instance: Instance) -> UUID:
    opened = await instance.creation.match(
        NewMatch("dollar-prize", NAMES, {"turn_seconds": 1}, "server", "rules", None)
    )
    return opened.id


async def _late(instance: Instance, match: UUID) -> int:
    """Microseconds after its instant at which the match's first deadline was notified."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with joined(instance, match, PUBLIC_VIEWER) as member:
                now = instance.clock.now()
                lines, _ = await instance.sessions.lines(match, PUBLIC_VIEWER, 0, 100)
                if any(PASSED in line for line in lines):
                    return now - (await instance.sessions.cached(match)).at
                await member.left.wait()
