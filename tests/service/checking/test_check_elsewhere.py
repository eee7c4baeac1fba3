"""`arbiter check` on backups, by `arbiter backup` itself, next to a running service, and on
PostgreSQL."""

import asyncio
import sys
from hashlib import sha256
from pathlib import Path

import msgspec

from service.instance import Instance
from tests.support.cli.store_with_history import Happened, copy_into, run
from tests.support.instance.damage import flip_in_file, flipped, rows_of
from tests.support.instance.service_instance import settings, someone_acts, started
from tests.support.instants import NOON
from tests.support.servers.postgres_server import connect, fresh_database
from tests.support.virtual_clock import VirtualClock


def damage(folder: Path, happened: Happened) -> str:
    """Damages a match; returns its id."""
    match = happened.over["grouping-bw"]
    with rows_of(folder / "arbiter.db", match) as rows:
        rows.put(flipped(rows.all()[9], 70))
    return str(match)


# Backups.


def test_a_backup_of_a_damaged_store_is_not_made_and_the_older_one_stays(
    played: tuple[Path, Happened], folder: Path, tmp_path: Path
) -> None:
    backups = tmp_path / "backups"
    backups.mkdir()
    older, newer = backups / "older", backups / "newer"
    assert run("backup", older, "--data", folder).exit_code == 0
    match = damage(folder, played[1])
    done = run("backup", newer, "--data", folder)
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert match in said and "nothing was written" in said
    assert list(backups.iterdir()) == [older]
    assert run("backup", newer, "--no-check", "--data", folder).exit_code == 0
    assert newer.exists()
    assert run("check", "--backup", older).exit_code == 0
    done = run("check", "--backup", newer)
    assert done.exit_code == 1 and match in done.output


def test_a_backup_is_judged_without_being_changed(folder: Path, tmp_path: Path) -> None:
    backup = tmp_path / "kept" / "backup"
    backup.parent.mkdir()
    assert run("backup", backup, "--no-check", "--data", folder).exit_code == 0
    backup.chmod(0o400)
    before = sha256(backup.read_bytes()).digest()
    done = run("check", "--backup", backup, "--json")
    assert done.exit_code == 0
    assert msgspec.json.decode(done.output)["digests"] > 0
    assert sha256(backup.read_bytes()).digest() == before
    assert list(backup.parent.iterdir()) == [backup]


def test_a_bit_in_a_backup_is_found(
    played: tuple[Path, Happened], folder: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    assert run("backup", backup, "--data", folder).exit_code == 0
    with rows_of(backup, played[1].running) as rows:
        state = rows.all()[4].state
    flip_in_file(backup, state)
    done = run("check", "--backup", backup)
    assert done.exit_code == 1 and "Damaged" in done.output


# Next to a running service.


async def test_a_store_that_is_being_written_to_is_clean(tmp_path: Path) -> None:
    """Matches grow, begin and end, and the lists follow meanwhile. The command is a process of its
    own."""
    instance = Instance(settings(tmp_path / "arbiter.db"), VirtualClock(NOON))
    command = [sys.executable, "-m", "service.cli", "check", "--json", "--data", str(tmp_path)]
    pipe = asyncio.subprocess.PIPE
    async with instance.running():
        matches = [await started(instance, "twelve-chips") for _ in range(10)]
        checking, written = None, 0
        for turn in range(100_000):
            for match in matches:
                written += await someone_acts(instance, match)
            matches += [await started(instance, "dollar-prize")]
            await asyncio.to_thread(instance.index.follow)
            if checking is None and turn >= 3:
                checking = await asyncio.create_subprocess_exec(*command, stdout=pipe)
                written = 0
                answer = asyncio.create_task(checking.communicate())
            if checking is not None and answer.done():
                break
        assert checking is not None
        output, _ = await answer
    report = msgspec.json.decode(output)
    assert (checking.returncode, report["findings"], report["unjudged"]) == (0, [], []), report
    assert report["rows"] > 0 and written > 10


# PostgreSQL.


def test_a_store_in_postgresql_is_judged(played: tuple[Path, Happened], folder: Path) -> None:
    with fresh_database() as env:
        copy_into(env, folder)
        where = {**env, "ARBITER_KEYS": str(folder / "keys")}
        done = run("check", "--json", env=where)
        assert done.exit_code == 0, done.output
        clean = msgspec.json.decode(done.output)
        assert clean["matches"] == len(played[1].matches) and clean["listed"] > 0
        assert min(clean["digests"], clean["checkpoints"], clean["settlements"]) > 0
        match = played[1].over["together"]
        named = run("check", match, "--json", env=where)
        assert msgspec.json.decode(named.output)["matches"] == 1
        with connect(env) as database:
            database.execute(
                "UPDATE arbiter_events SET state = set_byte(state, 9, 255 - get_byte(state, 9))"
                " WHERE originator_id = %s AND originator_version = 7",
                (match,),
            )
            database.execute("DELETE FROM arbiter1_seats WHERE match = %s", (str(match),))
        done = run("check", "--json", env=where)
        assert done.exit_code == 1
        found = msgspec.json.decode(done.output)["findings"]
        assert {one["stream"] for one in found} == {str(match)}
        assert "indexes" in {one["part"] for one in found} and len(found) > 1
