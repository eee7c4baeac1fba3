"""A tournament match that has ended is settled exactly once, and no one waits for it."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any, Literal, TypeVar
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError
from msgspec import UNSET

from domain.events import stored_name
from domain.game import Result
from domain.match.deadlines import HOUR
from domain.match.events import MatchEnded
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import PauseMatch, ResumeMatch
from domain.tournament.commands import NewPlayer, SettleMatch
from domain.tournament.events import MatchSettled
from domain.tournament.ledger import HOUSE, purse
from domain.tournament.stage_commands import AddStage, ExtendRound, PublishRound
from domain.tournament.stage_events import LotsCommitted, LotsDrawn, RoundPublished
from domain.tournament.stages import RoundRule, Stage, StageMatch
from service.application.tournaments.settlement import NotOver, Settlement
from service.event_store.recorder import Length, Row
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from tests.support.instance.service_instance import (
    PATIENCE,
    WatchedStore,
    recorded,
    settings,
    someone_acts,
    watched,
)
from tests.support.instance.tournament_play import CUP, added, balances, played, settled
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
    assert results.match == str(other)
    assert not instance.broken.is_set()


@pytest.mark.usefixtures("garnets")
async def test_an_end_that_is_on_disk_but_not_in_memory_yet_counts_as_it_is(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last transaction is committed but has not returned when the match is settled."""
    landed, returns, settling = ThreadEvent(), ThreadEvent(), asyncio.Event()
    append, write = WatchedStore.append, instance.matches.commits.append

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
    monkeypatch.setattr(instance.matches.commits, "append", noticed)
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
    assert counted.match == str(match_id) and counted.result is not None
    assert await balances(instance, cup) == {HOUSE: -8, purse(0): 4, purse(1): 4}


async def test_a_match_that_goes_on_is_not_settled(instance: Instance, cup: UUID) -> None:
    match_id = await added(instance, cup)
    with pytest.raises(NotOver):
        await instance.settlement.settle(match_id)
    assert recorded(instance, cup, MatchSettled) == []


# Lots and rounds, whatever happens at the same moment.


T = TypeVar("T")


async def test_lots_are_drawn_anew_if_someone_enters_or_draws_others_meanwhile(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        await instance.tournaments.execute(
            cup, AddStage(Stage(name, "swiss", StageMatch("dollar-prize")))
        )
    meanwhile = ["once"]

    async def interrupted(work: Callable[..., T], *args: Any) -> T:
        if meanwhile:
            meanwhile.clear()
            await instance.rounds.draw_lots(cup, "stage 2")
            await instance.tournaments.execute(cup, NewPlayer("Late"))
        return await in_store_thread(work, *args)

    monkeypatch.setattr("service.application.tournaments.rounds.in_store_thread", interrupted)
    await instance.rounds.draw_lots(cup, "stage 1")

    lots, state = instance.tournaments.lots, await instance.tournaments.now(cup)
    drawn = recorded(instance, cup, LotsDrawn)
    assert [(one.epoch, one.purpose) for one in drawn] == [(0, "stage 2"), (1, "stage 1")]
    assert [one.seed for one in drawn] == [lots.seed(cup, 0), lots.seed(cup, 1)]
    assert recorded(instance, cup, LotsCommitted)[-1] == lots.commit(cup, 2, state)


WON = Result((0,), (1,), False, (1, 0))


async def test_a_next_round_is_published_once(instance: Instance, cup: UUID) -> None:
    rule = RoundRule("at_once", next=0)
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=2, round=rule)
    await instance.tournaments.execute(cup, AddStage(stage))
    draft, inputs = await instance.rounds.draft(cup, 1, None)
    first = PublishRound(1, draft, inputs, instance.clock.now())
    await instance.tournaments.execute(cup, first)
    await instance.rounds.advance(cup)
    for match in (await instance.tournaments.now(cup)).matches:
        await instance.tournaments.execute(cup, SettleMatch(match, WON))

    await asyncio.gather(*(instance.rounds.advance(cup) for _ in range(3)))
    await instance.rounds.advance(cup)

    published = recorded(instance, cup, RoundPublished)
    assert [(one.round, one.by_hand) for one in published] == [(1, None), (2, None)]
    for match in (await instance.tournaments.now(cup)).matches:
        assert (await instance.sessions.current(UUID(match))).match.status != "created"


EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")


@pytest.mark.parametrize("absent", ["staff", "forfeit"])
async def test_a_round_with_more_time_is_judged_at_its_new_end(
    instance: Instance, cup: UUID, clock: VirtualClock, absent: Literal["staff", "forfeit"]
) -> None:
    rule = RoundRule("at_once", ends=1.0)
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=1, round=rule, absent=absent)
    await instance.tournaments.execute(cup, AddStage(stage))
    draft, inputs = await instance.rounds.draft(cup, 1, None)
    await instance.tournaments.execute(cup, PublishRound(1, draft, inputs, clock.now()))
    await instance.rounds.advance(cup)
    matches = [UUID(match) for match in (await instance.tournaments.now(cup)).matches]

    async def over() -> set[bool]:
        await instance.rounds.advance(cup)
        return {(await instance.sessions.current(match)).match.over for match in matches}

    for match in matches:
        await instance.rulings.execute(match, Rule("", PauseMatch(), "why", EVE))
    clock.pass_time(HOUR)
    assert await over() == {False}, "a match that is paused is left to staff"
    more = ExtendRound(1, 1, clock.now() + HOUR, UNSET, "The hall was closed.", clock.now())
    await instance.tournaments.execute(cup, more)
    for match in matches:
        await instance.rulings.execute(match, Rule("", ResumeMatch(), "why", EVE))
    assert await over() == {False}
    clock.pass_time(HOUR)
    assert await over() == {absent == "forfeit"}
