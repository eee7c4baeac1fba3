"""What stands in the lists against the record decides nothing: it is asked for, and the record
answers."""

import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from service.instance import Instance
from tests.support.instance.service_instance import on_record
from tests.support.instance.tournament_play import added
from tests.support.servers.instance_settings import KIND
from tests.support.tables.directing import START

pytestmark = pytest.mark.skipif(KIND != "sqlite", reason="the tables are written to")

SPOILT = {
    "an end": "UPDATE arbiter1_matches SET status = 'ended', unsettled = 1 WHERE id = ?",
    "a deadline": "UPDATE arbiter1_matches SET due = 1 WHERE id = ?",
    "a log to be signed": "UPDATE arbiter1_matches SET unsigned = 1 WHERE id = ?",
}


def spoil(database: Path, match: UUID, change: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute(change, (str(match),)).rowcount == 1


@pytest.mark.usefixtures("garnets")
@pytest.mark.parametrize("spoilt", SPOILT)
async def test_a_row_that_the_record_contradicts(
    instance: Instance, cup: UUID, database: Path, spoilt: str
) -> None:
    match = await added(instance, cup)
    await instance.matches.execute(match, START, "moderator")
    instance.index.follow()
    before = list(on_record(instance, match)), on_record(instance, cup)
    shown = await instance.sessions.view(match, "public", None)
    spoil(database, match, SPOILT[spoilt])

    found = {due for due, _ in instance.index.deadlines()} | {*instance.index.unsettled()}
    assert match in found | {*instance.index.unsigned()}
    await instance.settling.do_all()
    await instance.matches.pass_deadline(match)
    await instance.signing.do_all()

    assert (list(on_record(instance, match)), on_record(instance, cup)) == before
    assert await instance.sessions.view(match, "public", None) == shown
    signed = instance.notary.last(match)
    assert signed is None or not signed.over
