"""Stores that are prepared, put back, or on a full disk: what the commands say and leave."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.cli.options import store_lock
from service.event_store.database import embedded
from service.event_store.integrity.incarnation import incarnation
from service.event_store.postgres.leader_row import NOW, TABLE
from service.event_store.store import Store
from service.read_models.tables import FORMAT
from tests.support.cli.store_with_history import (
    Environment,
    Happened,
    copy_into,
    history,
    refused,
    run,
)
from tests.support.faults.small_disk import MIB, SmallDisk, small_disk
from tests.support.instance.index_log import Log, busy, contents
from tests.support.instance.index_releases import release
from tests.support.instance.service_instance import settings
from tests.support.servers.postgres_server import connect, fresh_database


@pytest.fixture(params=["sqlite", "postgres"])
def put_back(
    request: pytest.FixtureRequest, played: tuple[Path, Happened], tmp_path: Path
) -> Iterator[Environment]:
    """A store with the history of another one."""
    if request.param == "sqlite":
        shutil.copytree(played[0], tmp_path / "copy")
        yield embedded(tmp_path / "copy" / "arbiter.db")
    else:
        with fresh_database() as env:
            copy_into(env, played[0])
            yield env


def incarnation_of(env: Environment) -> bytes:
    with closing(Store(env)) as store:
        return incarnation(store.keyrings)


def test_it_begins_a_new_incarnation_and_changes_nothing_else(put_back: Environment) -> None:
    first, before = incarnation_of(put_back), history(put_back)
    assert "has never gone back" in run("store", "history", env=put_back).output
    done = run("store", "restored", env=put_back)
    assert done.exit_code == 0, done.output
    assert incarnation_of(put_back) != first and history(put_back) == before
    assert "Backup restored, with" in run("store", "history", env=put_back).output


def test_a_store_that_is_served_is_left_alone(put_back: Environment) -> None:
    before = incarnation_of(put_back)
    if "SQLITE_DBNAME" in put_back:
        with store_lock(settings(Path(put_back["SQLITE_DBNAME"]))):
            assert "serves" in refused("store", "restored", **put_back)
    else:
        with closing(connect(put_back)) as connection:
            connection.execute(f"UPDATE {TABLE} SET shown = {NOW} + 60000000".encode())  # noqa: S608
            assert "an instance serves the store" in refused("store", "restored", **put_back)
    assert incarnation_of(put_back) == before


def test_it_needs_a_store(tmp_path: Path) -> None:
    assert "there is no store at" in refused("store", "restored", "--data", tmp_path / "none")
    with fresh_database() as env:
        assert "the database lacks" in refused("store", "restored", **env)


def migrated(log: Log, tmp_path: Path) -> str:
    """The output for the operator. No match of these logs has been played by the rules."""
    done = run("migrate", "--data", tmp_path, env=log.env)
    assert done.exit_code == 0, done.output
    return done.output


def position(log: Log) -> int:
    reached = log.index.follower.position()
    return int(reached)


def test_workers_find_the_lists_of_a_new_format_up_to_date(log: Log, tmp_path: Path) -> None:
    """Otherwise the first request would read the whole log, and all others would wait."""
    with closing(release(log, FORMAT - 1)) as before:
        busy(log)
        before.follow()
        assert position(log) == 0
        migrated(log, tmp_path)
        assert position(log) == log.store.end()
        assert contents(log.index) == contents(before)


def test_tables_of_other_formats_and_of_the_operators_stay(log: Log, tmp_path: Path) -> None:
    log.index._db.create(["CREATE TABLE arbiter_club (id {text})"])
    busy(log)
    for number in (FORMAT - 1, FORMAT + 1):
        with closing(release(log, number)) as other:
            other.follow()
    before = set(log.index._db.tables())
    migrated(log, tmp_path)
    assert set(log.index._db.tables()) >= before


ROOMS = [0, 4096, 65_536]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 4 * MIB) as made:
        yield made


def said(text: str) -> str:
    return "".join(text.replace("│", "").split())


@pytest.mark.parametrize("room", ROOMS)
def test_a_backup_names_its_own_disk(
    played: tuple[Path, Happened], disk: SmallDisk, room: int
) -> None:
    disk.fill(leave=room)
    target = disk.folder / "backup"
    done = run("backup", target, "--data", played[0])
    assert done.exit_code == 1
    assert said(f"the disk is full: '{target}'") in said(done.stderr)
    assert [path.name for path in disk.folder.iterdir()] == ["filler"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_sound_backup_is_not_called_damaged(
    intact_backup: Path, disk: SmallDisk, room: int
) -> None:
    folder = disk.folder / "store"
    folder.mkdir()
    disk.fill(leave=room)
    done = run("restore", intact_backup, "--data", folder)
    assert done.exit_code == 1
    assert said("the disk is full") in said(done.stderr) and str(intact_backup) not in done.stderr
    disk.empty()
    assert run("restore", intact_backup, "--data", folder).exit_code == 0


def test_a_bundle_names_its_file(played: tuple[Path, Happened], disk: SmallDisk) -> None:
    disk.fill()
    folder, happened = played
    bundle = disk.folder / "match.arb"
    match = min(happened.matches)
    exported = run("export", match, "--as", "public", "--data", folder, "--out", bundle)
    assert exported.exit_code == 1
    assert said(f"{bundle} cannot be written: No space left on device") in said(exported.stderr)


@pytest.mark.parametrize("before", [None, b"an older bundle"])
@pytest.mark.parametrize("room", ROOMS[:2])
def test_a_bundle_is_there_whole_or_as_it_was(
    played: tuple[Path, Happened], disk: SmallDisk, room: int, before: bytes | None
) -> None:
    folder, happened = played
    bundle = disk.folder / "match.arb"
    if before is not None:
        bundle.write_bytes(before)
    disk.fill(leave=room)
    done = run("export", min(happened.matches), "--data", folder, "--out", bundle)
    assert done.exit_code == 1
    assert said(f"{bundle} cannot be written") in said(done.stderr)
    left = {path.name: path.read_bytes() for path in disk.folder.iterdir() if path.name != "filler"}
    assert left == ({} if before is None else {"match.arb": before})
