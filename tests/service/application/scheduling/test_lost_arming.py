"""A deadline set, or a match ended, by a transaction that the store committed without confirming
it."""

from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event, Record
from domain.match.events import DeadlinePassed
from domain.proof.log_events import CheckpointSigned
from service.event_store.errors import StoreUnavailable
from service.event_store.store import paired_stream
from service.instance import Instance
from tests.support.instance.service_instance import (
    created,
    recorded,
    someone_acts,
    started,
    watched,
)
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

TURN = 60


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.application.scheduling.leader_tasks.POLL_SECONDS_SINGLE", 0.02)


async def test_a_deadline_set_by_a_lost_answer_passes(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await created(instance, options={"turn_seconds": TURN}, clock="rules")
    watched(instance).after.append(OperationalError("the answer is lost"))
    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(match_id, START, "moderator")
    clock.move_to(NOON + TURN * SECOND)
    await until(lambda: bool(recorded(instance, match_id, DeadlinePassed)))


async def test_the_log_of_a_match_that_ended_with_a_lost_answer_is_signed(
    instance: Instance,
) -> None:
    match_id = await started(instance, "twelve-chips", {"tokens_to_win": 1})
    store = watched(instance)
    while True:
        store.after.append(OperationalError("the answer is lost"))
        with pytest.raises(StoreUnavailable):
            await someone_acts(instance, match_id)
        opened = await instance.sessions.current(match_id)
        assert opened.match is not None
        if opened.match.status == "ended":
            break
    await until(lambda: bool(signed(instance, match_id)))
    assert [type(record.event) for record in signed(instance, match_id)] == [CheckpointSigned]


def signed(instance: Instance, match_id: UUID) -> list[Record[Event]]:
    return instance.store.read(paired_stream(match_id))
