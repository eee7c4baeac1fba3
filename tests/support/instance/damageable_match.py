"""A match whose rows can be damaged while its instance runs, with another match next to it."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from service.event_store.integrity.digests import (
    RecordAltered,
)
from service.instance import Instance
from tests.support.instance import damage
from tests.support.instance.damage import Rows, rows_of
from tests.support.instance.service_instance import (
    NOT_NOW,
    sends,
    someone_acts,
    started,
)
from tests.support.instance.service_instance import settings as settings_of
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock

INPUTS = 12


class Played:
    """An instance on a file, a match in the middle of its record, and another one next to it."""

    def __init__(self, instance: Instance, database: Path, match: UUID, other: UUID) -> None:
        self.instance = instance
        self.database = database
        self.match = match
        self.other = other

    def damage(self, change: Callable[[Rows], object]) -> None:
        """Changes the match's rows in the file, and drops the match from memory."""
        with rows_of(self.database, self.match) as rows:
            change(rows)
        self.instance.sessions.invalidate(self.match)

    async def view(self) -> None:
        await self.instance.sessions.view(self.match, PUBLIC_VIEWER, None)

    async def events(self) -> None:
        await self.instance.sessions.lines(self.match, PUBLIC_VIEWER, 0, 100)

    async def act(self, match: UUID | None = None) -> None:
        await self.instance.matches.execute(match or self.match, sends(0, NOT_NOW), 0)

    async def is_closed(self) -> str:
        """Asserts that the match is closed and the other one is not; returns what is wrong."""
        for attempt in (self.act, self.view, self.events):
            with pytest.raises(RecordAltered) as found:
                await attempt()
        await self.act(self.other)
        await self.instance.sessions.view(self.other, MODERATOR, None)
        assert len(self.instance.closed) == 1
        return found.value.what


@pytest_asyncio.fixture
async def played(tmp_path: Path) -> AsyncIterator[Played]:
    database = tmp_path / "arbiter.db"
    instance = Instance(settings_of(database), VirtualClock(NOON))
    async with instance.running():
        match, other = await started(instance), await started(instance)
        for _ in range(INPUTS):
            await someone_acts(instance, match)
        yield Played(instance, database, match, other)


def change(
    position: int, how: Callable[[damage.StoredRow], damage.StoredRow]
) -> Callable[[Rows], None]:
    return lambda rows: rows.put(how(rows.all()[position]))
