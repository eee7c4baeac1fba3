"""What receipts bind is read when a receipt is made or asked for, and is then what it always is."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest

from domain.rulings.kinds import Note
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.seen import Acknowledged
from service.application.matches.loaded_match import LoadedMatch
from service.application.matches.match_loader import MatchLoader
from service.instance import Instance
from service.observability.work import EVENT_READ, Work, begin
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, sends, started
from tests.support.tables.ruling_tables import rule


async def played(instance: Instance) -> UUID:
    match = await started(instance)
    for seat in (0, 1, 0):
        await instance.matches.execute(match, sends(seat, NOT_NOW), seat)
    await instance.rulings.execute(match, rule("", Note("seat:1", "hidden", "clarification")))
    return match


def bindings(loaded: LoadedMatch) -> list[Acknowledged]:
    assert loaded.chains is not None
    return [one.acknowledged(loaded.secrets.log_key) for one in loaded.chains.inputs]


async def test_who_opens_or_looks_at_a_match_does_not_pay_for_receipts(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await played(instance)
    hashed = list[bytes]()

    def counted(leaf: bytes) -> bytes:
        hashed.append(leaf)
        return bytes(32)

    monkeypatch.setattr("service.application.matches.loaded_match.hash_of_leaf", counted)
    instance.sessions.invalidate(match)
    for viewer in (MODERATOR, 0, 1):
        await instance.sessions.view(match, viewer, None)
    assert hashed == []
    loaded = await instance.sessions.with_chains(match)
    assert len(hashed) == loaded.length
    await instance.sessions.with_chains(match)
    assert len(hashed) == loaded.length, "once"


async def test_what_is_recorded_while_they_are_read_is_bound(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await played(instance)
    instance.sessions.invalidate(match)
    await instance.sessions.view(match, MODERATOR, None)
    reached, go = ThreadEvent(), ThreadEvent()
    read = MatchLoader.read_chains

    def delayed(*args: Any) -> Any:
        made = read(*args)
        if not go.is_set():
            reached.set()
            assert go.wait(PATIENCE)
        return made

    monkeypatch.setattr(MatchLoader, "read_chains", delayed)
    reading = asyncio.create_task(instance.sessions.with_chains(match))
    assert await asyncio.to_thread(reached.wait, PATIENCE)
    await instance.rulings.execute(match, rule("", Note("public", "seen", "clarification")))
    go.set()
    found = bindings(await reading)
    instance.sessions.invalidate(match)
    assert found == bindings(await instance.sessions.with_chains(match))


# What a reader is charged depends on what they may see alone.

Read = Callable[[Instance, UUID, Viewer, int], Awaitable[object]]

READS: dict[str, Read] = {
    "lines": lambda one, match, viewer, seq: one.sessions.lines(match, viewer, 0, seq),
    "an earlier view": lambda one, match, viewer, seq: one.sessions.view(match, viewer, seq - 1),
    "a time line": lambda one, match, viewer, _: one.sessions.read_shown(
        match, viewer, None, lambda shown: len(shown)
    ),
    "rulings": lambda one, match, viewer, _: one.ruling_lists.list_rulings(match, viewer),
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
