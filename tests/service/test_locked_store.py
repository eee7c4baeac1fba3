"""One of several stores is locked when the service starts: the others do not wait for it, and it is
served as soon as it is free."""

import asyncio
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from service.application.migration import migrate
from service.cli.serve import _migrate
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from service.settings import Settings
from service.shard_router import ShardRouter
from service.store_connection import StoreConnection
from tests.support.instance.service_instance import PATIENCE, created
from tests.support.servers.postgres_server import connect, fresh_database

BRIEF = 0.5


async def test_the_others_are_served_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.shard_router.STARTUP_SECONDS", BRIEF)
    with fresh_database() as north, fresh_database() as south:
        each = {"north": north, "south": south}
        chosen = Settings(north, keys=tmp_path / "keys", shared=True, stores=each)
        for store in each.values():
            migrate(store)
        places = [
            StoreConnection(name, partial(Instance, one)) for name, one in chosen.per_store.items()
        ]
        async with AsyncExitStack() as running:
            with connect(south) as somebody, somebody.transaction():
                somebody.execute("LOCK TABLE arbiter_events IN ACCESS EXCLUSIVE MODE")
                began = time.monotonic()
                await asyncio.to_thread(_migrate, chosen)
                await running.enter_async_context(ShardRouter(places).running())
                assert time.monotonic() - began < PATIENCE / 2
                await created(places[0].instance)
                with pytest.raises(StoreUnavailable):
                    _ = places[1].instance
            async with asyncio.timeout(PATIENCE):
                while not places[1].up:  # noqa: ASYNC110  it is tried again
                    await asyncio.sleep(0.05)
            await created(places[1].instance)
