"""Lots that are drawn and rounds that follow: once, by the seed that was committed to, whatever
happens at the same moment."""

import asyncio
from collections.abc import Callable
from typing import Any, Literal, TypeVar
from uuid import UUID

import pytest
from msgspec import UNSET

from domain.game import Result
from domain.match.deadlines import HOUR
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import PauseMatch, ResumeMatch
from domain.tournament.commands import NewPlayer, SettleMatch
from domain.tournament.stage_commands import AddStage, ExtendRound, PublishRound
from domain.tournament.stage_events import LotsCommitted, LotsDrawn, RoundPublished
from domain.tournament.stages import RoundRule, Stage, StageMatch
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from tests.support.instance.tournament_play import recorded
from tests.support.virtual_clock import VirtualClock

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
    drawn = [one for one in recorded(instance, cup, LotsDrawn) if isinstance(one, LotsDrawn)]
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

    published = [one for one in recorded(instance, cup) if isinstance(one, RoundPublished)]
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
