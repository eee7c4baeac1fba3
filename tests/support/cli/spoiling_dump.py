"""A store's dump that does not store exactly what it is given."""

from collections.abc import Callable, Sequence

from service.event_store.backup.dump import DumpedRow, StoreDump

Spoil = Callable[[list[DumpedRow]], list[DumpedRow]]


class Spoiling(StoreDump):
    """Stores what `spoil` makes of the first rows of one table."""

    def __init__(self, dump: StoreDump, spoil: Spoil, table: str) -> None:
        super().__init__(dump._cursor, dump._dialect)
        self._spoil, self._table = spoil, table

    def insert(self, table: str, rows: Sequence[DumpedRow]) -> None:
        spoilt, self._table = table == self._table, "" if table == self._table else self._table
        super().insert(table, self._spoil(list(rows)) if spoilt else rows)
