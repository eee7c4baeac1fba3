"""Memory is only a cache: evicting a match or dropping its old lines hides nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from service.application.matches.match_sessions import UnknownPosition
from service.instance import Instance
from service.setting_types import Memory
from service.settings import Limits
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    created,
    lines_of,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
    without_projections,
)
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)
FEW = 8


@pytest_asyncio.fixture
async def forgetful(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Instance]:
    """An instance that caches one match and few of its lines."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)
    running = Instance(replace(settings(database), limits=Limits(match_memory=Memory(1))), clock)
    async with running.running():
        yield running


async def check(instance: Instance, match_id: UUID, game: str) -> None:
    """Every audience's lines, and its views at every number, are those of the whole record."""
    records = on_record(instance, match_id)
    for viewer in VIEWERS:
        visible = [n for n, record in enumerate(records) if may_see(viewer, record.event)]
        lines, more = await instance.sessions.lines(match_id, viewer, 0, len(visible))
        assert lines == lines_of([records[n] for n in visible]) and not more
        for seq in range(len(visible) + 1):
            upto = visible[seq - 1] + 1 if seq else 0
            view = await instance.sessions.view(match_id, viewer, seq)
            assert view == (seq, seen(records[:upto], match_id, game, viewer))
        with pytest.raises(UnknownPosition):
            await instance.sessions.view(match_id, viewer, len(visible) + 1)


async def test_matches_that_push_each_other_out_stay_right(forgetful: Instance) -> None:
    matches = [await started(forgetful, "twelve-chips") for _ in range(4)]
    for _ in range(2 * FEW):
        await asyncio.gather(*(someone_acts(forgetful, match_id) for match_id in matches))
        assert len(forgetful.sessions) <= len(matches)
    await forgetful.sessions.projection(matches[0], PUBLIC_VIEWER)
    assert len(forgetful.sessions) == 1
    for match_id in matches:
        await check(forgetful, match_id, "twelve-chips")


async def test_events_during_an_audiences_first_read_are_read_again(
    forgetful: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record outgrows the memory limit while an audience's projection is still being built."""
    match_id = await created(forgetful)
    await forgetful.matches.execute(match_id, START, PUBLIC_VIEWER)
    for _ in range(2 * FEW):
        await forgetful.matches.execute(match_id, sends(0, NOT_NOW), 0)
    reached, go_on, read = ThreadEvent(), ThreadEvent(), forgetful.store.states_at

    def delayed(*where: Any) -> list[bytes]:
        records = read(*where)
        reached.set()
        assert go_on.wait(PATIENCE)
        return records

    await without_projections(forgetful, match_id, [MODERATOR])
    monkeypatch.setattr(forgetful.store, "states_at", delayed)
    looking = asyncio.create_task(forgetful.sessions.view(match_id, MODERATOR, None))
    assert await asyncio.to_thread(reached.wait, PATIENCE)
    for _ in range(2 * FEW):
        await forgetful.matches.execute(match_id, sends(0, NOT_NOW), 0)
    go_on.set()

    _, view = await looking
    assert view == seen(on_record(forgetful, match_id), match_id, "dollar-prize", MODERATOR)
