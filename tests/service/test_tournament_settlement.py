"""The end of a tournament's match: it is settled, never twice, and nobody waits for it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Event as ThreadEvent
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.commands import Start
from domain.events import stored_name
from domain.ledger import HOUSE, purse
from domain.match_events import MatchEnded
from domain.tournament_events import GarnetsPosted, MatchSettled
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door import tournaments
from service.door.tournaments import NotOver, Tournaments
from service.storage.store import Length, Row
from tests.service.cups import (
    CHIPS,
    CUP,
    added,
    balances,
    played,
    recorded,
    settled,
    until,
)
from tests.service.instance import PATIENCE, WatchedStore, settings, someone_acts, watched


@pytest.mark.usefixtures("garnets")
async def test_a_match_that_is_over_is_settled(arbiter: Arbiter, cup: UUID) -> None:
    match_id = await played(arbiter, cup)
    await settled(arbiter, cup)
    opened = await arbiter.tournaments.opened(cup)
    await until(lambda: opened.state.matches[str(match_id)].settled)
    assert await balances(arbiter, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}
    assert sum(row.played for row in (await arbiter.lists.tournament(cup)).standings) == 2
    match = str(match_id)
    assert recorded(arbiter, cup, GarnetsPosted)[-4:] == [
        GarnetsPosted(1, "match", "player", 1, "kept", match),
        GarnetsPosted(1, "house", "player", 3, "earned", match),
        GarnetsPosted(0, "match", "player", 1, "kept", match),
        GarnetsPosted(0, "match", "house", 1, "spent", match),
    ]


@pytest.mark.usefixtures("garnets")
async def test_it_is_settled_once_however_often_that_is_tried(
    arbiter: Arbiter, rival: Arbiter, cup: UUID
) -> None:
    match_id = await played(arbiter, cup)
    tries = [instance.tournaments.settle(match_id) for instance in (arbiter, rival) * 4]
    await asyncio.gather(*tries)
    await settled(arbiter, cup)
    arbiter.tournaments.over()
    await arbiter.tournaments.settle(match_id)
    assert len(recorded(arbiter, cup, MatchSettled)) == 1
    assert await balances(arbiter, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


@pytest.mark.usefixtures("garnets")
async def test_a_crash_between_the_end_and_the_settlement_loses_and_doubles_nothing(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(_: Tournaments, __: UUID) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as crash:
        crash.setattr(Tournaments, "_settled", dies)
        first = Arbiter(settings(database), clock)
        async with first.running():
            cup, _ = await first.creation.tournament(CUP)
            match_id = await played(first, cup)
            assert recorded(first, cup, MatchSettled) == []
    for _ in range(3):
        again = Arbiter(settings(database), clock)
        async with again.running():
            await settled(again, cup)
            assert again.index.unsettled() in ([], [match_id])
            assert len(recorded(again, cup, MatchSettled)) == 1
            assert await balances(again, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


@pytest.mark.usefixtures("garnets")
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_settlement_that_fails_is_tried_again_and_nobody_waits_for_it(
    arbiter: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Whether or not what failed is on disk. Nothing else is written meanwhile."""
    monkeypatch.setattr(arbiter.notary, "over", lambda: None)
    monkeypatch.setattr(tournaments, "RETRY_SECONDS", 0.01)
    real, failures = Tournaments.settle, list(range(3))

    async def fails(door: Tournaments, match_id: UUID) -> None:
        if failures:
            failures.pop()
            faults = watched(arbiter).before if when == "before" else watched(arbiter).after
            faults.append(OperationalError("disk full"))
        await real(door, match_id)

    monkeypatch.setattr(Tournaments, "settle", fails)
    await played(arbiter, cup)
    await settled(arbiter, cup)
    await until(lambda: not failures or when == "after")
    assert len(recorded(arbiter, cup, MatchSettled)) == 1
    assert await balances(arbiter, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}
    assert not arbiter.broken.is_set()


async def test_a_match_that_cannot_be_settled_does_not_hold_up_the_others(
    arbiter: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = await added(arbiter, cup)
    real = Tournaments.settle

    async def fails(door: Tournaments, match_id: UUID) -> None:
        if match_id == poisoned:
            raise ZeroDivisionError
        await real(door, match_id)

    monkeypatch.setattr(Tournaments, "settle", fails)
    await arbiter.matches.enter(poisoned, Start(), "moderator")
    while await someone_acts(arbiter, poisoned):
        pass
    other = await played(arbiter, cup)
    await settled(arbiter, cup)
    (told,) = recorded(arbiter, cup, MatchSettled)
    assert isinstance(told, MatchSettled) and told.match == str(other)
    assert not arbiter.broken.is_set()


async def test_a_match_by_itself_settles_nothing(arbiter: Arbiter, cup: UUID) -> None:
    opened = await arbiter.creation.match(CHIPS, ("Ann", "Ben"), {}, "server", "none", None)
    await arbiter.matches.enter(opened.id, Start(), "moderator")
    while await someone_acts(arbiter, opened.id):
        pass
    await asyncio.to_thread(arbiter.index.follow)
    assert arbiter.index.unsettled() == []
    assert recorded(arbiter, cup, MatchSettled) == []


@pytest.mark.usefixtures("garnets")
async def test_an_end_that_is_on_disk_but_not_in_memory_yet_counts_as_it_is(
    arbiter: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction of the end is committed and has not returned; somebody settles meanwhile."""
    landed, returns, settling = ThreadEvent(), ThreadEvent(), asyncio.Event()
    append, write = WatchedStore.append, arbiter.matches.append

    def held_after(
        store: WatchedStore, rows: Sequence[Row], unchanged: Sequence[Length] = ()
    ) -> None:
        append(store, rows, unchanged)
        if any(row[2] == stored_name(MatchEnded) for row in rows):
            landed.set()
            assert returns.wait(PATIENCE)

    async def noticed(rows: Sequence[Row]) -> None:
        settling.set()
        await write(rows)

    monkeypatch.setattr(WatchedStore, "append", held_after)
    monkeypatch.setattr(arbiter.matches, "append", noticed)
    playing = asyncio.create_task(played(arbiter, cup))
    assert await asyncio.to_thread(landed.wait, PATIENCE)
    settling.clear()
    arbiter.tournaments.over()
    async with asyncio.timeout(PATIENCE):
        await settling.wait()
    returns.set()
    match_id = await playing
    await settled(arbiter, cup)
    (counted,) = recorded(arbiter, cup, MatchSettled)
    assert isinstance(counted, MatchSettled)
    assert counted.match == str(match_id) and counted.result is not None
    assert await balances(arbiter, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


async def test_a_match_that_goes_on_is_not_settled(arbiter: Arbiter, cup: UUID) -> None:
    match_id = await added(arbiter, cup)
    with pytest.raises(NotOver):
        await arbiter.tournaments.settle(match_id)
    assert recorded(arbiter, cup, MatchSettled) == []
