"""How many bytes a seat may put on the record of a match: its inputs, and what it sees follow."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.match.commands import Command
from domain.match.decide import decide
from domain.match.recorded import Recorded, size
from service.application.matches.seat_limits import (
    ALWAYS_ACCEPTED,
    FULL_SECONDS,
    LimitReached,
    check_limits,
)
from service.event_store.sqlite.disk_room import MIB
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.seat_inputs import opened, together
from tests.support.instance.service_instance import NOT_NOW, sends, settings
from tests.support.instance.service_instance import started as two_started
from tests.support.instants import NOON
from tests.support.tables.together_tables import a
from tests.support.virtual_clock import VirtualClock

Sent = Callable[[int], Command]

INVALID = a(9)


@asynccontextmanager
async def small(
    database: Path, clock: VirtualClock, size: int, seats: int = 2
) -> AsyncIterator[Instance]:
    """An instance on which a seat may record this many bytes in a match of so many."""
    chosen = replace(settings(database), limits=Limits(seat_bytes=size * seats // 2))
    async with opened(chosen, clock) as instance:
        yield instance


async def used(instance: Instance, match_id: UUID, seat: int) -> int:
    loaded = await instance.sessions.current(match_id)
    size: int = loaded.match.recorded.sizes[seat]
    return size


async def until_full(instance: Instance, match_id: UUID, seat: int, sent: Sent) -> int:
    """How often the seat can send something, of which the number is given, before no more is
    recorded."""
    for number in range(10_000):
        try:
            await instance.matches.execute(match_id, sent(number), seat)
        except LimitReached as reached:
            said = reached.code, reached.wait
            break
    else:
        raise AssertionError("there is no limit")
    assert said == ("too_much_recorded", FULL_SECONDS)
    return number


async def filled(instance: Instance, match_id: UUID, seat: int, action: Any = NOT_NOW) -> int:
    """The same for an action that does not count."""
    return await until_full(instance, match_id, seat, lambda _: sends(seat, action))


@asynccontextmanager
async def used_up(database: Path, clock: VirtualClock) -> AsyncIterator[tuple[Instance, UUID]]:
    """A match of Together in which seat 0 may record no more of what does not count."""
    async with small(database, clock, 1_000, 4) as instance:
        match_id = await together(instance, options={"all_tied": "none_out"})
        await filled(instance, match_id, 0, INVALID)
        yield instance, match_id


async def test_a_seat_s_bytes_are_never_exceeded_by_refusals(
    database: Path, clock: VirtualClock
) -> None:
    async with small(database, clock, 5_000) as instance:
        match_id = await two_started(instance)
        number = await filled(instance, match_id, 0)
        size = await used(instance, match_id, 0)
        assert number > 10
        assert 5_000 - size / number < size <= 5_000
        assert await filled(instance, match_id, 1) == number


async def test_what_would_follow_decides_nothing(instance: Instance) -> None:
    """The seat does not know it yet: of an action for which no one waits its own bytes decide."""
    loaded = await instance.sessions.current(await together(instance))
    command = sends(0, a(1))
    events = decide(loaded.game, loaded.match, command, NOON)
    awaiting = replace(loaded.match.awaiting, seats=())
    used_up = Recorded((MIB - size(events[0]), 0, 0, 0), (0,) * 4, awaiting.phase)
    match = replace(loaded.match, awaiting=awaiting, recorded=used_up)
    check_limits(loaded.game, match, command, events, NOON, 2 * MIB)
    with pytest.raises(LimitReached):
        check_limits(loaded.game, match, command, events, NOON, 2 * MIB - 2)


async def test_a_large_action_is_not_accepted_even_if_it_is_awaited(
    database: Path, clock: VirtualClock
) -> None:
    async with used_up(database, clock) as (instance, match_id):
        sent = sends(0, a(1))
        room = ALWAYS_ACCEPTED - len(msgspec.msgpack.encode({**sent.sent, "note": ""}))
        large = replace(sent, sent={**sent.sent, "note": "x" * room})
        with pytest.raises(LimitReached) as reached:
            await instance.matches.execute(match_id, large, 0)
        assert reached.value.code == "too_much_recorded"
        most = replace(sent, sent={**sent.sent, "note": "x" * (room - 2)})
        assert (await instance.matches.execute(match_id, most, 0)).result.code is None
