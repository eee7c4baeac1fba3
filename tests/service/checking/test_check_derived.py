"""`arbiter check` finds damage to what was made of the rows: lists, signatures."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from service.event_store.store import paired_stream
from tests.support.cli.checked_store import database, findings, folder, happened, played, report
from tests.support.cli.store_with_history import Happened, run
from tests.support.instance.damage import (
    rows_of,
)
from tests.support.instance.damaged_store import (
    other_checkpoint,
    other_posting,
    sql,
)

__all__ = ["database", "folder", "happened", "played"]


INDEX_DAMAGE: dict[str, str] = {
    "a row": "UPDATE arbiter1_matches SET listed = replace(listed, 'Ann', 'Eve') WHERE id = ?",
    "a status": "UPDATE arbiter1_matches SET status = 'created' WHERE id = ?",
    "a missing row": "DELETE FROM arbiter1_seats WHERE match = ? AND name = 'ann'",
    "a row too many": "INSERT INTO arbiter1_seats VALUES ('eve', ?)",
}


@pytest.mark.parametrize("change", INDEX_DAMAGE.values(), ids=INDEX_DAMAGE)
def test_a_row_of_the_lists_is_found(
    folder: Path, database: Path, happened: Happened, change: str
) -> None:
    sql(database, change, str(happened.running))
    assert findings(folder) == [("indexes", str(happened.running), None)]
    assert run("rebuild", "--data", folder).exit_code == 0
    assert report(folder)[0] == 0, "what the report says repairs it"


@pytest.mark.parametrize(
    "change", ["seq = 1000", "first_at = last_at + 1", "audience = 'everybody'", "seq = -1"]
)
def test_a_read_that_cannot_have_been_is_found(
    folder: Path, database: Path, happened: Happened, change: str
) -> None:
    sql(database, f"UPDATE arbiter_reads SET {change} WHERE hidden = 1")  # noqa: S608
    assert findings(folder) == [("reads", str(happened.running), None)]


def test_lists_that_are_ahead_of_the_log_are_found(folder: Path, database: Path) -> None:
    sql(database, "UPDATE arbiter_positions SET position = position + 3")
    assert findings(folder) == [("log", None, None)]


def test_a_checkpoint_of_other_rows_is_found(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.over["together"]
    other_checkpoint(database, match)
    assert findings(folder) == [("signatures", str(match), None)]


def test_a_missing_checkpoint_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["together"]
    with rows_of(database, paired_stream(match)) as signed:
        signed.delete(1)
    assert ("gaps", str(match), None) in findings(folder, match)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM stored_secrets WHERE originator_id = ?",
        "UPDATE stored_secrets SET state = zeroblob(9) WHERE originator_id = ?",
    ],
)
def test_damaged_secrets_are_found(
    folder: Path, database: Path, happened: Happened, change: str
) -> None:
    match = happened.running
    sql(database, change, match.hex)
    assert ("secrets", str(match), None) in findings(folder)


def test_a_changed_seed_is_found_and_not_shown(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    where = "originator_id = ? AND topic LIKE 'secret.seed%'"
    change = f"UPDATE stored_secrets SET state = CAST(substr(state, 1, 60) || x'00' AS BLOB) || substr(state, 62) WHERE {where}"  # noqa: S608, E501
    sql(database, change, match.hex)
    done = run("check", match, "--json", "--data", folder)
    assert done.exit_code == 1 and '"secrets"' in done.output


def test_a_posting_that_the_lists_have_otherwise_is_found(
    folder: Path, database: Path, happened: Happened
) -> None:
    other_posting(database, happened.cup, "entered")
    assert ("indexes", str(happened.cup), None) in findings(folder)


def test_a_settlement_that_counts_twice_is_found(
    folder: Path, database: Path, happened: Happened
) -> None:
    with rows_of(database, happened.cup) as rows:
        stored = rows.all()
        settled = next(row for row in stored if row.topic.startswith("tournament.match-settled"))
    insert = "INSERT INTO stored_events VALUES (?, ?, ?, ?)"
    position = stored[-1].version + 1
    sql(database, insert, happened.cup.hex, position, settled.topic, settled.state)
    assert ("ledgers", str(happened.cup), position) in findings(folder)


def unlisted(database: Path) -> None:
    """Clears the end of a page of an index, which is not read when rows are read in order."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        named = "SELECT rootpage FROM sqlite_master WHERE name = 'arbiter1_matches_by_status'"
        ((page,),) = connection.execute(named)
        ((size,),) = connection.execute("PRAGMA page_size")
    content = bytearray(database.read_bytes())
    content[page * size - 64 : page * size] = bytes(64)
    database.write_bytes(bytes(content))


def cut(database: Path) -> None:
    content = database.read_bytes()
    database.write_bytes(content[:-8192])


@pytest.mark.parametrize("damage", [unlisted, cut])
def test_damage_to_the_file_is_found(
    folder: Path, database: Path, damage: Callable[[Path], None]
) -> None:
    damage(database)
    assert "file" in {part for part, *_ in findings(folder)}
