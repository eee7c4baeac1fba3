"""`arbiter restore` of a backup that is damaged, altered, or none at all."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from service.event_store.backup.backup import MANIFEST, TABLE
from tests.support.cli.backups import backup, intact_backup, played, sql
from tests.support.cli.store_with_history import (
    Happened,
    refused,
    run,
)

__all__ = ["backup", "intact_backup", "played"]


def flip(backup: Path) -> None:
    """One bit in the middle of an event."""
    with closing(sqlite3.connect(backup)) as database:
        found = "SELECT state FROM stored_events WHERE length(state) BETWEEN 90 AND 200 LIMIT 1"
        (state,) = database.execute(found).fetchone()
    content = bytearray(backup.read_bytes())
    content[content.index(state) + 50] ^= 1
    backup.write_bytes(content)


def unlist(backup: Path) -> None:
    """A page of an index, which is not read when rows are read in order."""
    with closing(sqlite3.connect(backup)) as database:
        found = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_stored_events_1'"
        ((page,),), ((size,),) = database.execute(found), database.execute("PRAGMA page_size")
    content = bytearray(backup.read_bytes())
    content[page * size - 64 : page * size] = bytes(64)
    backup.write_bytes(content)


def cut(backup: Path) -> None:
    os.truncate(backup, backup.stat().st_size - 4096)


ONE = "originator_version = 2 AND topic LIKE 'match.%'"
DAMAGE: dict[str, Callable[[Path], None]] = {
    "a bit": flip,
    "an index": unlist,
    "its end": cut,
    "no database": lambda backup: (backup.write_text("nothing of the kind" * 99), None)[1],
    "an event": sql(f"UPDATE stored_events SET state = x'c0' WHERE {ONE}"),  # noqa: S608
    "a name": sql(f"UPDATE stored_events SET topic = topic || '.' WHERE {ONE}"),  # noqa: S608
    "a row": sql("DELETE FROM stored_events WHERE rowid = (SELECT max(rowid) FROM stored_events)"),
    "the order": sql("UPDATE stored_events SET rowid = 100000 WHERE rowid = 3"),
    "a secret": sql("DELETE FROM stored_secrets WHERE originator_version = 1"),
    "a key": sql("UPDATE stored_keys SET state = x'c0'"),
    "a public key": sql(f"UPDATE {TABLE} SET content = x'00' WHERE name LIKE 'log/%'"),  # noqa: S608
    "what it holds": sql(f"DELETE FROM {TABLE} WHERE name = '{MANIFEST}'"),  # noqa: S608
    "what it says": sql(f"UPDATE {TABLE} SET content = x'7b7d' WHERE name = '{MANIFEST}'"),  # noqa: S608
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_backup_is_not_restored(
    backup: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    damage(backup)
    assert "is not a backup, or is damaged" in refused(
        "restore", backup, "--data", tmp_path / "new"
    )
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["arbiter.db.lock"]


def test_a_store_is_no_backup(played: tuple[Path, Happened], tmp_path: Path) -> None:
    shutil.copy(played[0] / "arbiter.db", tmp_path)
    restore = ("restore", tmp_path / "arbiter.db", "--data", tmp_path / "new")
    assert "is not a backup, or is damaged" in refused(*restore)
    assert "there is no backup at" in refused(
        "restore", tmp_path / "none", "--data", tmp_path / "new"
    )
    assert "there is no store at" in refused("backup", tmp_path / "b", "--data", tmp_path / "none")


def test_a_backup_with_an_altered_record_is_restored_only_on_request(
    played: tuple[Path, Happened], tmp_path: Path
) -> None:
    shutil.copytree(played[0], tmp_path / "altered")
    match = played[1].over["grouping-bw"]
    sql(f"DELETE FROM stored_events WHERE originator_id = '{match.hex}'")(  # noqa: S608
        tmp_path / "altered" / "arbiter.db"
    )
    run("backup", tmp_path / "backup", "--data", tmp_path / "altered", "--no-check")
    restore = ("restore", tmp_path / "backup", "--data", tmp_path / "new")
    said = refused(*restore)
    assert "damaged: " in said and str(match) in said
    assert not (tmp_path / "new" / "arbiter.db").exists()
    done = run(*restore, "--despite-altered")
    assert done.exit_code == 0 and str(match) in done.output
