"""Pages of an embedded store written over on the disk, as a failing disk leaves them."""

import sqlite3
from contextlib import closing
from pathlib import Path


def leaves(database: Path, table: str) -> list[int]:
    """The numbers of the pages that hold a table's rows, in the order of the rows. Everything must
    have been checkpointed."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reading:
        found = reading.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,)
        )
        return [page for (page,) in found]


def overwrite(database: Path, pages: list[int]) -> None:
    """Writes over the first half of each page."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reading:
        (size,) = reading.execute("PRAGMA page_size").fetchone()
    with database.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * (size // 2))
