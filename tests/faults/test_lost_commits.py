"""A store that has lost commits, or was replaced by an older one, is not served as if whole.

The service is `arbiter serve` in a process of its own. What it has acknowledged before it is killed
must be there afterwards, or someone must be told.
"""

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.support.servers.serve_process import (
    ServeProcess,
    arbiter,
    refused_start,
    serve,
    started_match,
)

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

MATCHES = 5


def played(process: ServeProcess) -> list[str]:
    """The ids of matches that have been created and started."""
    with process.client() as client:
        return [started_match(client)["id"] for _ in range(MATCHES)]


def view(process: ServeProcess, match: str) -> httpx.Response:
    with process.client() as client:
        return client.get(f"/v1/matches/{match}/view", params={"as": "public"})


class Lives(NamedTuple):
    """Copies of the data of one service: after its first and its second life, which were ended in
    an orderly way, and after the third, which was killed. Each created `MATCHES` matches."""

    first: Path
    second: Path
    killed: Path
    matches: list[str]


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Lives:
    folder = tmp_path_factory.mktemp("lives")
    data, matches = folder / "data", list[str]()
    first, second, killed = (folder / name for name in ("first", "second", "killed"))
    for copy in (first, second, killed):
        with serve(data) as process:
            matches += played(process)
            process.kill() if copy is killed else process.stop()
        shutil.copytree(data, copy)
    return Lives(first, second, killed, matches)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def first(lives: Lives, data: Path) -> Path:
    """The data of a service that was stopped."""
    shutil.copytree(lives.first, data)
    return data


@pytest.fixture
def killed(lives: Lives, data: Path) -> Path:
    """The data of a service that was killed."""
    shutil.copytree(lives.killed, data)
    return data


@pytest.fixture
def beheaded(killed: Path) -> Path:
    """The same, and its write-ahead log was deleted then."""
    (killed / "arbiter.db-wal").unlink()
    (killed / "arbiter.db-shm").unlink()
    return killed


def test_a_deleted_write_ahead_log_is_noticed(beheaded: Path) -> None:
    said = refused_start(beheaded)
    found = re.search(r"ends after ([\d,]+) events, and ([\d,]+) had been recorded", said)
    assert found, said
    there, recorded = (int(number.replace(",", "")) for number in found.groups())
    assert f"{recorded - there:,} are missing" in said
    assert "arbiter.db-wal is missing" in said
    assert "arbiter restore" in said and "--accept-loss" in said


def test_a_refused_start_changes_nothing_so_the_missing_file_can_be_put_back(
    lives: Lives, killed: Path
) -> None:
    elsewhere = killed.with_name("elsewhere")
    (killed / "arbiter.db-wal").rename(elsewhere)
    (killed / "arbiter.db-shm").unlink()
    before = {path: path.read_bytes() for path in killed.glob("arbiter.db*")}
    refused_start(killed)
    assert {path: path.read_bytes() for path in killed.glob("arbiter.db*")} == before
    elsewhere.rename(killed / "arbiter.db-wal")
    with serve(killed) as process:
        assert all(view(process, match).status_code == 200 for match in lives.matches)
    assert "never gone back" in arbiter("store", "history", "--data", killed).stdout


def test_an_accepted_loss_is_on_record_and_told_to_readers(beheaded: Path) -> None:
    refused_start(beheaded)
    with serve(beheaded, "--accept-loss") as process:
        assert "Going on without what is missing" in process.errors
        matches = played(process)
        incarnation = view(process, matches[0]).headers["Arbiter-Incarnation"]
    assert "Loss accepted" in arbiter("store", "history", "--data", beheaded).stdout
    with serve(beheaded) as process:
        assert view(process, matches[0]).headers["Arbiter-Incarnation"] == incarnation
    assert arbiter("store", "history", "--data", beheaded).stdout.count("Loss accepted") == 1


def test_an_older_database_put_back_by_hand_is_noticed(lives: Lives, data: Path) -> None:
    shutil.copytree(lives.second, data)
    shutil.copy(lives.first / "arbiter.db", data)
    assert "are missing" in refused_start(data)


def test_an_older_database_that_went_on_differently_is_noticed(
    lives: Lives, first: Path, tmp_path: Path
) -> None:
    with serve(first) as process:
        played(process)
        played(process)
        process.stop()
    data = tmp_path / "second"
    shutil.copytree(lives.second, data)
    shutil.copy(first / "arbiter.db", data)
    assert "not the one that was recorded there" in refused_start(data)


def test_a_store_that_lost_everything_is_noticed(data: Path) -> None:
    with serve(data) as process:
        process.stop()
    (data / "arbiter.db").unlink()
    assert "lost its beginning" in refused_start(data)


def test_readers_are_told_that_a_backup_was_restored(data: Path) -> None:
    backup = data.with_name("a.backup")
    with serve(data) as process:
        matches = played(process)
        arbiter("backup", backup, "--data", data)
        played(process)
        before = view(process, matches[0]).headers["Arbiter-Incarnation"]
        process.stop()
    (data / "arbiter.db").rename(data.with_name("moved.db"))
    restored = arbiter("restore", backup, "--data", data)
    assert restored.returncode == 0, restored.stderr
    with serve(data) as process:
        after = view(process, matches[0]).headers["Arbiter-Incarnation"]
    assert after != before
    assert "restored" in arbiter("store", "history", "--data", data).stdout


def test_a_store_without_its_mark_is_served_and_says_so_once(first: Path) -> None:
    (first / "arbiter.db.mark").unlink()
    with serve(first) as process:
        assert process.errors.count("There was no arbiter.db.mark") == 1
        process.stop()
    with serve(first) as process:
        assert process.errors.count("There was no arbiter.db.mark") == 1


def test_a_new_store_says_nothing(data: Path) -> None:
    with serve(data) as process:
        assert "mark" not in process.errors


def test_whole_stores_start_with_and_without_the_option(data: Path) -> None:
    for options in ([], ["--accept-loss"], []):
        with serve(data, *options) as process:
            played(process)
            process.kill()
    assert "Loss" not in arbiter("store", "history", "--data", data).stdout


@pytest.mark.parametrize("damage", [b"", b"x" * 512])
def test_a_damaged_mark_is_not_taken_for_a_whole_log(first: Path, damage: bytes) -> None:
    (first / "arbiter.db.mark").write_bytes(damage)
    assert "is damaged" in refused_start(first)
    with serve(first, "--accept-loss"):
        pass
    with serve(first):
        pass
