"""How long one action takes, by the match's length and by the number of open matches."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from uuid import UUID

import uvloop

from domain.games.twelve_chips.actions import Play
from domain.match.commands import Act
from service.instance import Instance
from service.settings import read_settings
from tests.benchmarks.http import UNLIMITED
from tests.benchmarks.random_matches import put
from tests.benchmarks.rows import Row

LENGTHS = (100, 1_000, 10_000, 100_000)
OPEN = (1, 10, 100, 1_000)
TIMES = 200
FLAT = 2.0


def measure(folder: Path) -> list[Row]:
    """Each with its median, and how the largest compares with the smallest."""
    lengths, opened = uvloop.run(_measure(folder))
    return [_row("µs an action by the match's length", lengths), _row(
        "µs an action by open matches", opened
    )]  # fmt: skip


def _row(what: str, figures: dict[int, float]) -> Row:
    shown = ", ".join(f"{size:,}: {figure:.0f}" for size, figure in figures.items())
    sizes = list(figures)
    flat = figures[sizes[-1]] <= FLAT * figures[sizes[0]]
    return Row(what, shown, f"≤ {FLAT:g} times", flat)


async def _measure(folder: Path) -> tuple[dict[int, float], dict[int, float]]:
    instance = Instance(read_settings(folder, environment=UNLIMITED))
    async with instance.running():
        matches = [put(instance, length) for length in LENGTHS]
        short = [put(instance, LENGTHS[0]) for _ in range(OPEN[-1])]
        lengths = dict.fromkeys(LENGTHS, 0.0)
        for length, match in zip(LENGTHS, matches, strict=True):
            lengths[length] = await _acting(instance, [match])
        opened = {}
        for count in OPEN:
            opened[count] = await _acting(instance, short[:count])
    return lengths, opened


async def _acting(instance: Instance, matches: Sequence[UUID]) -> float:
    """The median of single actions, one at a time, each on the next match; all have been open."""
    for match in matches:
        await instance.sessions.projection(match, 0)
    taken = []
    for number in range(TIMES + 20):
        command = Act(0, Play(13), {"type": "play", "chip": 13}, f"{id(matches)}-{number}", b"f")
        began = perf_counter()
        await instance.matches.execute(matches[number % len(matches)], command, 0)
        taken.append(perf_counter() - began)
    return median(taken[20:]) * 1e6
