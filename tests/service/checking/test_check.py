"""`arbiter check` finds every kind of damage in a store, and names where it is."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from service.event_store.store import paired_stream
from tests.support.cli.store_with_history import Happened, happen, run
from tests.support.instance.damage import (
    a_microsecond_later,
    flip_in_file,
    flipped,
    rows_of,
)
from tests.support.instance.damaged_store import (
    digest_anew,
    other_checkpoint,
    other_posting,
    other_snapshot,
    snapshots_of,
    sql,
    without_digests,
)

Found = list[tuple[str, str | None, int | None]]
"""The part, the stream and the position of each finding."""


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Happened]:
    """A store with a match of every game, a tournament, and a match in play."""
    folder = tmp_path_factory.mktemp("history") / "store"
    folder.mkdir()
    return folder, asyncio.run(happen(folder))


@pytest.fixture
def folder(history: tuple[Path, Happened], tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(history[0], tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def happened(history: tuple[Path, Happened]) -> Happened:
    return history[1]


@pytest.fixture
def database(folder: Path) -> Path:
    return folder / "arbiter.db"


def report(folder: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """The exit status, and the report."""
    done = run("check", "--json", "--jobs", 1, "--data", folder, *arguments)
    assert done.output.startswith("{"), done.output
    return done.exit_code, msgspec.json.decode(done.output)


def findings(folder: Path, *arguments: object) -> Found:
    """What is found, which is something."""
    status, found = report(folder, *arguments)
    assert (status, found["status"]) == (1, "damaged")
    assert all(one["advice"] for one in found["findings"])
    return [(one["part"], one.get("stream"), one.get("position")) for one in found["findings"]]


# A clean store.


def test_a_store_in_which_nothing_is_wrong_is_clean(folder: Path, happened: Happened) -> None:
    status, found = report(folder)
    assert (status, found["status"], found["findings"], found["unjudged"]) == (0, "clean", [], [])
    assert (found["matches"], found["tournaments"]) == (len(happened.matches), 1)
    assert found["digests"] == len(happened.matches) and found["settlements"] == 1
    assert min(found["snapshots"], found["checkpoints"], found["listed"]) > 0


def test_a_store_of_a_release_without_digests_is_clean(folder: Path, database: Path) -> None:
    without_digests(database)
    status, found = report(folder)
    assert (status, found["digests"], found["findings"]) == (0, 0, [])


def test_one_match_is_judged_alone(folder: Path, database: Path, happened: Happened) -> None:
    damage, other = happened.over["together"], happened.over["liars-dice"]
    with rows_of(database, damage) as rows:
        rows.put(flipped(rows.all()[4], 9))
    assert report(folder, other)[0] == 0
    assert {stream for _, stream, _ in findings(folder, damage)} == {str(damage)}


def test_the_report_for_people_says_what_is_wrong_and_what_to_do(
    folder: Path, database: Path, happened: Happened
) -> None:
    clean = run("check", "--jobs", 1, "--data", folder)
    assert clean.exit_code == 0 and "Nothing is wrong." in clean.output
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        rows.delete(6)
    done = run("check", match, "--data", folder)
    assert done.exit_code == 1 and "Nothing is wrong." not in done.output
    assert f"DAMAGED  gaps  {match}, row 6: it is missing" in done.output
    assert "restore the latest backup" in " ".join(done.output.split())


def test_what_cannot_be_judged_is_not_clean(folder: Path, tmp_path: Path) -> None:
    for arguments, why in (
        (("--data", tmp_path / "nowhere"), "there is no store"),
        (("--data", folder, UUID(int=5)), "no such match"),
        (("--data", folder, UUID(int=5), "--all"), "either MATCH or --all"),
    ):
        done = run("check", *arguments)
        assert done.exit_code == 2 and why in " ".join(done.output.split()), done.output


def test_a_match_of_rules_that_are_not_here_is_not_judged(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        first = rows.all()[0]
        newer = first.state.replace(b"rules_version\x02", b"rules_version\x7f")
        assert newer != first.state
        rows.put(first._replace(state=newer))
        rows.forget_digest()
    with rows_of(database, paired_stream(match)) as signed:
        signed.delete_all()
    status, found = report(folder, match)
    assert (status, found["status"]) == (2, "not judged")
    assert "use a newer one" in found["unjudged"][0]["text"]


# The rows of a match.


@pytest.mark.parametrize("bit", [3, 70, 555])
def test_a_bit_in_a_row_is_found(
    folder: Path, database: Path, happened: Happened, bit: int
) -> None:
    match = happened.over["grouping-bw"]
    with rows_of(database, match) as rows:
        rows.put(flipped(rows.all()[9], bit))
    found = findings(folder)
    assert any(part in ("rows", "digests") and at for part, _, at in found), found
    assert {stream for _, stream, _ in found} == {str(match)}


def test_a_bit_in_the_file_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["twelve-chips"]
    with rows_of(database, match) as rows:
        state = rows.all()[7].state
    flip_in_file(database, state)
    assert str(match) in {stream for _, stream, _ in findings(folder)}


def test_content_that_decodes_is_found_by_the_digest(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        last = rows.all()[-1]
        rows.put(a_microsecond_later(last))
    assert ("digests", str(match), last.version) in findings(folder)


def test_content_under_a_new_digest_is_found_by_the_rules(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        last = rows.all()[-1]
        rows.put(a_microsecond_later(last))
    digest_anew(database, match)
    found = findings(folder, match)
    assert ("rules", str(match), last.version) in found
    assert "digests" not in {part for part, *_ in found}


def test_the_name_beside_a_row_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        row = rows.all()[2]
        rows.put(row._replace(topic="match.ended.1"))
    digest_anew(database, match)
    assert ("rows", str(match), 3) in findings(folder, match)


def test_a_time_before_the_one_before_is_found(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        rows.put(a_microsecond_later(rows.all()[0]))
    digest_anew(database, match)
    assert ("times", str(match), 2) in findings(folder, match)


def test_a_missing_row_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.over["dollar-prize"]
    with rows_of(database, match) as rows:
        rows.delete(5)
    found = findings(folder)
    assert ("gaps", str(match), 5) in found and ("log", None, None) in found


def test_a_missing_end_is_found(folder: Path, database: Path, happened: Happened) -> None:
    match = happened.running
    with rows_of(database, match) as rows:
        last = rows.all()[-1].version
        rows.delete(last)
    assert ("digests", str(match), last) in findings(folder)


def test_a_missing_end_is_found_without_a_digest(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.over["liars-dice"]
    with rows_of(database, match) as rows:
        rows.delete(rows.all()[-1].version)
        rows.forget_digest()
    parts = {part for part, stream, _ in findings(folder, match) if stream == str(match)}
    assert {"rules", "signatures"} <= parts


@pytest.mark.parametrize("digested", [True, False])
def test_a_missing_match_is_found(
    folder: Path, database: Path, happened: Happened, digested: bool
) -> None:
    match = happened.over["dollar-prize"]
    with rows_of(database, match) as rows:
        rows.delete_all()
        if not digested:
            rows.forget_digest()
    expected = "digests" if digested else "gaps"
    found = findings(folder)
    assert (expected, str(match), 1) in found
    assert "indexes" in {part for part, *_ in found}


# What was made of the rows.


def test_a_changed_snapshot_is_found(folder: Path, database: Path) -> None:
    match, part, _, content = snapshots_of(database)[0]
    change = "UPDATE arbiter_snapshots SET content = ? WHERE match = ? AND part = ?"
    sql(database, change, content[:-1] + bytes([content[-1] ^ 1]), str(match), part)
    assert findings(folder) == [("snapshots", str(match), None)]


@pytest.mark.parametrize("part", ["match", "moderator"])
def test_a_snapshot_that_decodes_and_differs_is_found(
    folder: Path, database: Path, part: str
) -> None:
    parts = [one for one in snapshots_of(database) if one[1] == part]
    match, name, position, content = parts[0]
    other = bytes(reversed(content))
    other_snapshot(database, match, name, position, other)
    assert findings(folder) == [("snapshots", str(match), None)]


INDEX_DAMAGE: dict[str, str] = {
    "a row": "UPDATE arbiter2_matches SET listed = replace(listed, 'Ann', 'Eve') WHERE id = ?",
    "a status": "UPDATE arbiter2_matches SET status = 'created' WHERE id = ?",
    "a missing row": "DELETE FROM arbiter2_seats WHERE match = ? AND name = 'ann'",
    "a row too many": "INSERT INTO arbiter2_unsigned VALUES (?)",
}


@pytest.mark.parametrize("change", INDEX_DAMAGE.values(), ids=INDEX_DAMAGE)
def test_a_row_of_the_lists_is_found(
    folder: Path, database: Path, happened: Happened, change: str
) -> None:
    sql(database, change, str(happened.running))
    assert findings(folder) == [("indexes", str(happened.running), None)]
    assert run("rebuild", "--data", folder).exit_code == 0
    assert report(folder)[0] == 0, "what the report says repairs it"


def test_lists_that_are_ahead_of_the_log_are_found(folder: Path, database: Path) -> None:
    sql(database, "UPDATE arbiter_index SET position = position + 3")
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
        named = "SELECT rootpage FROM sqlite_master WHERE name = 'arbiter2_matches_by_status'"
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
