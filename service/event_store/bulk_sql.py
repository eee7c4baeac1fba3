"""Statements for many rows at once, in so few shapes that the database can cache them all."""

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from service.event_store.database import Cursor

T = TypeVar("T")

MAX_ROWS = 256
"""Maximum rows in a statement; a smaller statement has a power of two."""


def write_rows(cursor: Cursor, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Runs `sql`, written for one row, for all rows. Its `?` marks are in brackets after VALUES."""
    start = 0
    while start < len(rows):
        size = min(MAX_ROWS, 1 << (len(rows) - start).bit_length() - 1)
        batch = rows[start : start + size]
        cursor.execute(_repeated(sql, size), list(chain.from_iterable(batch)))
        start += size


def table_pages(
    select: Callable[[str, Sequence[Any]], list[tuple[Any, ...]]],
    table: str,
    columns: str,
    key: str,
    size: int,
) -> Iterator[list[tuple[Any, ...]]]:
    """These columns of all rows of a table, in the order of its key, so many rows at once."""
    width, after = len(key.split(", ")), list[Any]()
    while True:
        where = f"WHERE ({key}) > ({', '.join('?' * width)})" if after else ""
        page = f"SELECT {columns}, {key} FROM {table} {where} ORDER BY {key} LIMIT ?"  # noqa: S608
        found = select(page, (*after, size))
        if not found:
            return
        yield [row[:-width] for row in found]
        after = list(found[-1][-width:])


def chunks(values: Sequence[T]) -> list[Sequence[T]]:
    """Splits values into chunks of at most MAX_ROWS. The last chunk is padded with its last value
    to a power of two."""
    batches = [values[start : start + MAX_ROWS] for start in range(0, len(values), MAX_ROWS)]
    if batches:
        last = batches[-1]
        size = 1 << (len(last) - 1).bit_length()
        batches[-1] = [*last, *[last[-1]] * (size - len(last))]
    return batches


@functools.cache
def _repeated(sql: str, size: int) -> str:
    """The statement with the `?` marks of one row repeated `size` times."""
    before, values, rest = sql.partition("VALUES ")
    marks, closed, after = rest.partition(")")
    return before + values + ", ".join([marks + closed] * size) + after
