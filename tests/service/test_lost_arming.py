"""A deadline that was set, and an end that came, by something whose answer the store never gave."""

import asyncio
from collections.abc import Callable
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.commands import Start
from domain.events import Event, Record
from domain.log_events import CheckpointSigned
from domain.match_events import DeadlinePassed
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.storage.reading import StoreUnavailable
from service.storage.store import beside
from tests.clock import NOON, SECOND
from tests.service.instance import PATIENCE, created, on_record, someone_acts, started, watched

TURN = 60


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.instances.duties.LOOK_ALONE", 0.02)


async def test_a_deadline_set_by_a_lost_answer_passes(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await created(arbiter, options={"turn_seconds": TURN}, clock="rules")
    watched(arbiter).after.append(OperationalError("the answer is lost"))
    with pytest.raises(StoreUnavailable):
        await arbiter.matches.enter(match_id, Start(), "moderator")
    clock.move_to(NOON + TURN * SECOND)

    def passed() -> bool:
        return any(
            isinstance(record.event, DeadlinePassed) for record in on_record(arbiter, match_id)
        )

    await until(passed)


async def test_the_log_of_a_match_that_ended_with_a_lost_answer_is_signed(
    arbiter: Arbiter,
) -> None:
    match_id = await started(arbiter, "twelve-chips", {"tokens_to_win": 1})
    store = watched(arbiter)
    while True:
        store.after.append(OperationalError("the answer is lost"))
        with pytest.raises(StoreUnavailable):
            await someone_acts(arbiter, match_id)
        opened = await arbiter.open_matches.opened(match_id)
        assert opened.match is not None
        if opened.match.status == "ended":
            break
    await until(lambda: bool(signed(arbiter, match_id)))
    assert [type(record.event) for record in signed(arbiter, match_id)] == [CheckpointSigned]


def signed(arbiter: Arbiter, match_id: UUID) -> list[Record[Event]]:
    return arbiter.store.read(beside(match_id))


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110  nobody tells when it is
            await asyncio.sleep(0.01)
