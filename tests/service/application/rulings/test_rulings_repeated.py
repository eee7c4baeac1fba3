"""A ruling under an idempotency key is made once: repeated, after a crash, on two instances."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.match.commands import Conflict
from domain.match.events import MatchPaused
from domain.rulings.commands import SecondRuling
from domain.rulings.kinds import PauseMatch, ReplaceSeat, VoidMatch
from domain.tournament.state import KeyedRequest
from service.application.matches.match_service import MatchService
from service.application.rulings.match_rulings import MatchRulingService
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import recorded, settings, started
from tests.support.tables.ruling_tables import EVE, FINN, GIL, rule
from tests.support.virtual_clock import VirtualClock

PAUSE = rule("", PauseMatch())
REQUEST = KeyedRequest("pause-1", b"the body")


def pauses(instance: Instance, match_id: UUID) -> int:
    return len(recorded(instance, match_id, MatchPaused))


async def test_at_the_same_moment_on_two_instances(instance: Instance, rival: Instance) -> None:
    match_id = await started(instance)
    both = (each.rulings.execute(match_id, PAUSE, REQUEST) for each in (instance, rival))
    one, other = await asyncio.gather(*both)
    assert one.answer == other.answer
    assert sorted([one.repeated, other.repeated]) == [False, True]
    assert pauses(instance, match_id) == 1


async def test_who_is_overtaken_by_another_instance_has_its_answer(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that was interrupted goes on at two instances, of which one is a moment ahead."""
    match_id = await started(instance)
    seat, answered = rule("", ReplaceSeat(0, "Cleo")), MatchRulingService._find_answer

    async def interrupted(*_: object) -> None:
        raise StoreUnavailable

    with monkeypatch.context() as crash:
        crash.setattr(MatchRulingService, "_carry_out", interrupted)
        with pytest.raises(StoreUnavailable):
            await instance.rulings.execute(match_id, seat, REQUEST)
    ahead = []

    async def overtaken(service: MatchRulingService, *asked: Any) -> object:
        found = await answered(service, *asked)
        monkeypatch.setattr(MatchRulingService, "_find_answer", answered)
        ahead.append(await instance.rulings.execute(match_id, seat, REQUEST))
        return found

    monkeypatch.setattr(MatchRulingService, "_find_answer", overtaken)
    behind = await other.rulings.execute(match_id, seat, REQUEST)
    assert (behind.answer, behind.repeated) == (ahead[0].answer, True)


@pytest.mark.parametrize("on_disk", [True, False])
async def test_after_a_crash_it_is_made_if_it_was_not(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, on_disk: bool
) -> None:
    real = MatchService.execute

    async def dies(service: MatchService, *command: object) -> object:
        if on_disk:
            await real(service, *command)  # type: ignore[arg-type]  # the real arguments
        raise StoreUnavailable

    async with (first := Instance(settings(database), clock)).running():
        match_id = await started(first)
        with monkeypatch.context() as crash:
            crash.setattr(MatchService, "execute", dies)
            with pytest.raises(StoreUnavailable):
                await first.rulings.execute(match_id, PAUSE, REQUEST)
    async with (again := Instance(settings(database), clock)).running():
        ruled = [await again.rulings.execute(match_id, PAUSE, REQUEST) for _ in range(2)]
        assert [one.repeated for one in ruled] == [on_disk, True]
        assert ruled[0].answer == ruled[1].answer
        assert pauses(again, match_id) == 1


async def test_who_seconds_too_late_by_a_moment_is_not_told_that_they_did(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    pending = await instance.rulings.execute(match_id, rule("", VoidMatch(), EVE))
    ruling, real = pending.answer.ruling, MatchService.execute

    async def after_another(service: MatchService, *command: object) -> object:
        monkeypatch.setattr(MatchService, "execute", real)
        first = SecondRuling(ruling, FINN)
        ruled = await instance.rulings.execute(match_id, first, KeyedRequest("finn", b"the body"))
        assert ruled.answer.status == "carried_out"
        return await real(service, *command)  # type: ignore[arg-type]  # the real arguments

    monkeypatch.setattr(MatchService, "execute", after_another)
    late = KeyedRequest("gil", b"the body")
    for _ in range(2):
        with pytest.raises(Conflict, match="not_pending"):
            await instance.rulings.execute(match_id, SecondRuling(ruling, GIL), late)
