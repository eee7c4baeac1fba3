"""A match evicted while others wait to read it is read correctly ever after."""

import asyncio
from collections.abc import AsyncIterator, Callable
from threading import Event as ThreadEvent
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.submissions import remember
from service.app import create_app
from service.application.matches.command_queue import CommandResponse
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    on_record,
    seen,
    sends,
    started,
    watched,
    without_projections,
)

FEW = 8
VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)


class DelayedCall:
    """A call whose first execution waits in its thread, its work done, until `go` is set."""

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


async def long_match(instance: Instance) -> UUID:
    """A match with only its latest lines, the projection of seat 0 and what receipts bind in
    memory."""
    match_id = await started(instance)
    for _ in range(2 * FEW):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    closed(instance, match_id)
    await instance.sessions.with_chains(match_id)
    await without_projections(instance, match_id, (1, PUBLIC_VIEWER, MODERATOR))
    return match_id


def closed(instance: Instance, match_id: UUID) -> None:
    """Evicts the match, as may happen to an idle one at any time."""
    instance.sessions.invalidate(match_id)


async def all_see_the_record(instance: Instance, match_id: UUID) -> None:
    records = on_record(instance, match_id)
    for viewer in VIEWERS:
        _, view = await instance.sessions.view(match_id, viewer, None)
        assert view == seen(records, match_id, "dollar-prize", viewer), viewer


@pytest.mark.usefixtures("few_lines")
@pytest.mark.parametrize("failure", [OperationalError("disk full"), IntegrityError("second")])
async def test_the_first_reader_of_an_evicted_match_reads_all_of_it(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """An action fails, or loses a race, while the projections of two audiences are being built."""
    match_id = await long_match(instance)
    reading = DelayedCall(instance.store.states_at)
    monkeypatch.setattr(instance.store, "states_at", reading)
    first: tuple[Viewer, ...] = (1, PUBLIC_VIEWER)
    looking = [
        asyncio.create_task(instance.sessions.view(match_id, viewer, None)) for viewer in first
    ]
    assert await asyncio.to_thread(reading.reached.wait, PATIENCE)
    before = on_record(instance, match_id)

    watched(instance).before.append(failure)
    acting = asyncio.create_task(instance.matches.execute(match_id, sends(0, NOT_NOW), 0))
    await forgotten(instance, match_id)
    reading.go.set()

    results = await asyncio.gather(*looking)
    await asyncio.gather(acting, return_exceptions=True)
    stages = [before, on_record(instance, match_id)]
    for viewer, (seq, view) in zip(first, results, strict=True):
        assert seq > 0
        assert view in [seen(records, match_id, "dollar-prize", viewer) for records in stages]
    await all_see_the_record(instance, match_id)


async def forgotten(instance: Instance, match_id: UUID) -> None:
    async with asyncio.timeout(PATIENCE):
        while instance.sessions.session(match_id).loaded:  # noqa: ASYNC110  no notification
            await asyncio.sleep(0)


async def test_a_match_evicted_twice_while_it_is_read_is_read_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store fails; the commands that waited for the match read it again, and it fails again
    meanwhile."""
    match_id, other = await started(instance), await started(instance)
    first = await instance.matches.execute(match_id, sends(0, NOT_NOW, "known"), 0)
    store, loading = watched(instance), DelayedCall(remember)
    monkeypatch.setattr("service.application.matches.loaded_match.remember", loading)
    until = iter([store.open, loading.reached])

    def fails(*_: Any) -> None:
        store.reached.set()
        assert next(until).wait(PATIENCE)
        raise OperationalError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(store, "append", fails)
        store.block()
        failed = asyncio.create_task(instance.matches.execute(match_id, sends(0, NOT_NOW), 0))
        await store.blocked()
        waits = asyncio.create_task(instance.matches.execute(match_id, sends(0, NOT_NOW), 0))
        beside = asyncio.create_task(instance.matches.execute(other, sends(0, NOT_NOW), 0))
        await asyncio.sleep(0)
        store.open.set()
        lost = await asyncio.gather(failed, beside, return_exceptions=True)
    loading.go.set()

    assert [type(error) for error in lost] == [StoreUnavailable] * 2
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await waits, CommandResponse)
        again = await instance.matches.execute(match_id, sends(0, NOT_NOW, "known"), 0)
    assert again.result.replayed and again.view == first.view
    await all_see_the_record(instance, match_id)


async def test_a_match_that_cannot_be_read_while_it_decides_has_what_is_decided(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    store = watched(instance)
    store.block()
    acting = asyncio.create_task(instance.matches.execute(match_id, sends(0, NOT_NOW), 0))
    await store.blocked()
    closed(instance, match_id)

    def fails(*_: Any, **__: Any) -> None:
        raise StoreUnavailable

    with monkeypatch.context() as broken:
        broken.setattr("service.application.matches.match_loader.read_checked", fails)
        with pytest.raises(StoreUnavailable):
            await instance.sessions.current(match_id)
    await instance.sessions.current(match_id)
    store.open.set()
    await acting
    await all_see_the_record(instance, match_id)


# A match is evicted, because another instance was first, while an action is received or recorded.


async def test_a_match_that_is_read_between_a_commit_and_its_answer_has_each_event_once(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    recording = DelayedCall(watched(instance).append)
    monkeypatch.setattr(instance.store, "append", recording)
    acting = asyncio.create_task(instance.matches.execute(match_id, sends(0, NOT_NOW), 0))
    assert await asyncio.to_thread(recording.reached.wait, PATIENCE)
    closed(instance, match_id)
    await instance.sessions.current(match_id)
    recording.go.set()
    await acting
    loaded = await instance.sessions.current(match_id)
    assert loaded.length == len(on_record(instance, match_id))
    await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    await all_see_the_record(instance, match_id)


async def test_an_action_is_accepted_though_its_match_is_evicted_meanwhile(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    (key,) = instance.keyring.issue(match_id, ["s0"])
    await instance.sessions.cached(match_id)

    async def body() -> AsyncIterator[bytes]:
        yield b'{"type":"choose_side",'
        instance.sessions.session(match_id).forget()
        yield b'"side":"heads"}'

    transport = httpx.ASGITransport(cast(Any, create_app(instance)), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://arbiter") as http:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        path = f"/v1/matches/{match_id}/actions"
        answer = await http.post(path, content=body(), headers=headers)
    assert answer.status_code == 201, answer.text
    assert len(on_record(instance, match_id)) > 0
