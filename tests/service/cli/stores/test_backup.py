"""`arbiter backup` and `arbiter restore`: one moment of a store that is being served, complete or
not at all."""

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import PersistenceError

from service.cli.options import store_lock
from service.event_store.backup.backup import MANIFEST, TABLE, back_up
from service.event_store.database import embedded
from service.event_store.integrity.incarnation import incarnation
from service.event_store.properties import BACKED_UP, open_properties
from service.event_store.recorder import Row
from service.event_store.store import Store
from service.signing.signing_keys import PRIVATE, PURPOSES
from tests.support.cli.store_with_history import Happened, history, refused, run
from tests.support.instance.service_instance import settings
from tests.support.instants import NOON
from tests.support.servers.postgres_server import fresh_database

NEW = UUID("019b796d-d600-7000-8000-00000000beef")

DYING = """
import os, signal, sys
from service.cli import main
from service.event_store.backup import table_sums

left, pages = int(sys.argv.pop(1)), table_sums.table_rows

def pages_or_death(database, table):
    global left
    for page in pages(database, table):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        yield page

table_sums.table_rows = pages_or_death
main()
"""
"""The command line, killed when it has copied this many pages."""


def private_keys(folder: Path) -> list[bytes]:
    paths = [folder / "keys" / purpose / PRIVATE for purpose in PURPOSES]
    return [path.read_bytes() for path in paths if path.exists()]


def backed_up(folder: Path) -> int:
    """When the store was backed up last; 0 if it never was."""
    with (
        closing(Store(embedded(folder / "arbiter.db"))) as store,
        closing(open_properties(store)) as properties,
    ):
        return int(properties.get(BACKED_UP) or b"0")


def test_the_last_backup_that_was_judged_is_noted_in_the_store(
    played: tuple[Path, Happened], tmp_path: Path
) -> None:
    folder, _ = played
    before = backed_up(folder)
    assert run("backup", tmp_path / "unchecked", "--no-check", "--data", folder).exit_code == 0
    assert backed_up(folder) == before
    assert run("backup", tmp_path / "judged", "--data", folder).exit_code == 0
    assert backed_up(folder) > before


# There and back.


def test_a_restored_store_equals_the_original(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path
) -> None:
    folder, happened = played
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    done = run("restore", backup, "--data", tmp_path / "new")
    assert done.exit_code == 0, done.output
    assert history(embedded(tmp_path / "new" / "arbiter.db")) == history(
        embedded(folder / "arbiter.db")
    )
    assert {path.name for path in (tmp_path / "new").iterdir()} == {
        "arbiter.db", "arbiter.db.lock", "arbiter.db.mark", "keys"
    }  # fmt: skip
    match, checkpoint = happened.over["together"], tmp_path / "checkpoint"
    checkpoint.write_text(happened.checkpoints["together"])
    shutil.copytree(folder / "keys", tmp_path / "new" / "keys", dirs_exist_ok=True)
    bundle, keys = tmp_path / "bundle", tmp_path / "keys"
    keys.write_text(run("keys", "published", "--data", tmp_path / "new").output)
    arguments = ("--as", "moderator", "--out", bundle, "--data", tmp_path / "new")
    assert run("export", match, *arguments).exit_code == 0
    verified = run("verify", bundle, "--key", keys, "--checkpoint", checkpoint)
    assert verified.exit_code == 0, verified.output


def test_a_restored_store_is_another_incarnation(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path
) -> None:
    """What caches have of the original says nothing about how it goes on."""
    ids = []
    for name in ("one", "two"):
        assert run("restore", backup, "--data", tmp_path / name).exit_code == 0
        ids += [incarnation_of(tmp_path / name) for _ in range(2)]
    assert incarnation_of(played[0]) not in ids
    assert ids[0] == ids[1] and ids[2] == ids[3] and ids[0] != ids[2]


def incarnation_of(folder: Path) -> bytes:
    with closing(Store(embedded(folder / "arbiter.db"))) as store:
        return incarnation(store.keyrings)


def test_private_keys_are_not_included(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path
) -> None:
    folder, _ = played
    keys = private_keys(folder)
    assert len(keys) == 2 and not any(key in backup.read_bytes() for key in keys)
    done = run("restore", backup, "--data", tmp_path / "new")
    assert "The private signing keys are not in it" in done.output
    assert private_keys(tmp_path / "new") == []
    published = [
        run("keys", "published", "--data", where).output for where in (folder, tmp_path / "new")
    ]
    assert published[0] and len(set(published)) == 1


def test_existing_keys_stay_if_they_are_of_this_store(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path
) -> None:
    folder, _ = played
    shutil.copytree(folder / "keys", tmp_path / "own" / "keys")
    run("keys", "rotate", "--data", tmp_path / "own")
    rotated = private_keys(tmp_path / "own")
    assert run("restore", backup, "--data", tmp_path / "own").exit_code == 0
    assert private_keys(tmp_path / "own") == rotated != private_keys(folder)
    run("keys", "rotate", "--data", tmp_path / "strange")
    assert "the keys of another store" in refused("restore", backup, "--data", tmp_path / "strange")
    assert not (tmp_path / "strange" / "arbiter.db").exists()


