"""Compares the lists of a store with those that its log gives, made anew in a temporary file."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from service.checking.findings import Finding, Judged
from service.event_store.bulk_sql import table_pages
from service.event_store.database import Cursor, SQLiteDatabase, lacks, selected
from service.event_store.reading import StoreReader
from service.read_models.follower import ignore_unreadable, select_position
from service.read_models.index import Index
from service.read_models.tables import DERIVED_TABLES, NAME, TABLES

PAGE = 1_000
"""Rows of a table in memory at once."""

MAX_FINDINGS = 10
"""Maximum findings in one table: rebuilding the lists repairs all of them."""

POSITION = select_position(NAME)

Row = tuple[Any, ...]


def judge_read_models(reader: StoreReader, log: StoreReader) -> Judged:
    """Compares every table of the index, as `reader` finds it at one moment, with what the log up
    to its position gives; `log` reads the same store on another connection.

    The memory that it needs does not grow with the store; its temporary file does.
    """
    if lacks(reader.database, *DERIVED_TABLES):
        return Judged()
    with TemporaryDirectory(prefix="arbiter-check-") as folder:
        made = SQLiteDatabase(str(Path(folder) / "index.db"))
        made.create(TABLES)
        with closing(Index(made, log)) as index:
            index.follower.on_unreadable = ignore_unreadable
            # Most of the log is read before the transaction, so that this is short.
            _read_log(index, log, _position(reader.database.select(POSITION)))
            with reader.database.snapshot() as cursor:
                position = _position(selected(cursor, POSITION))
                end = _read_log(index, log, position)
                with made.snapshot() as expected:
                    found = _compared(expected, cursor)
    if position > end:
        text = f"the lists have read the log up to {position:,}, and it ends at {end:,}"
        found.findings.insert(0, Finding("log", text))
    return found


def _read_log(index: Index, log: StoreReader, position: int) -> int:
    """Reads the log into an index up to a position, or to its end if that is before; returns it."""
    end = min(position, log.max_notification_id())
    for _ in index.follower.pages(end):
        pass
    return end


def _position(rows: Sequence[Row]) -> int:
    """The position of the index in this format; 0 if it has none."""
    return int(rows[0][0]) if rows else 0


def _compared(expected: Cursor, stored: Cursor) -> Judged:
    found = Judged()
    for table in DERIVED_TABLES:
        differences: list[Finding] = []
        for wanted, row in _side_by_side(table, expected, stored):
            found.listed += 1
            if wanted != row and len(differences) < MAX_FINDINGS:
                differences.append(_difference(table, wanted, row))
        found.findings += differences
    return found


def _side_by_side(
    table: str, expected: Cursor, stored: Cursor
) -> Iterator[tuple[Row | None, Row | None]]:
    """The rows of a table of both databases, by the table's key."""
    primary = "SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk"
    key = [name for (name,) in selected(expected, primary, (table,))]
    left, right = _rows(table, key, expected), _rows(table, key, stored)
    wanted, row = next(left, None), next(right, None)
    while wanted is not None or row is not None:
        if row is None or (wanted is not None and wanted[: len(key)] < row[: len(key)]):
            yield wanted, None
            wanted = next(left, None)
        elif wanted is None or row[: len(key)] < wanted[: len(key)]:
            yield None, row
            row = next(right, None)
        else:
            yield wanted, row
            wanted, row = next(left, None), next(right, None)


def _rows(table: str, key: Sequence[str], cursor: Cursor) -> Iterator[Row]:
    """The rows of a table in the order of its key, which comes first in each."""
    names = ", ".join(key)
    for page in table_pages(partial(selected, cursor), table, f"{names}, *", names, PAGE):
        yield from (tuple(map(_plain, row)) for row in page)


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _difference(table: str, wanted: Row | None, stored: Row | None) -> Finding:
    row = stored if wanted is None else wanted
    assert row is not None, "one of them is there"
    what = (
        "has a row too many" if wanted is None else "lacks a row" if stored is None else "differs"
    )
    stream = next((value for value in row if _is_id(value)), None)
    return Finding("indexes", f"the list {table} {what}", stream)


def _is_id(text: Any) -> bool:
    try:
        UUID(text)
    except (ValueError, AttributeError, TypeError):
        return False
    return True
