"""A draw of lots reveals the seed that was committed to, whatever happens while it is made."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

import pytest

from domain.tournament.decide import NewPlayer
from domain.tournament.stage_commands import AddStage
from domain.tournament.stage_events import LotsCommitted, LotsDrawn
from domain.tournament.stages import Stage, StageMatch
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from tests.support.instance.tournament_play import recorded

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
    assert recorded(instance, cup, LotsCommitted)[-1] == lots.committed(cup, 2, state)
