"""Stores of the library itself, without our recorders: slower, and correct."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from domain.match_events import ActionReceived, DeadlinePassed
from domain.notes import read
from service.event_store.errors import StoreUnavailable
from service.instance import Instance, open_instance
from service.settings import Settings
from tests.support.instance.match_growth import joined
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    created,
    on_record,
    seen,
    sends,
    someone_acts,
    started,
)
from tests.support.instance.tournament_play import CUP, added, settled
from tests.support.instants import NOON, SECOND
from tests.support.servers.postgres_proxy import PostgresProxy
from tests.support.servers.postgres_server import fresh_database
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

MODULES = ("eventsourcing.popo", "eventsourcing.sqlite", "eventsourcing.postgres")


@pytest.fixture(params=MODULES)
def stock_settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """The settings of an instance on a stock module."""
    more = {"SQLITE_DBNAME": str(tmp_path / "stock.db")}
    if request.param == "eventsourcing.postgres":
        with fresh_database() as env:
            yield _settings(tmp_path, {**env, "PERSISTENCE_MODULE": request.param})
    else:
        yield _settings(tmp_path, {**more, "PERSISTENCE_MODULE": request.param})


def _settings(folder: Path, env: dict[str, str]) -> Settings:
    return Settings(env, data=folder, shared=True)


@pytest_asyncio.fixture
async def stock(stock_settings: Settings, clock: VirtualClock) -> AsyncIterator[Instance]:
    running = open_instance(stock_settings, clock)
    async with running.running():
        yield running


async def test_a_match_is_played_listed_signed_and_read_again(stock: Instance) -> None:
    match_id = await started(stock, "twelve-chips", {"tokens_to_win": 1})
    await stock.matches.execute(match_id, sends(0, NOT_NOW, "one"), 0)
    again = await stock.matches.execute(match_id, sends(0, NOT_NOW, "one"), 0)
    assert again.result.replayed
    while await someone_acts(stock, match_id):
        pass
    records = on_record(stock, match_id)
    stock.sessions.session(match_id).forget()
    for viewer in (0, 1):
        _, view = await stock.sessions.view(match_id, viewer, None)
        assert view == seen(records, match_id, "twelve-chips", viewer)
    page = await stock.lists.matches(
        after=None, limit=5, game=None, status="ended", tournament=None
    )
    assert [row.id for row in page.matches] == [str(match_id)]
    signed = await stock.notary.checkpoint(match_id)
    assert signed.checkpoint.size == len(records)
    assert read(signed.note).text


async def test_a_tournament_is_settled(stock: Instance) -> None:
    cup, _ = await stock.creation.tournament(CUP)
    match_id = await added(stock, cup)
    await stock.matches.execute(match_id, START, "moderator")
    assert (await stock.tournaments.current(cup)).state.matches
    while await someone_acts(stock, match_id):
        pass
    async with asyncio.timeout(PATIENCE):
        await settled(stock, cup, 1)


async def test_a_deadline_passes(stock: Instance, clock: VirtualClock) -> None:
    match_id = await started(stock, options={"turn_seconds": 60}, clock="rules")
    async with joined(stock, match_id) as member:
        await clock.somebody_waits_for(NOON + 60 * SECOND)
        clock.move_to(NOON + 60 * SECOND)
        async with asyncio.timeout(PATIENCE):
            await member.left.wait()
    assert any(isinstance(r.event, DeadlinePassed) for r in on_record(stock, match_id))


async def test_matches_survive_a_restart(stock_settings: Settings, clock: VirtualClock) -> None:
    if stock_settings.store["PERSISTENCE_MODULE"] == "eventsourcing.popo":
        pytest.skip("it keeps nothing")
    one = open_instance(stock_settings, clock)
    async with one.running():
        match_id = await created(one)
    two = open_instance(stock_settings, clock)
    async with two.running():
        loaded = await two.sessions.current(match_id)
        assert loaded.match is not None and loaded.match.status == "created"
        page = await two.lists.matches(after=None, limit=5, game=None, status=None, tournament=None)
        assert [row.id for row in page.matches] == [str(match_id)]


async def test_an_action_is_recorded_once_though_the_answer_of_its_commit_is_lost(
    tmp_path: Path, clock: VirtualClock
) -> None:
    """It was sent once, without an idempotency key. The library's own retry would report its
    own rows as another writer's."""
    with fresh_database() as env, PostgresProxy(tmp_path, env["POSTGRES_HOST"]) as wire:
        distant = {
            **env,
            "POSTGRES_HOST": str(tmp_path),
            "PERSISTENCE_MODULE": "eventsourcing.postgres",
        }
        running = open_instance(_settings(tmp_path, distant), clock)
        async with running.running():
            match_id = await started(running)
            before = len(on_record(running, match_id))
            wire.lose_the_answer_to(b"COMMIT")
            with pytest.raises(StoreUnavailable):
                await running.matches.execute(match_id, sends(0, NOT_NOW), 0)
            behind = on_record(running, match_id)[before:]
    assert [type(record.event) for record in behind].count(ActionReceived) == 1
