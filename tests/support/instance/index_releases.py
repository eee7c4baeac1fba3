"""Indexes of other releases, side by side with the present one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from service.event_store.database import Cursor, Database
from service.read_models.index import Index
from service.read_models.tables import FORMAT, NAME, TABLES
from tests.support.instance.index_log import Log


class OtherRelease:
    """A database as a release with another format number sees it."""

    def __init__(self, database: Database, number: int) -> None:
        self._db, self._number = database, number
        self.for_update = database.for_update

    def translated(self, sql: str) -> str:
        own = re.sub(rf"arbiter{FORMAT}_", f"arbiter{self._number}_", sql)
        return own.replace(f"'{NAME}'", f"'lists.{self._number}'")

    def create(self, statements: Iterable[str]) -> None:
        self._db.create([self.translated(statement) for statement in statements])

    def tables(self) -> list[str]:
        return self._db.tables()

    def identity(self, table: str, /) -> tuple[str, ...]:
        return self._db.identity(self.translated(table))

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._db.select(self.translated(sql), parameters)

    def snapshot(self) -> AbstractContextManager[Cursor]:
        return self._translated(self._db.snapshot())

    def transaction(self) -> AbstractContextManager[Cursor]:
        return self._translated(self._db.transaction())

    @contextmanager
    def _translated(self, inside: AbstractContextManager[Cursor]) -> Iterator[Cursor]:
        with inside as cursor:
            yield _TranslatingCursor(cursor, self)

    def close(self) -> None:
        """Does nothing: the other index owns the database."""


class _TranslatingCursor:
    def __init__(self, cursor: Cursor, release: OtherRelease) -> None:
        self._cursor, self._release = cursor, release
        self.fetchone, self.fetchall = cursor.fetchone, cursor.fetchall

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        return self._cursor.execute(self._release.translated(sql), parameters)


def release(log: Log, number: int) -> Index:
    other = OtherRelease(log.index._db, number)
    other.create(TABLES)
    return Index(other, log.store.recorder)
