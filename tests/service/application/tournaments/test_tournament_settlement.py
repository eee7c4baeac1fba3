"""A tournament match that has ended is settled exactly once, and no one waits for it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Event as ThreadEvent
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import stored_name
from domain.match.events import MatchEnded
from domain.tournament.events import MatchSettled
from domain.tournament.ledger import HOUSE, purse
from service.application.tournaments.settlement import NotOver, Settlement
from service.event_store.recorder import Length, Row
from service.instance import Instance
from tests.support.instance.service_instance import (
    PATIENCE,
    WatchedStore,
    settings,
    someone_acts,
    watched,
)
from tests.support.instance.tournament_play import CUP, added, balances, played, recorded, settled
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until


@pytest.mark.usefixtures("garnets")
async def test_it_is_settled_once_however_often_that_is_tried(
    instance: Instance, rival: Instance, cup: UUID
) -> None:
    match_id = await played(instance, cup)
    tries = [each.settlement.settle(match_id) for each in (instance, rival) * 4]
    await asyncio.gather(*tries)
    await settled(instance, cup)
    instance.settling.match_ended()
    await instance.settlement.settle(match_id)
    assert len(recorded(instance, cup, MatchSettled)) == 1
    assert await balances(instance, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


@pytest.mark.usefixtures("garnets")
async def test_a_crash_between_the_end_and_the_settlement_loses_and_doubles_nothing(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(_: Settlement, __: UUID) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as crash:
        crash.setattr(Settlement, "settle", dies)
        first = Instance(settings(database), clock)
        async with first.running():
            cup, _ = await first.creation.tournament(CUP)
            match_id = await played(first, cup)
            assert recorded(first, cup, MatchSettled) == []
    for _ in range(3):
        again = Instance(settings(database), clock)
        async with again.running():
            await settled(again, cup)
            assert again.index.unsettled() in ([], [match_id])
            assert len(recorded(again, cup, MatchSettled)) == 1
            assert await balances(again, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


@pytest.mark.usefixtures("garnets")
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_settlement_that_fails_is_tried_again_and_nobody_waits_for_it(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Whether or not the failed write is on disk. Nothing else is written meanwhile."""
    monkeypatch.setattr(instance.signing, "match_ended", lambda: None)
    monkeypatch.setattr("service.application.scheduling.leader_tasks.RETRY_SECONDS", 0.01)
    real, failures = Settlement.settle, list(range(3))

    async def fails(settlement: Settlement, match_id: UUID) -> None:
        if failures:
            failures.pop()
            faults = watched(instance).before if when == "before" else watched(instance).after
            faults.append(OperationalError("disk full"))
        await real(settlement, match_id)

    monkeypatch.setattr(Settlement, "settle", fails)
    await played(instance, cup)
    await settled(instance, cup)
    await until(lambda: not failures or when == "after")
    assert len(recorded(instance, cup, MatchSettled)) == 1
    assert await balances(instance, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}
    assert not instance.broken.is_set()


async def test_a_match_that_cannot_be_settled_does_not_delay_the_others(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = await added(instance, cup)
    real = Settlement.settle

    async def fails(settlement: Settlement, match_id: UUID) -> None:
        if match_id == poisoned:
            raise ZeroDivisionError
        await real(settlement, match_id)

    monkeypatch.setattr(Settlement, "settle", fails)
    await instance.matches.execute(poisoned, START, "moderator")
    while await someone_acts(instance, poisoned):
        pass
    other = await played(instance, cup)
    await settled(instance, cup)
    (results,) = recorded(instance, cup, MatchSettled)
    assert isinstance(results, MatchSettled) and results.match == str(other)
    assert not instance.broken.is_set()


@pytest.mark.usefixtures("garnets")
async def test_an_end_that_is_on_disk_but_not_in_memory_yet_counts_as_it_is(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last transaction is committed but has not returned when the match is settled."""
    landed, returns, settling = ThreadEvent(), ThreadEvent(), asyncio.Event()
    append, write = WatchedStore.append, instance.matches.append

    def held_after(
        store: WatchedStore, rows: Sequence[Row], *more: Sequence[Length] | Sequence[Row]
    ) -> None:
        append(store, rows, *more)  # type: ignore[arg-type]
        if any(row[2] == stored_name(MatchEnded) for row in rows):
            landed.set()
            assert returns.wait(PATIENCE)

    async def noticed(rows: Sequence[Row]) -> None:
        settling.set()
        await write(rows)

    monkeypatch.setattr(WatchedStore, "append", held_after)
    monkeypatch.setattr(instance.matches, "append", noticed)
    playing = asyncio.create_task(played(instance, cup))
    assert await asyncio.to_thread(landed.wait, PATIENCE)
    settling.clear()
    instance.settling.match_ended()
    async with asyncio.timeout(PATIENCE):
        await settling.wait()
    returns.set()
    match_id = await playing
    await settled(instance, cup)
    (counted,) = recorded(instance, cup, MatchSettled)
    assert isinstance(counted, MatchSettled)
    assert counted.match == str(match_id) and counted.result is not None
    assert await balances(instance, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


async def test_a_match_that_goes_on_is_not_settled(instance: Instance, cup: UUID) -> None:
    match_id = await added(instance, cup)
    with pytest.raises(NotOver):
        await instance.settlement.settle(match_id)
    assert recorded(instance, cup, MatchSettled) == []
