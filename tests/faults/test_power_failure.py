"""The power fails while the embedded store is written: what had been synced is there, and of the
rest some writes, in any order, some in part. Everything acknowledged is on record, `arbiter check`
finds nothing, and the service starts.

One process writes under strace; from its system calls hundreds of disks are made that a power
failure could have left.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from uuid import UUID

import pytest

from service.cli.stores.check import judge_store
from service.event_store.database import embedded
from service.event_store.sqlite.lost_commits import find_loss
from service.event_store.store import Store
from service.instance import Instance
from tests.faults.power_failure import STRACE, changes, left
from tests.faults.syscall_trace import strace_there
from tests.support.effort import new_chance, times
from tests.support.instance.service_instance import settings
from tests.support.repository import ROOT

__all__ = ["strace_there"]

pytestmark = pytest.mark.slow(because="it judges hundreds of stores")

COMMANDS = 150
FAILURES = times("power failures")
STARTS = 20
"""One of so many disks is also served."""


class Written:
    """What a process has written in a folder, and when it acknowledged which length of a match."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.data.mkdir()
        trace, answers = folder / "trace", self.data / "answers"
        writer = (sys.executable, "-m", "tests.faults.store_writer")
        arguments = (str(self.data / "arbiter.db"), str(answers), str(COMMANDS))
        under = (*STRACE, f"--output={trace}")
        subprocess.run([*under, *writer, *arguments], cwd=ROOT, check=True)
        every = changes(trace, self.data)
        self.files = [one for one in every if one.file != answers]
        self.answers = [one for one in every if one.file == answers]

    def acknowledged(self, at: int) -> dict[UUID, int]:
        """How long each match was at least, by what was answered before a line of the trace."""
        lines = (one.content or b"" for one in self.answers if one.begins < at)
        pairs = (line.decode().split() for line in lines)
        return {UUID(match): int(end) for match, end in pairs}

    def fails(self, at: int, chance: Random, folder: Path, *, honest: bool = True) -> Path:
        """The database after a power failure at a line of the trace, in a new folder. Keys are
        whole: they are written before anything else."""
        shutil.copytree(self.data, folder, ignore=lambda *_: {one.file.name for one in self.files})
        for file, content in left(self.files, at, chance, honest=honest).items():
            (folder / file.relative_to(self.data)).write_bytes(content)
        return folder / "arbiter.db"


@pytest.fixture(scope="module", name="written")
def written_once(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("power"))


def lost(database: Path, acknowledged: dict[UUID, int]) -> list[UUID]:
    """The matches of which something acknowledged is not on record."""
    store = Store(embedded(database))
    try:
        return [match for match, end in acknowledged.items() if len(store.read(match)) < end]
    finally:
        store.close()


def found_wrong(database: Path, acknowledged: dict[UUID, int]) -> list[str]:
    """What is wrong with what a power failure has left, as the service and `arbiter check` see it
    before anything writes to it."""
    loss = find_loss(database)
    found = judge_store(embedded(database))
    missing = lost(database, acknowledged)
    return [
        *map(str, filter(None, [loss])),
        *map(str, (*found.findings, *found.unjudged, *missing)),
    ]


async def test_nothing_acknowledged_is_lost_when_the_power_fails(
    written: Written, tmp_path: Path
) -> None:
    chance, first = new_chance(), written.answers[0].begins
    lines = [
        at for one in written.files for at in (one.begins, one.ends, one.ends + 1) if at > first
    ]
    for number in range(FAILURES):
        at, folder = chance.choice(lines), tmp_path / str(number)
        database, acknowledged = written.fails(at, chance, folder), written.acknowledged(at)
        assert found_wrong(database, acknowledged) == [], (number, at)
        if number % STARTS == 0:
            async with Instance(settings(database)).running() as _:
                pass
            assert found_wrong(database, acknowledged) == [], (number, at)
        shutil.rmtree(folder)
    print(f"{FAILURES} power failures, {len(lines)} moments, {len(written.files)} writes")  # noqa: T201


def test_control_on_a_disk_that_does_not_sync_it_is_lost_and_found(
    written: Written, tmp_path: Path
) -> None:
    chance, at = new_chance(), written.files[-1].ends
    failed = (written.fails(at, chance, tmp_path / str(n), honest=False) for n in range(10))
    wrong = [_wrong_or_unreadable(each, written.acknowledged(at)) for each in failed]
    assert all(wrong)


def _wrong_or_unreadable(database: Path, acknowledged: dict[UUID, int]) -> bool:
    """Whether something is found to be wrong, at the latest when the store is opened."""
    try:
        return bool(found_wrong(database, acknowledged))
    except Exception:  # noqa: BLE001  whatever it is, no one takes it for the store
        return True
