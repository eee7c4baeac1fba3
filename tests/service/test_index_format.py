"""The format of the index: a database of another format is read off the log once more, and two
releases side by side each follow in their own tables."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from domain.match_events import MatchStarted
from service.storage import index as indexing
from service.storage.database import Cursor, Database, Question
from service.storage.index import Index
from service.storage.tables import FILLED, FORMAT, TABLES
from tests.service.test_index import Log, busy, contents, kept_in

MADE = {2: "9abdc7a0fdbc5f19"}
"""What makes the tables of each format, digested."""


@pytest.fixture(params=["sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with kept_in(request.param, tmp_path) as log:
        yield log


class OtherRelease:
    """A database as a release finds it whose format has another number."""

    def __init__(self, database: Database, number: int) -> None:
        self._db, self._number = database, number
        self.for_update = database.for_update

    def said(self, sql: str) -> str:
        own = re.sub(rf"arbiter{FORMAT}_", f"arbiter{self._number}_", sql)
        own = own.replace(f"VALUES ({FORMAT}, 0)", f"VALUES ({self._number}, 0)")
        return own.replace(f"format = {FORMAT}", f"format = {self._number}")

    def create(self, statements: Iterable[str]) -> None:
        self._db.create([self.said(statement) for statement in statements])

    def lacks(self, table: str) -> bool:
        return self._db.lacks(self.said(table))

    def tables(self) -> list[str]:
        return self._db.tables()

    def select(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._db.select(self.said(sql), parameters)

    def select_at_once(self, *asked: Question) -> list[list[tuple[Any, ...]]]:
        return self._db.select_at_once(*((self.said(sql), more) for sql, more in asked))

    def transaction(self) -> AbstractContextManager[Cursor]:
        return self._transaction()

    @contextmanager
    def _transaction(self) -> Iterator[Cursor]:
        with self._db.transaction() as cursor:
            yield _Said(cursor, self)

    def close(self) -> None:
        """The database is another's."""


class _Said:
    def __init__(self, cursor: Cursor, release: OtherRelease) -> None:
        self._cursor, self._release = cursor, release
        self.fetchone, self.fetchall = cursor.fetchone, cursor.fetchall

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        return self._cursor.execute(self._release.said(sql), parameters)


def release(log: Log, number: int) -> Index:
    return Index(OtherRelease(log.index._db, number), log.store.recorder)


@pytest.mark.parametrize("number", [FORMAT - 1, FORMAT + 1])
def test_another_format_is_read_from_the_beginning(log: Log, number: int) -> None:
    busy(log)
    log.index.follow()
    wanted = contents(log.index)
    with closing(release(log, number)) as other:
        assert contents(other)[0] == []
        other.follow()
        assert contents(other) == wanted
        other.rebuild()
        assert contents(log.index) == contents(other) == wanted


def test_two_releases_at_once_follow_each_in_its_own_tables(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    luck = random.Random(7)
    with closing(release(log, FORMAT + 1)) as other:
        for _ in range(12):
            monkeypatch.setattr(indexing, "PAGE", luck.choice([3, 11, 1_000]))
            luck.choice([log.index.follow, other.follow, log.index.rebuild, other.rebuild])()
            busy(log) if luck.random() < 0.3 else log.match(MatchStarted())
        log.index.follow()
        other.follow()
        assert len(contents(log.index)[0]) >= 12
        assert contents(other) == contents(log.index)


BEFORE_NUMBERS = (
    "CREATE TABLE arbiter_index_position (one INTEGER PRIMARY KEY, position BIGINT)",
    "INSERT INTO arbiter_index_position VALUES (1, 9999)",
    "CREATE TABLE arbiter_matches (id {text} PRIMARY KEY, game {text}, status {text},"
    " tournament {text}, deadline BIGINT, listed {bytes}) {keyed}",
)
"""What the release has left that did not number its format: its tables were called otherwise, and
its position was the only one."""


def test_what_the_release_before_formats_has_left_is_not_touched(log: Log) -> None:
    log.index._db.create(BEFORE_NUMBERS)
    busy(log)
    with closing(log.new_index()) as index:
        index.follow()
        assert len(index.page(limit=100).matches) == 12
        index.rebuild()
        assert len(index.page(limit=100).matches) == 12
    assert log.index._db.select("SELECT position FROM arbiter_index_position") == [(9999,)]
    assert log.index._db.select("SELECT * FROM arbiter_matches") == []


def test_whoever_changes_the_tables_gives_them_another_number() -> None:
    """Otherwise they are not made where there are those of before."""
    assert sha256("\n".join(TABLES).encode()).hexdigest()[:16] == MADE[FORMAT]


def test_every_table_carries_the_number_and_is_emptied_when_it_is_read_again() -> None:
    made = re.findall(r"CREATE TABLE IF NOT EXISTS (\S+)", "\n".join(TABLES))
    assert made == ["arbiter_index", *FILLED]
    assert all(table.startswith(f"arbiter{FORMAT}_") for table in FILLED)
