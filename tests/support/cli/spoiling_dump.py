"""A store's dump that does not store exactly what it is given."""

from collections.abc import Callable, Iterable, Sequence

from service.event_store.dump import DumpedRow, StoreDump

Spoil = Callable[[list[DumpedRow]], list[DumpedRow]]


class Spoiling:
    """Stores what `spoil` makes of the rows of one table."""

    def __init__(self, dump: StoreDump, spoil: Spoil, table: str) -> None:
        self._dump, self._spoil, self._table = dump, spoil, table
        self.count, self.pages = dump.count, dump.pages

    def insert(self, table: str, pages: Iterable[Sequence[DumpedRow]]) -> None:
        rows = [row for page in pages for row in page]
        self._dump.insert(table, [self._spoil(rows) if table == self._table else rows])
