"""Two instances on one store: the slower one reads again, decides again, and doubles nothing."""

import asyncio
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import IntegrityError

from domain.games.dollar_prize.actions import ChooseSide
from domain.games.dollar_prize.events import SideChosen
from domain.match.events import ActionReceived
from service.application.matches.command_queue import MOST_TRIES, PreconditionFailed
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    seen,
    sends,
    started,
    watched,
)

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


@pytest_asyncio.fixture
async def match_id(instance: Instance, rival: Instance) -> UUID:
    """A running match that both instances have in memory."""
    match_id = await started(instance)
    for viewer in (0, 1):
        await rival.sessions.projection(match_id, viewer)
    return match_id


def keys(instance: Instance, match_id: UUID) -> list[str | None]:
    events = [record.event for record in on_record(instance, match_id)]
    return [event.key for event in events if isinstance(event, ActionReceived)]


async def test_the_second_instance_decides_on_the_events_of_the_first(
    instance: Instance, rival: Instance, match_id: UUID
) -> None:
    first = await rival.matches.execute(match_id, sends(0, HEADS), 0)
    second = await instance.matches.execute(match_id, sends(0, TAILS), 0)

    assert first.result.code is None
    assert second.result.code == "wrong_phase"
    records = on_record(instance, match_id)
    assert [r.event.side for r in records if isinstance(r.event, SideChosen)] == ["heads"]
    assert second.view == seen(records, match_id, "dollar-prize", 0)


async def test_of_many_sent_to_both_each_is_recorded_once(
    instance: Instance, rival: Instance, match_id: UUID
) -> None:
    sent = [f"request {n}" for n in range(40)]
    results = await asyncio.gather(
        *(
            (instance, rival)[n % 2].matches.execute(match_id, sends(0, NOT_NOW, key), 0)
            for n, key in enumerate(sent)
        ),
        return_exceptions=True,
    )

    acknowledged = [
        key
        for key, answer in zip(sent, results, strict=True)
        if not isinstance(answer, StoreUnavailable)
    ]
    assert sorted(map(str, keys(instance, match_id))) == sorted(acknowledged)
    assert len(acknowledged) >= 20


async def test_a_view_that_is_stale_by_a_lost_race_gets_its_412(
    instance: Instance, rival: Instance, match_id: UUID
) -> None:
    seq, _ = await instance.sessions.view(match_id, 0, None)
    await rival.matches.execute(match_id, sends(0, HEADS), 0)
    with pytest.raises(PreconditionFailed):
        await instance.matches.execute(match_id, sends(0, TAILS), 0, frozenset({seq}))
    assert keys(instance, match_id) == [None]


async def test_a_command_that_loses_every_race_gets_try_again(instance: Instance) -> None:
    match_id, other = await started(instance), await started(instance)
    before = on_record(instance, match_id)
    store = watched(instance)
    store.before.extend(IntegrityError("always another") for _ in range(MOST_TRIES + 1))

    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(match_id, sends(0, HEADS), 0)

    assert not store.before
    assert on_record(instance, match_id) == before
    for there in (match_id, other):
        assert (await instance.matches.execute(there, sends(0, HEADS), 0)).result.code is None


async def test_a_lost_race_does_not_make_others_lose(instance: Instance, rival: Instance) -> None:
    """One of ten matches in a transaction was changed by another instance; all ten are recorded."""
    matches = [await started(instance) for _ in range(10)]
    await rival.matches.execute(matches[4], sends(1, NOT_NOW), 1)

    answers = await asyncio.gather(
        *(instance.matches.execute(match_id, sends(0, HEADS), 0) for match_id in matches)
    )

    assert [answer.result.code for answer in answers] == [None] * 10
    for match_id in matches:
        kinds = [type(record.event) for record in on_record(instance, match_id)]
        assert kinds.count(SideChosen) == 1
