"""The time of an action without HTTP, with 64 in progress at any time."""

import asyncio
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from domain.match_state import Match
from service.instance import Instance
from service.server.web_server import SWITCH_SECONDS
from tests.benchmarks.charts.acting import refusing
from tests.benchmarks.charts.plan import CONNECTIONS, Plan
from tests.benchmarks.charts.rota import Playing, Rota
from tests.benchmarks.charts.written_matches import WrittenMatch
from tests.benchmarks.load import Turn, turn_seen


async def played(
    instance: Instance, matches: Sequence[WrittenMatch], count: int, plan: Plan
) -> list[float]:
    """Microseconds an action, of legal ones on `count` matches in turn."""
    slots = []
    for match in matches:
        opened = await instance.sessions.cached(match.id)
        slots.append(Playing(match.id, match.keys, turn_of(opened.match)))
    rota = Rota(slots, count)
    taken = await _rounds(instance, rota, min(CONNECTIONS, count), plan)
    assert not rota.short, "matches that are over, and none in reserve"
    return taken


async def refused(instance: Instance, matches: Sequence[WrittenMatch], plan: Plan) -> list[float]:
    """The same for actions that the rules refuse, on these matches in turn."""
    for match in matches:
        await instance.sessions.projection(match.id, match.refused.seat)
    slots = refusing(matches, CONNECTIONS)
    return await _rounds(instance, Rota(slots, len(slots)), CONNECTIONS, plan)


def turn_of(match: Match | None) -> Turn:
    """The turn of a match of Dollar Prize."""
    assert match is not None
    seats = match.awaiting.seats
    return Turn(match.game.phase, seats[0] if seats else None, match.game.placed)


async def _rounds(instance: Instance, rota: Rota, players: int, plan: Plan) -> list[float]:
    with as_served():
        await _round(instance, rota, players, plan.echo)
        return [await _round(instance, rota, players, plan.seconds) for _ in range(plan.rounds)]


async def _round(instance: Instance, rota: Rota, players: int, seconds: float) -> float:
    began = perf_counter()
    each = await asyncio.gather(*(_play(instance, rota, began + seconds) for _ in range(players)))
    return (perf_counter() - began) / sum(each) * 1e6


async def _play(instance: Instance, rota: Rota, until: float) -> int:
    acted = 0
    while perf_counter() < until and (slot := rota.take()) is not None:
        act = slot.act
        answer = await instance.matches.execute(slot.id, act, act.seat)
        slot.tell(lambda view=answer.view: turn_seen(view))  # type: ignore[misc]
        rota.back(slot)
        acted += 1
    return acted


@contextmanager
def settled() -> Iterator[None]:
    """Garbage collection as the server sets it: existing objects are not collected again and
    again."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@contextmanager
def as_served() -> Iterator[None]:
    """The interpreter as the server sets it: beside that, threads take turns of 0.2 ms."""
    turn = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with settled():
            yield
    finally:
        sys.setswitchinterval(turn)
