"""Readers of a match that is forgotten, evicted or read again, here or because of what another
instance records: they lose nothing, get nothing twice, and wait for nothing but their events."""

import asyncio
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError
from msgspec.structs import replace

from domain.chance.generator import commit
from domain.events import Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import MatchPaused, SeedCommitted
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.event_store.errors import StoreUnavailable
from service.event_store.secret_store import SeedStored
from service.instance import Instance
from tests.support.instance.appended_records import append_records
from tests.support.instance.followers import caught_up, following, has_ended, turns
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    sends,
    someone_acts,
    started,
    watched,
)
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

SEED = SeedStored(1, bytes(32), ())


def begin_epoch(instance: Instance, match_id: UUID) -> None:
    """Pauses the match and commits it to the seed of epoch 1, which is stored before."""
    records, at = on_record(instance, match_id), instance.clock.now()
    first = next(r.event for r in records if isinstance(r.event, SeedCommitted))
    committed = replace(first, epoch=1, commit=commit(str(match_id), 1, SEED.seed))
    instance.secret_store._append(match_id, 2, [SEED])
    behind = [Record(at, 0, MatchPaused()), Record(at, 0, committed)]
    append_records(instance.store, match_id, behind)


HEADS = ChooseSide("heads")
SHORT = {"tokens_to_win": 1}
VIEWERS: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, 0, 1)
FEW = 4


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)


@pytest.mark.usefixtures("few_lines")
@pytest.mark.parametrize("lost", ["nothing", "forgotten", "evicted"])
async def test_readers_of_a_match_that_is_dropped_from_memory_lose_nothing(
    instance: Instance, lost: str
) -> None:
    match_id = await started(instance, "twelve-chips")
    async with following(instance, match_id, *VIEWERS, count=3) as followers:
        for n in range(10 * FEW):
            await someone_acts(instance, match_id)
            if lost == "forgotten":
                instance.sessions.session(match_id).forget()
            elif lost == "evicted":
                instance.sessions.invalidate(match_id)
            if n % 3 == 0:
                await caught_up(instance, match_id, followers)
        await caught_up(instance, match_id, followers)
        await turns()
        await caught_up(instance, match_id, followers)


async def test_what_another_instance_records_is_broadcast(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance, "twelve-chips", SHORT)
    async with following(other, match_id, *VIEWERS, count=3) as followers:
        await turns()
        while await someone_acts(instance, match_id):
            await caught_up(other, match_id, followers)
        for one in followers:
            await has_ended(other, match_id, one)


async def test_what_another_instance_records_wakes_nobody_who_may_not_see_it(
    instance: Instance, other: Instance
) -> None:
    """By the log or by a notification: this instance reads it, and its readers notice nothing."""
    match_id = await started(instance)
    async with following(other, match_id, PUBLIC_VIEWER, 1) as followers:
        await caught_up(other, match_id, followers)
        await turns()
        asked = [one.asked for one in followers]
        for _ in range(3):
            await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
        length = len(on_record(instance, match_id))
        other.outside_news.grown(match_id)
        await until(lambda: length_in_memory(other, match_id) == length)
        await turns()
        assert [one.asked for one in followers] == asked
        await instance.matches.execute(match_id, sends(0, HEADS), 0)
        await caught_up(other, match_id, followers)


def length_in_memory(instance: Instance, match_id: UUID) -> int:
    loaded = instance.sessions.loaded(match_id)
    return 0 if loaded is None else loaded.length


async def test_the_records_of_a_new_seed_are_broadcast(
    instance: Instance, other: Instance, clock: VirtualClock
) -> None:
    """With them the match is read again, with its secrets."""
    match_id = await started(instance)
    async with following(other, match_id, *VIEWERS) as followers:
        await turns()
        begin_epoch(instance, match_id)
        await caught_up(other, match_id, followers)


async def test_a_store_that_does_not_answer_ends_no_stream(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when an action of another seat, which these readers must not notice, failed."""
    monkeypatch.setattr("service.streams.outside_news.RETRY_SECONDS", 0.01)
    match_id = await started(instance)
    async with following(instance, match_id, *VIEWERS) as followers:
        await turns()
        read = instance.store.rows
        with monkeypatch.context() as broken:
            broken.setattr(instance.store, "rows", failing)
            watched(instance).before.append(OperationalError("disk full"))
            with pytest.raises(StoreUnavailable):
                await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
            await asyncio.sleep(0.05)
            assert not any(one.reading.done() for one in followers)
        assert read(match_id).rows
        await fails_on_disk(instance, match_id)
        await caught_up(instance, match_id, followers)


def failing(*where: object) -> list[bytes]:
    raise OperationalError("disk I/O error")


async def fails_on_disk(instance: Instance, match_id: UUID) -> None:
    """An action that is on record although its commit has failed."""
    before = len(on_record(instance, match_id))
    watched(instance).after.append(OperationalError("the answer was lost"))
    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(match_id, sends(0, HEADS), 0)
    assert len(on_record(instance, match_id)) > before
