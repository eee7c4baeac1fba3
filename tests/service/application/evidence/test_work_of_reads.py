"""What a reader is charged depends on what they may see alone."""

from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest

from domain.rulings.kinds import Note
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.instance import Instance
from service.observability.work import EVENT_READ, Work, begin
from tests.support.instance.service_instance import started
from tests.support.tables.ruling_tables import rule

Read = Callable[[Instance, UUID, Viewer, int], Awaitable[object]]

READS: dict[str, Read] = {
    "lines": lambda one, match, viewer, seq: one.sessions.lines(match, viewer, 0, seq),
    "an earlier view": lambda one, match, viewer, seq: one.sessions.view(match, viewer, seq - 1),
    "a time line": lambda one, match, viewer, _: one.sessions.shown(
        match, viewer, None, lambda _, shown: len(shown)
    ),
    "rulings": lambda one, match, viewer, _: one.ruling_lists.listed(match, viewer),
}


async def spent(instance: Instance, match: UUID, viewer: Viewer, read: str) -> int:
    _, projection = await instance.sessions.projection(match, viewer)
    work = Work(lambda _: None)
    begin(work)
    await READS[read](instance, match, viewer, projection.seq)
    return work.spent


@pytest.mark.parametrize("read", READS)
async def test_hidden_events_cost_their_readers_alone(instance: Instance, read: str) -> None:
    match = await started(instance)
    before = {viewer: await spent(instance, match, viewer, read) for viewer in (PUBLIC_VIEWER, 0)}
    seen = await spent(instance, match, MODERATOR, read)
    for to in ("sealed", "seat:1", "sealed"):
        await instance.rulings.execute(match, rule("", Note(to, "hidden", "clarification")))
    for viewer, cost in before.items():
        assert await spent(instance, match, viewer, read) == cost
    assert await spent(instance, match, MODERATOR, read) > seen


@pytest.mark.parametrize("read", READS)
async def test_what_is_in_memory_costs_as_much_as_what_is_not(
    instance: Instance, read: str
) -> None:
    match = await started(instance)
    first = await spent(instance, match, PUBLIC_VIEWER, read)
    assert await spent(instance, match, PUBLIC_VIEWER, read) == first
    instance.sessions.invalidate(match)
    assert await spent(instance, match, PUBLIC_VIEWER, read) == first


async def test_a_long_record_costs_by_its_length(instance: Instance) -> None:
    match = await started(instance)
    cost = await spent(instance, match, PUBLIC_VIEWER, "a time line")
    _, public = await instance.sessions.projection(match, PUBLIC_VIEWER)
    assert cost == EVENT_READ * public.seq
