"""Numbers 1, 2, 3 for rows of the index, going on behind the last one that is there."""

from collections.abc import Iterable, Iterator, Sequence

from service.storage.database import Cursor
from service.storage.statements import parts

Key = tuple[str | int, ...]


class Numbers:
    """The numbers that the rows of a page get in a table, for each key by itself: `key` are the
    columns by which rows are told apart, `number` that of the number. An index over them all finds
    the last."""

    def __init__(
        self, cursor: Cursor, table: str, key: Sequence[str], number: str, keys: Iterable[Key]
    ) -> None:
        self._last: dict[Key, int] = {}
        same = " AND ".join(f"there.{column} = wanted.{column}" for column in key)
        marks = f"({','.join('?' * len(key))})"
        for some in parts(sorted(set(keys))):
            # Tables and columns are those that callers name; what is asked for is bound.
            cursor.execute(
                f"WITH wanted ({','.join(key)}) AS (VALUES {','.join([marks] * len(some))}) "  # noqa: S608
                f"SELECT wanted.*, (SELECT MAX({number}) FROM {table} AS there WHERE {same}) "
                "FROM wanted",
                [value for one in some for value in one],
            )
            self._last |= {row[:-1]: row[-1] or 0 for row in _rows(cursor)}

    def next(self, *key: str | int) -> int:
        """The number of the next row under a key that was among the `keys`."""
        self._last[key] += 1
        return self._last[key]


def _rows(cursor: Cursor) -> Iterator[tuple[int, ...]]:
    yield from map(tuple, cursor.fetchall())
