"""Corrections of settled matches: once, whatever happens at the same time or in between."""

import asyncio
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError
from msgspec import UNSET

from domain.game import Result
from domain.match.commands import Conflict
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import Correction
from domain.rulings.life import PENDING
from domain.tournament.commands import PostGarnets
from domain.tournament.events import (
    GarnetsPosted,
    MatchCorrected,
    MatchSettled,
    TournamentRulingLapsed,
)
from domain.tournament.ledger import HOUSE, purse
from domain.tournament.state import KeyedRequest
from projections.audience.results import show_result
from projections.tournaments.standings import Standing
from projections.tournaments.standings import standings as standings_of
from service.application.matches.command_queue import PreconditionFailed
from service.application.rulings.rulings import RuledOnce
from service.application.rulings.tournament_rulings import TournamentRulingAnswer
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import on_record, recorded, watched
from tests.support.instance.tournament_play import balances, played, settled
from tests.support.tables.correction_tables import LOST, MO, OLGA, WHY
from tests.support.virtual_clock import VirtualClock

pytestmark = pytest.mark.usefixtures("garnets")

SETTLED = {HOUSE: -8, purse(0): 4, purse(1): 4}
CORRECTED = {HOUSE: -5, purse(0): 4, purse(1): 1}
"""Ann has spent one of the two garnets that she brought, and Ben has not earned three."""


PRIZE = PostGarnets(0, 9, "a prize")


def asked(match: UUID, result: Result | None = LOST) -> Rule:
    return Rule("", Correction(str(match), result), WHY, OLGA)


async def counted(instance: Instance, cup: UUID) -> UUID:
    """A match that was played and is settled."""
    before = len(recorded(instance, cup, MatchSettled))
    match = await played(instance, cup)
    await settled(instance, cup, before + 1)
    return match


async def proposed(instance: Instance, cup: UUID, match: UUID, result: Result | None = LOST) -> str:
    done = await instance.tournament_rulings.execute(cup, asked(match, result))
    assert done.answer.status == "pending"
    return done.answer.ruling


async def second(instance: Instance, cup: UUID, ruling: str) -> RuledOnce[TournamentRulingAnswer]:
    return await instance.tournament_rulings.execute(cup, SecondRuling(ruling, MO))


async def standings(instance: Instance, cup: UUID) -> list[Standing]:
    return standings_of((await instance.tournaments.current(cup)).state)


async def test_the_preview_is_what_comes_of_it(instance: Instance, cup: UUID) -> None:
    await counted(instance, cup)
    match = await counted(instance, cup)
    was = (await instance.tournaments.current(cup)).state.matches[str(match)].result
    for result in (LOST, None, Result((0, 1), (), True, (1, 1))):
        _, preview = await instance.tournament_rulings.preview(cup, asked(match, result))
        assert preview.before.result == show_result(was, UNSET)
        assert preview.before.standings == await standings(instance, cup)
        await second(instance, cup, await proposed(instance, cup, match, result))
        assert preview.after.standings == await standings(instance, cup)
        assert preview.after.result == show_result(result, UNSET)
        was = result


async def test_it_is_carried_out_once_however_often_that_is_tried(
    instance: Instance, rival: Instance, cup: UUID
) -> None:
    match = await counted(instance, cup)
    ruling = await proposed(instance, cup, match)
    tried = [second(each, cup, ruling) for each in (instance, rival) * 3]
    done = await asyncio.gather(*tried, return_exceptions=True)
    assert [isinstance(one, RuledOnce) for one in done].count(True) == 1
    codes = {one.code for one in done if isinstance(one, Conflict)}
    assert codes == {"not_pending"}
    assert len(recorded(instance, cup, MatchCorrected)) == 1
    assert await balances(instance, cup) == CORRECTED


async def test_a_correction_and_settlements_of_other_matches_do_not_disturb_each_other(
    instance: Instance, rival: Instance, cup: UUID
) -> None:
    for player in (0, 1):
        await instance.tournaments.execute(cup, PostGarnets(player, 9, "a prize"))
    match = await counted(instance, cup)
    ruling = await proposed(instance, cup, match)
    tried = asyncio.create_task(second(rival, cup, ruling))
    await asyncio.gather(*(played(instance, cup) for _ in range(3)))
    await settled(instance, cup, 4)
    assert (await tried).answer.status == "carried_out"
    assert len(recorded(instance, cup, MatchSettled)) == 4
    assert len(recorded(instance, cup, MatchCorrected)) == 1
    assert sum((await balances(instance, cup)).values()) == 0


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_before_or_after_the_commit_corrects_once(
    instance: Instance, rival: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The request is on record, and the sender cannot know whether the correction is."""
    monkeypatch.setattr(instance.signing, "match_ended", lambda: None)
    match, request = await counted(instance, cup), KeyedRequest("key", b"1")
    ruling = await proposed(instance, cup, match)
    faults = watched(instance).before if when == "before" else watched(instance).after
    faults.append(OperationalError("the power failed"))
    with pytest.raises(StoreUnavailable):
        await instance.tournament_rulings.execute(cup, SecondRuling(ruling, MO), request)
    assert len(recorded(rival, cup, MatchCorrected)) == (1 if when == "after" else 0)
    for each in (rival, instance, rival):
        done = await each.tournament_rulings.execute(cup, SecondRuling(ruling, MO), request)
        assert done.answer.status == "carried_out"
    assert len(recorded(instance, cup, MatchCorrected)) == 1
    assert await balances(instance, cup) == CORRECTED


async def test_a_preview_is_stale_only_when_something_happened_to_the_match(
    instance: Instance, cup: UUID
) -> None:
    match = await counted(instance, cup)
    service = instance.tournament_rulings
    version, _ = await service.preview(cup, asked(match))
    await instance.tournaments.execute(cup, PRIZE)
    await counted(instance, cup)
    ruling = (await service.execute(cup, asked(match), None, frozenset({version}))).answer.ruling
    seconded = SecondRuling(ruling, MO)
    with pytest.raises(PreconditionFailed):
        await service.execute(cup, seconded, None, frozenset({version}))
    version, _ = await service.preview(cup, seconded)
    assert await service.execute(cup, seconded, None, frozenset({version}))


async def test_nobody_came_within_a_day(instance: Instance, cup: UUID, clock: VirtualClock) -> None:
    match = await counted(instance, cup)
    ruling = await proposed(instance, cup, match)
    made = on_record(instance, cup)[-1].at
    await instance.deadlines.record_lapses()
    assert recorded(instance, cup, TournamentRulingLapsed) == []
    clock.pass_time(2 * PENDING)
    with pytest.raises(Conflict, match="not_pending"):
        await second(instance, cup, ruling)
    await instance.deadlines.record_lapses()
    await instance.deadlines.record_lapses()
    last = on_record(instance, cup)[-1]
    assert (last.at, last.event) == (made + PENDING, TournamentRulingLapsed(ruling))
    assert await balances(instance, cup) == SETTLED


async def test_what_has_lapsed_is_recorded_before_what_comes_later(
    instance: Instance, cup: UUID, clock: VirtualClock
) -> None:
    match = await counted(instance, cup)
    await proposed(instance, cup, match)
    made = on_record(instance, cup)[-1].at
    clock.pass_time(2 * PENDING)
    await instance.tournaments.execute(cup, PRIZE)
    lapse, given = on_record(instance, cup)[-2:]
    assert isinstance(lapse.event, TournamentRulingLapsed) and lapse.at == made + PENDING
    assert isinstance(given.event, GarnetsPosted) and given.at >= made + 2 * PENDING
