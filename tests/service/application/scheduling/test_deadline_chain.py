"""Many overdue deadlines: they pass in several transactions, with the same record as in one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import DeadlinePassed
from service.application.matches import decision_queue
from service.application.matches.command_queue import CommandResponse
from service.application.scheduling.scheduler import RETRY
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import (
    NOT_NOW,
    WatchedStore,
    on_record,
    sends,
    settings,
    started,
    watched,
)
from tests.support.instance.virtual_deadlines import ANY_DOWNTIME
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

OVERDUE = 50
"""Number of overdue deadlines; each one is armed by the one before it."""

AT_ONCE = 4
"""Maximum number of deadlines that pass in one transaction in these tests."""

HEADS = ChooseSide("heads")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_queue, "MOST_DEADLINES", AT_ONCE)


async def timed(instance: Instance) -> UUID:
    """A match with one second between deadlines."""
    return await started(instance, "dollar-prize", {"turn_seconds": 1}, clock="rules")


async def overdue(instance: Instance, clock: VirtualClock) -> UUID:
    """A match with this many overdue deadlines that the scheduler has not reported yet."""
    match_id = await timed(instance)
    clock.pass_time(OVERDUE * SECOND)
    return match_id


def passed(records: list[Record[Event]]) -> list[int]:
    return [record.at for record in records if isinstance(record.event, DeadlinePassed)]


async def caught_up(instance: Instance, match_id: UUID, count: int = OVERDUE) -> None:
    """Returns when this many deadlines have passed."""
    await grown_until(
        instance, match_id, lambda: len(passed(on_record(instance, match_id))) >= count
    )


def check_times(instance: Instance, match_id: UUID) -> None:
    """Every deadline passed once, at its own instant."""
    times = passed(on_record(instance, match_id))
    assert times == [NOON + n * SECOND for n in range(1, len(times) + 1)]
    assert len(times) == OVERDUE


@asynccontextmanager
async def at(path: Path, instant: int, at_once: int) -> AsyncIterator[Instance]:
    """An instance started on this file at an instant, with a limit of deadlines per transaction."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decision_queue, "MOST_DEADLINES", at_once)
        patch.setattr("service.composition.storage.Store", WatchedStore)
        lasting = replace(settings(path), limits=Limits(grace=ANY_DOWNTIME))
        instance = Instance(lasting, VirtualClock(instant))
        async with instance.running():
            yield instance


async def test_the_record_is_the_same_as_in_one_go(tmp_path: Path) -> None:
    """After downtime two instances on copies of the store go on with the same match."""
    path = tmp_path / "arbiter.db"
    async with at(path, NOON, 1) as instance:
        match_id = await timed(instance)
    found: list[list[Record[Event]]] = []
    for name, at_once in (("one", 10_000), ("many", AT_ONCE)):
        copy = tmp_path / f"{name}.db"
        copy.write_bytes(path.read_bytes())
        async with at(copy, NOON + OVERDUE * SECOND, at_once) as instance:
            sent = instance.matches.execute(match_id, sends(0, HEADS, "key"), 0)
            again = instance.matches.execute(match_id, sends(1, NOT_NOW), 1)
            await asyncio.gather(sent, again)
            await caught_up(instance, match_id)
            found.append(on_record(instance, match_id))
            check_times(instance, match_id)
            most = max(watched(instance).appended)
            assert most < len(found[0]) / 4 or at_once > OVERDUE
    assert found[0] == found[1]


# Failures in between.


async def begun(
    instance: Instance, clock: VirtualClock
) -> tuple[UUID, asyncio.Task[CommandResponse]]:
    """A command waits for a chain whose first part is on record; the next transaction waits for the
    store."""
    match_id = await overdue(instance, clock)
    sent = asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS, "once"), 0))
    await caught_up(instance, match_id, AT_ONCE)
    watched(instance).block()
    await watched(instance).blocked()
    assert len(passed(on_record(instance, match_id))) < OVERDUE
    return match_id, sent


async def test_a_chain_goes_on_after_the_store_failed(
    instance: Instance, clock: VirtualClock
) -> None:
    """The command is not on record and no one sends another one, so the scheduler reports again."""
    match_id, sent = await begun(instance, clock)
    watched(instance).before.append(OperationalError("disk full"))
    watched(instance).open.set()
    with pytest.raises(StoreUnavailable):
        await sent
    while len(passed(on_record(instance, match_id))) < OVERDUE:
        clock.pass_time(RETRY // 4)
        await asyncio.sleep(0.005)
    times = passed(on_record(instance, match_id))
    assert times == [NOON + n * SECOND for n in range(1, len(times) + 1)]
