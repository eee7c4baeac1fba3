"""One more ruling costs what one costs, however many are on record; and what is in memory of them
decides nothing."""

from uuid import UUID

import pytest

from domain.rulings.kinds import Note
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.rulings.match_rulings import RulingShown
from service.application.rulings import ruling_lists
from service.application.rulings.ruling_lists import RulingLists
from service.instance import Instance
from tests.support.instance.service_instance import started
from tests.support.instance.work_counter import WorkCounter
from tests.support.tables.ruling_tables import rule

ALL: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, 0)


async def ruled(instance: Instance, match_id: UUID, count: int, to: str = "public") -> None:
    for _ in range(count):
        await instance.rulings.execute(match_id, rule("", Note(to, "as it lies", "clarification")))


async def read_anew(instance: Instance, match_id: UUID, viewer: Viewer) -> list[RulingShown]:
    lists = RulingLists(instance.sessions)
    return await lists.listed(match_id, viewer)


async def test_one_more_ruling_reads_itself(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    await ruled(instance, match_id, 2)
    counter = WorkCounter(monkeypatch)
    await ruled(instance, match_id, 1)
    few = counter.take()
    await ruled(instance, match_id, 60)
    counter.take()
    await ruled(instance, match_id, 1)
    assert counter.take() == few


async def test_a_list_that_did_not_change_is_not_read_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    await ruled(instance, match_id, 3)
    first = {viewer: await instance.ruling_lists.listed(match_id, viewer) for viewer in ALL}
    counter = WorkCounter(monkeypatch)
    for viewer, listed in first.items():
        assert await instance.ruling_lists.listed(match_id, viewer) == listed
    assert counter.take() == {}


async def test_what_is_folded_in_steps_is_what_is_folded_at_once(instance: Instance) -> None:
    match_id = await started(instance)
    for to in ("public", "seat:0", "sealed", "public"):
        await ruled(instance, match_id, 1, to)
        for viewer in ALL:
            listed = await instance.ruling_lists.listed(match_id, viewer)
            assert listed == await read_anew(instance, match_id, viewer)
    assert len(listed) == 3


async def test_a_list_of_another_record_is_read_anew(instance: Instance) -> None:
    """As after the operator has gone back to a backup."""
    match_id, other = await started(instance), await started(instance)
    await ruled(instance, match_id, 1)
    await ruled(instance, other, 3)
    lists = instance.ruling_lists
    for viewer in ALL:
        await lists.listed(other, viewer)
        lists._lists[match_id, viewer] = lists._lists.pop((other, viewer))
        listed = await lists.listed(match_id, viewer)
        assert listed == await read_anew(instance, match_id, viewer)
        assert len(listed) == 1


async def test_the_lists_in_memory_are_bounded(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ruling_lists, "MOST_RULINGS", 4)
    monkeypatch.setattr(ruling_lists, "MOST_LISTS", 3)
    for _ in range(5):
        match_id = await started(instance)
        await ruled(instance, match_id, 2)
        for viewer in ALL:
            assert len(await instance.ruling_lists.listed(match_id, viewer)) == 2
    kept = instance.ruling_lists._lists
    assert sum(len(one.seen.rulings) for one in kept.values()) <= 6
    assert len(kept) <= 3
