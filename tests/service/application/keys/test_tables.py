"""Open tables: one holder a seat, whatever happens at the same moment, and void when idle."""

import asyncio
from pathlib import Path
from uuid import UUID

from domain.match.commands import Conflict
from domain.match.seat_holders import holders
from domain.match.state import Match
from domain.tournament.state import KeyedRequest
from service.application.keys.tables import OpenedTable
from service.application.matches.creation import NewMatch
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


async def test_an_idle_table_is_void(instance: Instance, clock: VirtualClock) -> None:
    table = await opened(instance)
    clock.pass_time(IDLE_TABLE - 1)
    await instance.tables.void_idle()
    assert (await now(instance, table.match)).status == "created"
    clock.pass_time(1)
    await instance.tables.void_idle()
    assert (await now(instance, table.match)).status == "void"
    assert instance.index.open_tables() == 0
