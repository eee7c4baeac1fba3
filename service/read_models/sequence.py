"""Numbers 1, 2, 3 for rows of the index, continuing after the last stored number."""

from collections.abc import Iterable, Iterator, Sequence

from service.event_store.bulk_sql import chunks
from service.event_store.database import Cursor

Key = tuple[str | int, ...]


class SequenceNumbers:
    """The numbers of a page's new rows in a table; each key has a sequence of its own.

    `key` names the columns of the key, `number` the column of the number. The table needs an index
    over all of them, which finds the last number.
    """

    def __init__(
        self, cursor: Cursor, table: str, key: Sequence[str], number: str, keys: Iterable[Key]
    ) -> None:
        self._last: dict[Key, int] = {}
        same = " AND ".join(f"there.{column} = wanted.{column}" for column in key)
        marks = f"({','.join('?' * len(key))})"
        for batch in chunks(sorted(set(keys))):
            # Tables and columns are constants of the callers; the values are bound.
            cursor.execute(
                f"WITH wanted ({','.join(key)}) AS (VALUES {','.join([marks] * len(batch))}) "  # noqa: S608
                f"SELECT wanted.*, (SELECT MAX({number}) FROM {table} AS there WHERE {same}) "
                "FROM wanted",
                [value for one in batch for value in one],
            )
            self._last |= {row[:-1]: row[-1] or 0 for row in _rows(cursor)}

    def next(self, *key: str | int) -> int:
        """The number of the next row with this key, which must be among the `keys`."""
        self._last[key] += 1
        return self._last[key]


def _rows(cursor: Cursor) -> Iterator[tuple[int, ...]]:
    yield from map(tuple, cursor.fetchall())
