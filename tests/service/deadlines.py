"""Matches on a virtual clock, whose deadlines pass, and how it is known that one has."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import UUID

from domain.commands import Conflict, Start
from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match_events import DeadlinePassed
from service.arbiter import Arbiter
from service.clock import VirtualClock
from tests.clock import NOON, SECOND
from tests.service.instance import PATIENCE, on_record, settings, started

TURN = 60
DUE = NOON + TURN * SECOND
HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


async def timed(arbiter: Arbiter, game: str = "dollar-prize") -> UUID:
    """A match whose first deadline is at `DUE`."""
    return await started(arbiter, game, {"turn_seconds": TURN}, clock="rules")


def passed(arbiter: Arbiter, match_id: UUID) -> list[Record[Event]]:
    return [r for r in on_record(arbiter, match_id) if isinstance(r.event, DeadlinePassed)]


async def news(arbiter: Arbiter, match_id: UUID, wanted: Callable[[], bool]) -> None:
    """Returns when the match's record is as wanted; looks whenever there is news of it."""
    with arbiter.hub.listening(match_id) as heard:
        async with asyncio.timeout(PATIENCE):
            while not wanted():
                heard.clear()
                await heard.wait()


async def has_passed(arbiter: Arbiter, match_id: UUID, times: int) -> None:
    await news(arbiter, match_id, lambda: len(passed(arbiter, match_id)) >= times)


async def rest(arbiter: Arbiter, match_id: UUID) -> None:
    """Lets whatever has been reported come through the door: what comes in now comes after it."""
    await asyncio.sleep(0)
    with suppress(Conflict):
        await arbiter.matches.enter(match_id, Start(), "moderator")


@asynccontextmanager
async def instance(database: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    arbiter = Arbiter(settings(database), clock)
    async with arbiter.running():
        yield arbiter
