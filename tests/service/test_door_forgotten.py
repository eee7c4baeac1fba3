"""A match that memory has to forget, while others wait to read it, is read right ever after."""

import asyncio
from collections.abc import Callable
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from domain.events import Event, Record
from projections.answers import remember
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.arbiter import Arbiter
from service.door.pending import Answer
from service.storage.reading import StoreUnavailable
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    on_record,
    seen,
    sends,
    started,
    watched,
)

FEW = 8
VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)


@pytest.fixture
def few_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.door.open_match.KEPT", FEW)


class HeldUp:
    """A call of which the first waits in its thread, its work done, until it may `go`."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._waits = True
        self.reached = ThreadEvent()
        self.go = ThreadEvent()

    def __call__(self, *args: Any) -> Any:
        result = self._call(*args)
        if self._waits:
            self._waits = False
            self.reached.set()
            assert self.go.wait(PATIENCE)
        return result


async def long_match(arbiter: Arbiter) -> UUID:
    """A match of which only the end is in memory, and of its audiences only seat 0."""
    match_id = await started(arbiter)
    for _ in range(2 * FEW):
        await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
    closed(arbiter, match_id)
    await arbiter.open_matches.read(match_id, 0)
    return match_id


def closed(arbiter: Arbiter, match_id: UUID) -> None:
    """The match is closed, as one that is idle may be at any time."""
    arbiter.open_matches.close(match_id)


async def all_see_the_record(arbiter: Arbiter, match_id: UUID) -> None:
    records = on_record(arbiter, match_id)
    for viewer in VIEWERS:
        _, view = await arbiter.open_matches.view(match_id, viewer, None)
        assert view == seen(records, match_id, "dollar-prize", viewer), viewer


@pytest.mark.usefixtures("few_kept")
@pytest.mark.parametrize("failure", [OperationalError("disk full"), IntegrityError("second")])
async def test_who_reads_first_while_the_match_is_forgotten_reads_all_of_it(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """An action fails, or loses a race, while two new audiences are on their way to the end."""
    match_id = await long_match(arbiter)
    reading = HeldUp(arbiter.store.read)
    monkeypatch.setattr(arbiter.store, "read", reading)
    first: tuple[Viewer, ...] = (1, PUBLIC_VIEWER)
    looking = [
        asyncio.create_task(arbiter.open_matches.view(match_id, viewer, None)) for viewer in first
    ]
    assert await asyncio.to_thread(reading.reached.wait, PATIENCE)
    before = on_record(arbiter, match_id)

    watched(arbiter).before.append(failure)
    acting = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0))
    await forgotten(arbiter, match_id)
    reading.go.set()

    told = await asyncio.gather(*looking)
    await asyncio.gather(acting, return_exceptions=True)
    stages = [before, on_record(arbiter, match_id)]
    for viewer, (seq, view) in zip(first, told, strict=True):
        assert seq > 0
        assert view in [seen(records, match_id, "dollar-prize", viewer) for records in stages]
    await all_see_the_record(arbiter, match_id)


async def forgotten(arbiter: Arbiter, match_id: UUID) -> None:
    async with asyncio.timeout(PATIENCE):
        while arbiter.open_matches.place(match_id).loaded:  # noqa: ASYNC110  nobody is told
            await asyncio.sleep(0)


@pytest.mark.usefixtures("few_kept")
async def test_a_read_that_fails_during_a_commit_leaves_no_stale_match_behind(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is being committed reaches those who look afterwards, and those who looked before."""
    match_id = await long_match(arbiter)
    store = watched(arbiter)
    store.hold()
    acting = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0))
    await store.held()
    with monkeypatch.context() as broken:
        broken.setattr(store, "read", failing_read)
        with pytest.raises(StoreUnavailable):
            await arbiter.open_matches.view(match_id, PUBLIC_VIEWER, None)
    earlier, _ = await arbiter.open_matches.view(match_id, 0, None)
    store.open.set()

    answer = await acting

    assert answer.view_seq == earlier + 2
    assert await arbiter.open_matches.view(match_id, 0, None) == (answer.view_seq, answer.view)
    await all_see_the_record(arbiter, match_id)


def failing_read(*where: Any) -> list[Record[Event]]:
    raise OperationalError("disk I/O error")


async def test_a_match_forgotten_twice_while_it_is_read_is_read_again(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store fails; what waited for the match is read anew, and meanwhile it fails again."""
    match_id, other = await started(arbiter), await started(arbiter)
    first = await arbiter.matches.enter(match_id, sends(0, NOT_NOW, "known"), 0)
    store, loading = watched(arbiter), HeldUp(remember)
    monkeypatch.setattr("service.door.open_match.remember", loading)
    until = iter([store.open, loading.reached])

    def fails(rows: Any, unchanged: Any) -> None:
        store.reached.set()
        assert next(until).wait(PATIENCE)
        raise OperationalError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(store, "append", fails)
        store.hold()
        failed = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0))
        await store.held()
        waits = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0))
        beside = asyncio.create_task(arbiter.matches.enter(other, sends(0, NOT_NOW), 0))
        await asyncio.sleep(0)
        store.open.set()
        lost = await asyncio.gather(failed, beside, return_exceptions=True)
    loading.go.set()

    assert [type(error) for error in lost] == [StoreUnavailable] * 2
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await waits, Answer)
        again = await arbiter.matches.enter(match_id, sends(0, NOT_NOW, "known"), 0)
    assert again.verdict.replayed and again.view == first.view
    await all_see_the_record(arbiter, match_id)
