"""Of several stores one may be in somebody's hands when the service starts: the others do not wait
for it, and it is served as soon as it can be had."""

import asyncio
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from service.arbiter import Arbiter
from service.cli.serve import _migrate
from service.place import Place
from service.settings import Settings
from service.storage.migration import migrate
from service.storage.reading import StoreUnavailable
from service.stores import Stores
from tests.postgres import connect, fresh_database
from tests.service.instance import PATIENCE, created

BRIEF = 0.5


async def test_the_others_are_served_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.stores.FIRST_SECONDS", BRIEF)
    with fresh_database() as north, fresh_database() as south:
        each = {"north": north, "south": south}
        chosen = Settings(north, keys=tmp_path / "keys", shared=True, stores=each)
        for store in each.values():
            migrate(store)
        places = [Place(name, partial(Arbiter, one)) for name, one in chosen.each.items()]
        async with AsyncExitStack() as running:
            with connect(south) as somebody, somebody.transaction():
                somebody.execute("LOCK TABLE arbiter_events IN ACCESS EXCLUSIVE MODE")
                began = time.monotonic()
                await asyncio.to_thread(_migrate, chosen)
                await running.enter_async_context(Stores(places).running())
                assert time.monotonic() - began < PATIENCE / 2
                await created(places[0].arbiter)
                with pytest.raises(StoreUnavailable):
                    _ = places[1].arbiter
            async with asyncio.timeout(PATIENCE):
                while not places[1].up:  # noqa: ASYNC110  it is tried again
                    await asyncio.sleep(0.05)
            await created(places[1].arbiter)
