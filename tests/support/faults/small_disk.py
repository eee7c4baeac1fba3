"""A disk of a few MiB, which a test fills."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

MIB = 1024**2


class SmallDisk:
    """A mounted disk. `fill` leaves so many bytes free; `empty` gives the room back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, leave: int = 0) -> None:
        free = os.statvfs(self.folder)
        size = free.f_bavail * free.f_frsize - leave
        with self._filler.open("ab") as filler:
            os.posix_fallocate(filler.fileno(), filler.tell(), size)

    def empty(self) -> None:
        self._filler.unlink()


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[SmallDisk]:
    """A disk of so many bytes, mounted on a folder. Only the superuser may mount one."""
    if os.geteuid() != 0:
        pytest.skip("only the superuser may mount a disk")
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={size}", "arbiter-test", str(folder)]
    mounted = subprocess.run(["mount", *options], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def leaves(database: Path, table: str) -> list[int]:
    """The numbers of the pages that hold a table's rows, in the order of the rows. Everything must
    have been checkpointed."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reading:
        rows = reading.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,)
        )
        return [page for (page,) in rows]


def overwrite(database: Path, pages: list[int]) -> None:
    """Writes over the first half of each page."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reading:
        (size,) = reading.execute("PRAGMA page_size").fetchone()
    with database.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * (size // 2))
