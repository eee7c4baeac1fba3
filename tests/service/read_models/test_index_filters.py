"""The cost of a page depends on its rows only, whatever the filters, also if nothing is found."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from service.event_store.database import embedded, write_rows
from service.event_store.store import Store
from service.event_store.stream_ids import time_ordered
from service.read_models.index import Index, MatchFilters, open_index
from tests.support.instants import NOON
from tests.support.servers.postgres_server import connect, fresh_database

MATCHES = 20_000
STEPS, PAGES = 1_500, 30
"""Maximum instructions of SQLite's machine, and pages of PostgreSQL, for one page of the list. A
scan of all matches of one game or in one status needs a hundred times as many."""

FILTERS: list[dict[str, Any]] = [
    {},
    {"game": "dollar-prize"},
    {"status": "running"},
    {"game": "dollar-prize", "status": "running"},
    {"game": "dollar-prize", "status": "paused"},
    {"game": "twelve-chips", "status": "ended"},
    {"game": "twelve-chips", "status": "running"},
    {"tournament": "none"},
    {"player": "nobody"},
    {"moderator": "nobody"},
    {"player": "nobody", "moderator": "nobody"},
    {"since": NOON, "until": NOON + 10_000},
    {"game": "dollar-prize", "since": NOON + 9_000_000, "until": NOON + 9_010_000},
]

Query = tuple[str, Sequence[Any]]


def fill(index: Index) -> None:
    """Adds matches: most are over, as in every old store; those that run are of one game."""
    kinds = [("dollar-prize", "ended"), ("twelve-chips", "ended")] * 49
    kinds += [("dollar-prize", "ended"), ("twelve-chips", "running")]
    with index._db.transaction() as cursor:
        write_rows(
            cursor,
            "INSERT INTO arbiter1_matches VALUES (?, ?, ?, NULL, ?, NULL, NULL, 0, 0, ?)",
            [
                (
                    str(time_ordered(NOON // 1000 + n)),
                    *kinds[n % len(kinds)],
                    NOON + 1000 * n,
                    b"{}",
                )
                for n in range(MATCHES)
            ],
        )


@contextmanager
def filled(env: dict[str, str]) -> Iterator[Index]:
    with closing(Store(env)) as store, closing(open_index(store)) as index:
        fill(index)
        yield index


def page_query(index: Index, filters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Query:
    """The statement that selects the page."""
    queries: list[Query] = []

    def select(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        queries.append((sql, parameters))
        return []

    with monkeypatch.context() as patch:
        patch.setattr(index._db, "select", select)
        index.page(MatchFilters(**filters), limit=1)
    return queries[0]


def steps(index: Index) -> Callable[[Query], int]:
    database = index._db._db  # type: ignore[attr-defined]

    def of(one: Query) -> int:
        count = 0

        def step() -> None:
            nonlocal count
            count += 1

        database.set_progress_handler(step, 1)
        database.execute(*one).fetchall()
        database.set_progress_handler(None, 1)
        return count

    return of


def test_sqlite_reads_no_more_than_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = embedded(Path(f"{tmp_path}/a.db"))
    with filled(env) as index:
        of = steps(index)
        for filters in FILTERS:
            assert of(page_query(index, filters, monkeypatch)) < STEPS, filters
        assert of(("SELECT count(*) FROM arbiter1_matches WHERE listed = x'00'", ())) > 20 * STEPS


def test_postgresql_reads_no_more_than_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    with fresh_database() as env, filled(env) as index, connect(env) as connection:
        connection.execute("VACUUM ANALYZE arbiter1_matches")

        def pages(one: Query) -> int:
            sql, parameters = one
            explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.replace("?", "%s")
            found = connection.execute(explain, parameters).fetchone()
            assert found is not None
            plan = found[0][0]["Plan"]
            return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])

        for filters in FILTERS:
            assert pages(page_query(index, filters, monkeypatch)) < PAGES, filters
        assert (
            pages(("SELECT count(*) FROM arbiter1_matches WHERE listed = '\\x00'", ())) > 5 * PAGES
        )
