"""Matches on a virtual clock whose deadlines pass, and how a test notices."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import UUID

from msgspec.structs import replace

from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Conflict
from domain.match.events import DeadlinePassed
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import on_record, settings, started
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

ANY_DOWNTIME = 10 * 24 * 3600
"""A grace, in seconds, that is longer than all downtimes in the tests."""

TURN = 60
DUE = NOON + TURN * SECOND
HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


async def timed(instance: Instance, game: str = "dollar-prize") -> UUID:
    """A match whose first deadline is at `DUE`."""
    return await started(instance, game, {"turn_seconds": TURN}, clock="rules")


def passed(instance: Instance, match_id: UUID) -> list[Record[Event]]:
    return [r for r in on_record(instance, match_id) if isinstance(r.event, DeadlinePassed)]


async def has_passed(instance: Instance, match_id: UUID, times: int) -> None:
    await grown_until(instance, match_id, lambda: len(passed(instance, match_id)) >= times)


async def rest(instance: Instance, match_id: UUID) -> None:
    """Lets everything already reported through the command queue: a later command is decided after
    it."""
    await asyncio.sleep(0)
    with suppress(Conflict):
        await instance.matches.execute(match_id, START, "moderator")


@asynccontextmanager
async def running_instance(
    database: Path, clock: VirtualClock, grace: int = ANY_DOWNTIME
) -> AsyncIterator[Instance]:
    """An instance that moves deadlines after more than `grace` seconds of downtime."""
    instance = Instance(replace(settings(database), limits=Limits(grace=grace)), clock)
    async with instance.running():
        yield instance
