"""The format of the index: a database of another format is filled from the log again, and two
releases side by side follow the log in their own tables."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from service.event_store.integrity.digests import RowAltered
from service.read_models.index import Index
from service.read_models.tables import DERIVED_TABLES, FORMAT, TABLES
from tests.support.http.match_play import assert_problem
from tests.support.instance.index_log import Log, busy, contents
from tests.support.instance.index_releases import release
from tests.support.servers.live_server import serving

MADE = {1: "b14e4a8d24998147"}
"""The SHA-256 of the statements that create the tables, by format."""


@pytest.mark.parametrize("number", [FORMAT - 1, FORMAT + 1])
def test_another_format_is_read_from_the_beginning(log: Log, number: int) -> None:
    busy(log)
    log.index.follow()
    wanted = contents(log.index)
    with closing(release(log, number)) as other:
        assert contents(other)[0] == []
        other.follow()
        assert contents(other) == wanted
        other.rebuild()
        assert contents(log.index) == contents(other) == wanted


def test_changed_tables_need_another_number() -> None:
    """Otherwise they are not created in a database that has the earlier ones."""
    assert sha256("\n".join(TABLES).encode()).hexdigest()[:16] == MADE[FORMAT]


def test_every_table_carries_the_number_and_is_emptied_when_it_is_read_again() -> None:
    made = re.findall(r"CREATE TABLE IF NOT EXISTS (\S+)", "\n".join(TABLES))
    assert made == ["arbiter_positions", *DERIVED_TABLES]
    assert all(table.startswith(f"arbiter{FORMAT}_") for table in DERIVED_TABLES)


# A row that is not as it was written is not served.


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
    with serving(tmp_path) as live:
        live.create("dollar-prize", ("Ann", "Ben"))
        assert live.anyone.get("/v1/matches").status_code == 200
        with closing(sqlite3.connect(tmp_path / "arbiter.db")) as database, database:
            ((row,),) = database.execute("SELECT listed FROM arbiter1_matches")
            altered = row.replace(b"Ann", b"Aun")
            database.execute("UPDATE arbiter1_matches SET listed = ?", (altered,))
        assert_problem(live.anyone.get("/v1/matches"), 503, "operator_needed")
    assert "store_damaged" in logged.getvalue()
