"""A ruling under an idempotency key is made once: repeated, after a crash, on two instances."""

import asyncio
from pathlib import Path
from uuid import UUID

import pytest

from domain.match.events import MatchPaused
from domain.rulings.kinds import PauseMatch
from domain.tournament.state import KeyedRequest
from service.application.matches.match_service import MatchService
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import on_record, settings, started
from tests.support.tables.ruling_tables import rule
from tests.support.virtual_clock import VirtualClock

PAUSE = rule("", PauseMatch())
REQUEST = KeyedRequest("pause-1", b"the body")


def pauses(instance: Instance, match_id: UUID) -> int:
    return sum(isinstance(one.event, MatchPaused) for one in on_record(instance, match_id))


async def test_at_the_same_moment_on_two_instances(instance: Instance, rival: Instance) -> None:
    match_id = await started(instance)
    both = (each.rulings.execute(match_id, PAUSE, REQUEST) for each in (instance, rival))
    one, other = await asyncio.gather(*both)
    assert one.answer == other.answer
    assert sorted([one.repeated, other.repeated]) == [False, True]
    assert pauses(instance, match_id) == 1


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
