"""Void matches and ruled results in a tournament are settled exactly once, across crashes, too."""

import asyncio
from pathlib import Path
from uuid import UUID

import pytest

from domain.rulings.commands import SecondRuling
from domain.rulings.kinds import RuleResult, Ruling, VoidMatch
from domain.tournament.events import GarnetsPosted, MatchSettled
from domain.tournament.ledger import HOUSE, Account, purse
from projections.audience.disclosure import MODERATOR
from service.application.tournaments.settlement import Settlement
from service.instance import Instance
from tests.support.instance.service_instance import settings
from tests.support.instance.tournament_play import CUP, added, balances, recorded, settled
from tests.support.tables.directing import START
from tests.support.tables.ruling_tables import FINN, a_result, rule
from tests.support.virtual_clock import VirtualClock

BEFORE = {HOUSE: -6, purse(0): 5, purse(1): 1}
KEPT = {HOUSE: -5, purse(0): 4, purse(1): 1}
"""Ann has spent one of the two garnets that she brought, and no one has earned any."""

RULINGS: list[tuple[Ruling, dict[Account, int]]] = [
    (VoidMatch(), BEFORE),
    (RuleResult(a_result(2), "forfeit"), KEPT),
]


async def ruled(instance: Instance, cup: UUID, ruling: Ruling) -> UUID:
    """A running match of the tournament, on which two people have ruled."""
    match_id = await added(instance, cup)
    await instance.matches.execute(match_id, START, MODERATOR)
    await instance.matches.execute(match_id, rule("r", ruling), MODERATOR)
    await instance.matches.execute(match_id, SecondRuling("r", FINN), MODERATOR)
    return match_id


@pytest.mark.usefixtures("garnets")
@pytest.mark.parametrize(("ruling", "after"), RULINGS)
async def test_what_was_brought_is_settled_once_however_often_that_is_tried(
    instance: Instance, rival: Instance, cup: UUID, ruling: Ruling, after: dict[Account, int]
) -> None:
    match_id = await ruled(instance, cup, ruling)
    await asyncio.gather(*(each.settlement.settle(match_id) for each in (instance, rival) * 3))
    await settled(instance, cup)
    assert len(recorded(instance, cup, MatchSettled)) == 1
    assert await balances(instance, cup) == after
    posted = [one for one in recorded(instance, cup) if isinstance(one, GarnetsPosted)]
    assert all(one.amount > 0 and one.debit != one.credit for one in posted)
    assert sum((await balances(instance, cup)).values()) == 0


@pytest.mark.usefixtures("garnets")
@pytest.mark.parametrize(("ruling", "after"), RULINGS)
async def test_a_crash_between_the_ruling_and_the_settlement_loses_and_doubles_nothing(
    database: Path,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
    ruling: Ruling,
    after: dict[Account, int],
) -> None:
    async def dies(_: Settlement, __: UUID) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as crash:
        crash.setattr(Settlement, "settle", dies)
        first = Instance(settings(database), clock)
        async with first.running():
            cup, _ = await first.creation.tournament(CUP)
            await ruled(first, cup, ruling)
            assert recorded(first, cup, MatchSettled) == []
    for _ in range(2):
        again = Instance(settings(database), clock)
        async with again.running():
            await settled(again, cup)
            assert len(recorded(again, cup, MatchSettled)) == 1
            assert await balances(again, cup) == after
            played = (await again.lists.tournament(cup)).standings
            assert {row.played for row in played} <= {int(isinstance(ruling, RuleResult)), 0}
