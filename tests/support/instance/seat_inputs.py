"""What seats send to an instance, and what it does not accept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import pytest

from service.application.matches.command_queue import CommandResponse
from service.application.matches.creation import NewMatch
from service.application.matches.seat_limits import LimitReached
from service.instance import Instance
from service.settings import Settings
from tests.support.instance.service_instance import on_record, sends
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

FOUR = ("Ann", "Ben", "Cy", "Dee")


async def together(instance: Instance, clock: Any = "none", options: Any = None) -> UUID:
    """A match of four in its first round."""
    match = await instance.creation.match(
        NewMatch("together", FOUR, options or {}, "server", clock, "closed")
    )
    await instance.matches.execute(match.id, START, "moderator")
    return match.id


async def act(
    instance: Instance, match_id: UUID, seat: int, action: Any, key: str | None = None
) -> CommandResponse:
    return await instance.matches.execute(match_id, sends(seat, action, key), seat)


async def limited(instance: Instance, match_id: UUID, seat: int, action: Any) -> LimitReached:
    """The seat's action is not accepted, and nothing is recorded."""
    before = len(on_record(instance, match_id))
    with pytest.raises(LimitReached) as reached:
        await act(instance, match_id, seat, action)
    assert len(on_record(instance, match_id)) == before
    return reached.value


@asynccontextmanager
async def opened(chosen: Settings, clock: VirtualClock) -> AsyncIterator[Instance]:
    instance = Instance(chosen, clock)
    async with instance.running():
        yield instance
