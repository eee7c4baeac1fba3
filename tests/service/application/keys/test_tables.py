"""Open tables: one holder a seat, whatever happens at the same moment, and void when idle."""

import asyncio
from pathlib import Path
from unittest.mock import AsyncMock
from uuid import UUID

import pytest

from domain.match.commands import Conflict
from domain.match.seat_holders import holders
from domain.match.state import Match
from domain.tournament.state import KeyedRequest
from service.application.keys.tables import OpenedTable
from service.application.matches.creation import NewMatch
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from service.read_models.match_projection import IDLE_TABLE
from tests.support.virtual_clock import VirtualClock

ANN = "drawn-at-random-by-ann"
TABLE = NewMatch("dollar-prize", ("Ann", "Seat 2"), rulings="single")


async def opened(instance: Instance) -> OpenedTable:
    instance.tables.most = 10
    return await instance.tables.open(TABLE, KeyedRequest("table", b"fingerprint"), ANN)


async def now(instance: Instance, match_id: UUID) -> Match:
    return (await instance.sessions.current(match_id)).match


async def test_of_two_who_take_a_seat_at_once_one_has_it(
    instance: Instance, rival: Instance
) -> None:
    table = await opened(instance)
    answers = await asyncio.gather(
        *(
            at.tables.take(table.match, table.token, name, f"drawn-at-random-by-{name}")
            for at, name in ((instance, "Ben"), (rival, "Cleo"), (instance, "Dee"))
        ),
        return_exceptions=True,
    )
    taken = [one for one in answers if not isinstance(one, BaseException)]
    refused = [one.code for one in answers if isinstance(one, Conflict)]
    assert (len(taken), refused) == (1, ["table_full"] * 2)
    assert holders(await now(instance, table.match)) == ("Ann", taken[0].name)


async def test_none_of_its_secrets_is_stored(instance: Instance, database: Path) -> None:
    table = await opened(instance)
    files = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    code = table.first.recovery
    for secret in (ANN, table.token, table.first.given.key, code, code.replace("-", "")):
        assert secret.encode() not in files


async def test_of_two_who_play_on_at_once_each_has_a_seat_of_one_table(
    instance: Instance, rival: Instance, clock: VirtualClock
) -> None:
    table = await opened(instance)
    rival.tables.most = 10
    await instance.tables.take(table.match, table.token, "Ben", "drawn-at-random-by-ben")
    clock.pass_time(IDLE_TABLE)
    await instance.tables.void_idle()
    seats = await asyncio.gather(
        *(
            at.tables.again(table.match, seat, f"drawn-at-random-for-{seat}")
            for seat, at in enumerate((instance, rival))
        )
    )
    assert [one.taken.seat for one in seats] == [1, 0]
    assert len({one.match for one in seats}) == 1
    assert [one.token for one in seats].count(None) == 1
    # Either instance may have recorded last, and the other has not read that yet.
    assert holders((await instance.sessions.load_stored(seats[0].match)).match) == ("Ben", "Ann")
    assert await rival.tables.next_of(table.match) == seats[0].match


@pytest.mark.parametrize("fails", ["_set", "_seat", "_give"])
async def test_a_next_table_that_was_opened_by_half_is_opened_whole_by_whoever_asks(
    instance: Instance, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    table = await opened(instance)
    await instance.tables.take(table.match, table.token, "Ben", "drawn-at-random-by-ben")
    clock.pass_time(IDLE_TABLE)
    await instance.tables.void_idle()
    with monkeypatch.context() as patch:
        patch.setattr(instance.tables, fails, AsyncMock(side_effect=StoreUnavailable))
        with pytest.raises(StoreUnavailable):
            await instance.tables.again(table.match, 1, "drawn-at-random-by-ben")
    ann = await instance.tables.again(table.match, 0, "drawn-at-random-by-ann")
    ben = await instance.tables.again(table.match, 1, "drawn-at-random-by-ben")
    assert ann.match == ben.match
    assert (ann.taken.seat, ben.taken.seat) == (1, 0)
    assert (ann.token is None) != (ben.token is None)


async def test_an_idle_table_is_void(instance: Instance, clock: VirtualClock) -> None:
    table = await opened(instance)
    clock.pass_time(IDLE_TABLE - 1)
    await instance.tables.void_idle()
    assert (await now(instance, table.match)).status == "created"
    clock.pass_time(1)
    await instance.tables.void_idle()
    assert (await now(instance, table.match)).status == "void"
    assert instance.index.open_tables() == 0
