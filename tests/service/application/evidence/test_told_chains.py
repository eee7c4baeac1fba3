"""What receipts bind is read when a receipt is made or asked for, and is then what it always is."""

import asyncio
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest

from domain.rulings.kinds import Note
from projections.audience.disclosure import MODERATOR
from projections.evidence.seen import Bound
from service.application.matches.loaded_match import LoadedMatch
from service.application.matches.match_loader import MatchLoader
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, PATIENCE, sends, started
from tests.support.tables.ruling_tables import rule


async def played(instance: Instance) -> UUID:
    match = await started(instance)
    for seat in (0, 1, 0):
        await instance.matches.execute(match, sends(seat, NOT_NOW), seat)
    await instance.rulings.execute(match, rule("", Note("seat:1", "hidden", "clarification")))
    return match


def bindings(loaded: LoadedMatch) -> list[Bound | None]:
    return [loaded.bound(position) for position in range(1, loaded.length + 1)]


async def test_they_bind_the_same_whenever_they_are_read(instance: Instance) -> None:
    match = await played(instance)
    live = bindings(await instance.sessions.told(match))
    assert sum(bound is not None for bound in live) > 3
    instance.sessions.invalidate(match)
    await instance.sessions.view(match, MODERATOR, None)
    assert bindings(await instance.sessions.told(match)) == live
    instance.sessions.invalidate(match)
    assert bindings(await instance.sessions.told(match)) == live


async def test_who_opens_or_looks_at_a_match_does_not_pay_for_receipts(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await played(instance)
    hashed = list[bytes]()

    def counted(leaf: bytes) -> bytes:
        hashed.append(leaf)
        return bytes(32)

    monkeypatch.setattr("service.application.matches.loaded_match.leaf_hash", counted)
    instance.sessions.invalidate(match)
    for viewer in (MODERATOR, 0, 1):
        await instance.sessions.view(match, viewer, None)
    assert hashed == []
    loaded = await instance.sessions.told(match)
    assert len(hashed) == loaded.length
    await instance.sessions.told(match)
    assert len(hashed) == loaded.length, "once"


async def test_what_is_recorded_while_they_are_read_is_bound(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await played(instance)
    instance.sessions.invalidate(match)
    await instance.sessions.view(match, MODERATOR, None)
    reached, go = ThreadEvent(), ThreadEvent()
    read = MatchLoader.told

    def delayed(*args: Any) -> Any:
        made = read(*args)
        if not go.is_set():
            reached.set()
            assert go.wait(PATIENCE)
        return made

    monkeypatch.setattr(MatchLoader, "told", delayed)
    reading = asyncio.create_task(instance.sessions.told(match))
    assert await asyncio.to_thread(reached.wait, PATIENCE)
    await instance.rulings.execute(match, rule("", Note("public", "seen", "clarification")))
    go.set()
    found = bindings(await reading)
    instance.sessions.invalidate(match)
    assert found == bindings(await instance.sessions.told(match))