def test_records_written_while_pages_are_copied_are_not_in_it(
    played: tuple[Path, Happened], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy does not restart whenever someone writes, or it would never end."""
    monkeypatch.setattr("service.event_store.backup.backup.PAGES_A_STEP", 5)
    shutil.copytree(played[0], tmp_path / "store")
    source = embedded(tmp_path / "store" / "arbiter.db")
    before, steps = history(source), []
    with closing(Store(source)) as store:

        def write(left: int, _pages: int) -> None:
            steps.append(left)
            assert len(steps) < 1_000
            store.append([Row(NEW.hex, len(steps), "match.nothing.1", b"\xc0")])

        back_up(tmp_path / "store" / "arbiter.db", tmp_path / "backup", NOON, dict, write)
    assert len(steps) > 10 and steps == sorted(steps, reverse=True)
    assert run("restore", tmp_path / "backup", "--data", tmp_path / "new").exit_code == 0
    assert history(embedded(tmp_path / "new" / "arbiter.db")) == before


# Interrupted.


def test_killed_in_the_middle_there_is_no_backup_and_no_store(
    played: tuple[Path, Happened], tmp_path: Path
) -> None:
    data = ("--data", played[0])
    for command, made in (
        (("backup", tmp_path / "backup", *data), tmp_path / "backup"),
        (("restore", tmp_path / "backup", "--data", tmp_path), tmp_path / "arbiter.db"),
    ):
        dying = [sys.executable, "-c", DYING, "3", *map(str, command)]
        died = subprocess.run(dying, capture_output=True, timeout=60, check=False)
        assert died.returncode == -signal.SIGKILL, died.stderr
        assert not made.exists()
        done = run(*command)
        assert done.exit_code == 0 and made.exists(), done.output
    assert history(embedded(tmp_path / "arbiter.db")) == history(embedded(played[0] / "arbiter.db"))
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]


def test_an_incomplete_backup_has_no_name(played: tuple[Path, Happened], tmp_path: Path) -> None:
    def spoil() -> dict[str, bytes]:
        """A key file fails to be written after everything else is done."""
        sql("DELETE FROM stored_keys WHERE originator_version = 1")(tmp_path / "backup.partial")
        return {}

    with pytest.raises(PersistenceError, match="its rows are not those of the store"):
        back_up(played[0] / "arbiter.db", tmp_path / "backup", NOON, spoil, lambda *_: None)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path
) -> None:
    before = backup.read_bytes()
    assert "already exists" in refused("backup", backup, "--data", played[0])
    assert backup.read_bytes() == before
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "arbiter.db").write_text("something")
    assert "already exists" in refused("restore", backup, "--data", tmp_path / "there")
    assert (tmp_path / "there" / "arbiter.db").read_text() == "something"


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_nothing_is_restored_beside_the_remains_of_another_database(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path, end: str
) -> None:
    """SQLite would read it as the last commits of the restored store."""
    (tmp_path / "new").mkdir()
    left = tmp_path / "new" / f"arbiter.db{end}"
    left.write_bytes(b"something")
    error = refused("restore", backup, "--data", tmp_path / "new")
    assert f"{end} is left over from a database" in error and "Move it to" in error
    assert left.read_bytes() == b"something" and not (tmp_path / "new" / "arbiter.db").exists()
    left.unlink()
    assert run("restore", backup, "--data", tmp_path / "new").exit_code == 0
    assert history(embedded(tmp_path / "new" / "arbiter.db")) == history(
        embedded(played[0] / "arbiter.db")
    )


def test_a_restore_does_not_disturb_a_running_service(
    played: tuple[Path, Happened], backup: Path, tmp_path: Path
) -> None:
    with store_lock(settings(tmp_path / "served" / "arbiter.db")):
        assert "serves" in refused("restore", backup, "--data", tmp_path / "served")
    assert run("restore", backup, "--data", tmp_path / "served").exit_code == 0


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_for_postgresql_other_programs_do_it(command: str, tmp_path: Path) -> None:
    with fresh_database() as env:
        done = run(command, tmp_path / "dump", env=env)
    assert done.exit_code == 1 and "the store is PostgreSQL: pg_dump" in done.output


# `arbiter restore` of a backup that is damaged, altered, or none at all.


def sql(statement: str) -> Callable[[Path], None]:
    def change(backup: Path) -> None:
        with closing(sqlite3.connect(backup)) as database, database:
            database.execute(statement)

    return change


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
    assert "DAMAGED" in said and str(match) in said
    assert not (tmp_path / "new" / "arbiter.db").exists()
    done = run(*restore, "--despite-altered")
    assert done.exit_code == 0
