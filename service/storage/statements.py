"""Statements about many rows at once, in so few shapes that the database knows them all."""

import functools
from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeVar

from service.storage.database import Cursor

T = TypeVar("T")

MOST = 256
"""So many rows a statement; fewer are a power of two."""


def put(cursor: Cursor, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Does for all rows what `sql` does for one, whose marks stand in brackets behind VALUES."""
    start = 0
    while start < len(rows):
        size = min(MOST, 1 << (len(rows) - start).bit_length() - 1)
        some = rows[start : start + size]
        cursor.execute(_repeated(sql, size), list(chain.from_iterable(some)))
        start += size


def parts(wanted: Sequence[T]) -> list[Sequence[T]]:
    """What is looked for, as much of it as a statement asks for; where the last part is smaller,
    with its last repeated up to a power of two."""
    found = [wanted[start : start + MOST] for start in range(0, len(wanted), MOST)]
    if found:
        last = found[-1]
        size = 1 << (len(last) - 1).bit_length()
        found[-1] = [*last, *[last[-1]] * (size - len(last))]
    return found


@functools.cache
def _repeated(sql: str, size: int) -> str:
    """The statement with the marks of one row repeated."""
    before, values, rest = sql.partition("VALUES ")
    marks, closed, after = rest.partition(")")
    return before + values + ", ".join([marks + closed] * size) + after
