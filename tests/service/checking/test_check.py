"""`arbiter check` finds every kind of damage in a store, and names where it is."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest

from service.cli.options import existing_store
from service.clock import SystemClock
from service.event_store.integrity.incarnation import LossNoticed, begin_again
from service.event_store.reading import StoreReader
from service.event_store.store import paired_stream
from tests.support.cli.store_with_history import Happened, findings, report, run
from tests.support.instance.damage import (
    Rows,
    a_microsecond_later,
    change,
    digest_anew,
    flip_in_file,
    flipped,
    other_checkpoint,
    other_posting,
    rows_of,
    sql,
)


@pytest.fixture
def database(folder: Path) -> Path:
    return folder / "arbiter.db"


def test_a_store_in_which_nothing_is_wrong_is_clean(folder: Path, happened: Happened) -> None:
    status, found = report(folder)
    assert (status, found["status"], found["findings"], found["unjudged"]) == (0, "clean", [], [])
    assert (found["matches"], found["tournaments"]) == (len(happened.matches), 1)
    assert found["digests"] == len(happened.matches) and found["settlements"] == 1
    assert min(found["checkpoints"], found["listed"]) > 0


Do = Callable[[Path, UUID], object]
LAST, ANYWHERE = -1, -2
"""The last row that the stream had, or any row."""


class Damage(NamedTuple):
    """What is done to a stream, and what is found then: parts, with the numbers of rows. Nothing
    else is found if it is `alone`."""

    of: str
    do: Do
    found: dict[str, int | None]
    alone: bool = False


def in_rows(*changes: Callable[[Rows], object], anew: bool = False) -> Do:
    """Changes rows; with their digest made `anew`, as by someone who does it on purpose."""

    def do(database: Path, stream: UUID) -> None:
        with rows_of(database, stream) as rows:
            for one in changes:
                one(rows)
        if anew:
            digest_anew(database, stream)

    return do


def said(statement: str) -> Do:
    """The statement, which has the id of the stream, or its hexadecimal digits."""

    def do(database: Path, stream: UUID) -> None:
        ids = [stream.hex if "originator_id" in statement else str(stream)]
        sql(database, statement, *ids * statement.count("?"))

    return do


def settled_again(database: Path, cup: UUID) -> None:
    with rows_of(database, cup) as rows:
        stored = rows.all()
    settled = next(row for row in stored if row.topic.startswith("tournament.match-settled"))
    insert = "INSERT INTO stored_events VALUES (?, ?, ?, ?)"
    sql(database, insert, cup.hex, len(stored) + 1, settled.topic, settled.state)


def without_checkpoint(database: Path, match: UUID) -> None:
    with rows_of(database, paired_stream(match)) as signed:
        signed.delete(1)


def without_last(rows: Rows) -> None:
    rows.delete(len(rows.all()))


OTHER_SEED = (
    "UPDATE stored_secrets SET state = CAST(substr(state, 1, 60) || x'00' AS BLOB)"
    " || substr(state, 62) WHERE originator_id = ? AND topic LIKE 'secret.seed%'"
)
OTHER_READ = "UPDATE arbiter_reads SET {} WHERE hidden = 1"

DAMAGE: dict[str, Damage] = {
    # The rows of a match.
    "no digest": Damage("running", in_rows(Rows.forget_digest), {"digests": None}, alone=True),
    "content that decodes": Damage(
        "running", in_rows(change(-1, a_microsecond_later)), {"digests": LAST}
    ),
    "content under a new digest": Damage(
        "running", in_rows(change(-1, a_microsecond_later), anew=True), {"rules": LAST}
    ),
    "the name beside a row": Damage(
        "together",
        in_rows(change(2, lambda row: row._replace(topic="match.ended.1")), anew=True),
        {"rows": 3},
    ),
    "a time before the one before": Damage(
        "running", in_rows(change(0, a_microsecond_later), anew=True), {"times": 2}
    ),
    "a missing row": Damage("dollar-prize", in_rows(lambda rows: rows.delete(5)), {"gaps": 5}),
    "a missing end": Damage("running", in_rows(without_last), {"digests": LAST}),
    "a missing end behind a right digest": Damage(
        "liars-dice", in_rows(without_last, anew=True), {"rules": ANYWHERE, "signatures": ANYWHERE}
    ),
    "a missing match": Damage(
        "dollar-prize", in_rows(Rows.delete_all), {"digests": 1, "indexes": ANYWHERE}
    ),
    "a missing match and its digest": Damage(
        "dollar-prize",
        in_rows(Rows.delete_all, Rows.forget_digest),
        {"gaps": 1, "indexes": ANYWHERE},
    ),
    # The lists.
    **{
        f"a list with {name}": Damage("running", said(statement), {"indexes": None}, alone=True)
        for name, statement in {
            "another row": "UPDATE arbiter1_matches SET listed = substr(listed, 2) WHERE id = ?",
            "another status": "UPDATE arbiter1_matches SET status = 'created' WHERE id = ?",
            "a missing row": "DELETE FROM arbiter1_seats WHERE match = ? AND name = 'ann'",
            "a row too many": "INSERT INTO arbiter1_seats VALUES ('eve', 0, ?)",
        }.items()
    },
    **{
        f"a read with {change}": Damage(
            "running", said(OTHER_READ.format(change)), {"reads": None}, alone=True
        )
        for change in ("seq = 1000", "first_at = last_at + 1", "audience = 'all'", "seq = -1")
    },
    # Signatures, secrets and the ledger.
    "a checkpoint of other rows": Damage(
        "together", other_checkpoint, {"signatures": None}, alone=True
    ),
    "a missing checkpoint": Damage("together", without_checkpoint, {"gaps": None}),
    "missing secrets": Damage(
        "running", said("DELETE FROM stored_secrets WHERE originator_id = ?"), {"secrets": None}
    ),
    "unreadable secrets": Damage(
        "running",
        said("UPDATE stored_secrets SET state = zeroblob(9) WHERE originator_id = ?"),
        {"secrets": None},
    ),
    "another seed": Damage("running", said(OTHER_SEED), {"secrets": ANYWHERE}),
    "a posting that the lists have otherwise": Damage(
        "cup", lambda database, cup: other_posting(database, cup, "entered"), {"indexes": None}
    ),
    "a settlement that counts twice": Damage("cup", settled_again, {"ledgers": None}),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_found_where_it_is(
    folder: Path, database: Path, happened: Happened, damage: Damage
) -> None:
    stream = happened.over.get(damage.of) or getattr(happened, damage.of)
    with rows_of(database, stream) as rows:
        last = len(rows.all())
    damage.do(database, stream)
    found = findings(folder)
    for part, at in damage.found.items():
        places = [position for one, where, position in found if (one, where) == (part, str(stream))]
        expected = last if at == LAST else at
        assert places if at == ANYWHERE else expected in places
    assert len(found) == 1 or not damage.alone


LATER = 9_000_000_000_000_000
"""Microseconds after any loss that is noticed here."""


@pytest.mark.parametrize(
    ("more", "status"),
    [("", 0), (f", last_at = {LATER}", 0), (f", first_at = {LATER}, last_at = {LATER}", 1)],
    ids=["read before", "read before and after", "read after"],
)
def test_a_read_from_before_the_store_went_back_is_no_damage(
    folder: Path, database: Path, happened: Happened, more: str, status: int
) -> None:
    said(OTHER_READ.format(f"seq = 1000{more}"))(database, happened.running)
    with existing_store(folder) as store:
        begin_again(store.keyrings, LossNoticed(SystemClock().now(), seen=1_000, found=900))
    assert report(folder)[0] == status
    assert "Loss noticed: 1,000" in run("check", "--data", folder).output


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
        state = rows.all()[8].state
    flip_in_file(database, state)
    assert str(match) in {stream for _, stream, _ in findings(folder)}


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
    database.write_bytes(database.read_bytes()[:-8192])


@pytest.mark.parametrize("damage", [unlisted, cut])
def test_damage_to_the_file_is_found(
    folder: Path, database: Path, damage: Callable[[Path], None]
) -> None:
    damage(database)
    assert "file" in {part for part, *_ in findings(folder)}


def test_lists_that_are_ahead_of_the_log_are_found_and_repaired_as_it_is_said(
    folder: Path, database: Path
) -> None:
    sql(database, "UPDATE arbiter_positions SET position = position + 3")
    assert findings(folder) == [("log", None, None)]
    assert run("rebuild", "--data", folder).exit_code == 0
    assert report(folder)[0] == 0


# What is said of it.


def test_one_match_is_judged_alone(folder: Path, database: Path, happened: Happened) -> None:
    damage, other = happened.over["together"], happened.over["liars-dice"]
    with rows_of(database, damage) as rows:
        rows.put(flipped(rows.all()[4], 9))
    assert report(folder, other)[0] == 0
    assert {stream for _, stream, _ in findings(folder, damage)} == {str(damage)}


def test_the_report_for_people_says_what_is_wrong_and_what_to_do(
    folder: Path, database: Path, happened: Happened
) -> None:
    clean = run("check", "--data", folder)
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
    ):
        done = run("check", *arguments)
        assert done.exit_code == 2 and why in " ".join(done.output.split()), done.output


@pytest.mark.parametrize("read", ["streams", "head", "rows", "extent", "history"])
@pytest.mark.parametrize(
    ("error", "status"), [(sqlite3.DatabaseError, 1), (sqlite3.OperationalError, 2)]
)
def test_what_a_database_cannot_read_is_damaged_and_what_it_does_not_answer_is_not_judged(
    folder: Path, monkeypatch: pytest.MonkeyPatch, read: str, error: type[Exception], status: int
) -> None:
    """One on PostgreSQL has no file that is judged besides."""

    def fail(*_: object) -> None:
        raise error("so it is")

    monkeypatch.setattr(StoreReader, read, fail)
    assert report(folder)[0] == status


def test_a_match_of_rules_that_are_not_here_is_not_judged(
    folder: Path, database: Path, happened: Happened
) -> None:
    match = happened.over["together"]
    with rows_of(database, match) as rows:
        first = rows.all()[0]
        newer = first.state.replace(b"rules_version\x01", b"rules_version\x7f")
        assert newer != first.state
        rows.put(first._replace(state=newer))
    digest_anew(database, match)
    with rows_of(database, paired_stream(match)) as signed:
        signed.delete_all()
    status, found = report(folder, match)
    assert (status, found["status"]) == (2, "not judged")
    assert "use a newer one" in found["unjudged"][0]["text"]
