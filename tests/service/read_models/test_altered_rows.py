"""A row of the lists that is not as it was written is not served."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from service.event_store.integrity.digests import RowAltered
from service.read_models.index import Index
from tests.support.http.match_play import assert_problem
from tests.support.instance.index_log import Log, busy
from tests.support.servers.operated_server import operated

CASES: dict[str, Callable[[Index, str], Any]] = {
    "matches listed": lambda index, _: index.page(limit=1_000),
    "tournaments listed": lambda index, _: index.tournaments(limit=1_000),
    "tournaments page": lambda index, cup: index.round_ends(cup),
    "ledger posting": lambda index, cup: index.postings(UUID(cup), None, after=0, upto=1_000),
}


@pytest.mark.parametrize("place", CASES)
def test_one_flipped_bit_is_found_when_the_row_is_read(log: Log, place: str) -> None:
    table, column = place.split()
    table = f"arbiter1_{table}"
    busy(log)
    log.index.follow()
    ((cup,), *_) = log.index._db.select("SELECT id FROM arbiter1_tournaments")
    CASES[place](log.index, cup)
    ((row,), *_) = log.index._db.select(f"SELECT {column} FROM {table}")  # noqa: S608  one of ours
    altered = bytes(row[:-3]) + bytes([row[-3] ^ 2]) + bytes(row[-2:])
    with log.index._db.transaction() as cursor:
        sql = f"UPDATE {table} SET {column} = ? WHERE {column} = ?"  # noqa: S608  the same
        cursor.execute(sql, (altered, bytes(row)))
    with pytest.raises(RowAltered, match="arbiter rebuild"):
        CASES[place](log.index, cup)
    log.index.rebuild()
    CASES[place](log.index, cup)


def test_a_damaged_list_is_not_served_and_the_operator_is_told(
    tmp_path: Path, logged: StringIO
) -> None:
    with operated(tmp_path) as live:
        live.create("dollar-prize", ("Ann", "Ben"))
        assert live.anyone.get("/v1/matches").status_code == 200
        with closing(sqlite3.connect(tmp_path / "arbiter.db")) as database, database:
            ((row,),) = database.execute("SELECT listed FROM arbiter1_matches")
            altered = row.replace(b"Ann", b"Aun")
            database.execute("UPDATE arbiter1_matches SET listed = ?", (altered,))
        assert_problem(live.anyone.get("/v1/matches"), 503, "operator_needed")
    assert "store_damaged" in logged.getvalue()
