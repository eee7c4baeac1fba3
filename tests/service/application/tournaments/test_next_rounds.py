"""The next round of a stage is published by itself, once, whoever tries at the same moment."""

import asyncio
from uuid import UUID

from domain.game import Result
from domain.tournament.decide import SettleMatch
from domain.tournament.stage_commands import AddStage, PublishRound
from domain.tournament.stage_events import RoundPublished
from domain.tournament.stages import RoundRule, Stage, StageMatch
from service.instance import Instance
from tests.support.instance.tournament_play import recorded

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
