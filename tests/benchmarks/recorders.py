"""The recorders that are measured: ours, the library's, and the bare drivers, each in every way
that could be fast. All commits are durable, which is asserted."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.persistence import ApplicationRecorder, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder
from eventsourcing.sqlite import SQLiteApplicationRecorder
from msgspec import Struct
from psycopg import Connection, RawCursor
from psycopg.rows import scalar_row

from service.event_store.database import embedded
from service.event_store.recorder import Row
from service.event_store.sqlite import CHECKPOINT_PAGES
from service.event_store.sqlite.lost_commits import mark_end
from service.event_store.store import Store
from tests.support.servers.postgres_server import connect, fresh_database


class Side(Struct, frozen=True):
    """`insert` writes all its arguments to disk in one transaction; `given` prepares them from
    rows. `environment` locates them, so that our store can read them, too."""

    environment: dict[str, str]
    insert: Callable[[Any], object]
    given: Callable[[Sequence[Row]], Any] = list


class Sides(Struct, frozen=True):
    """The recorders measured on a store. `bare` is every way of the driver; `notifying` the same
    when they notify readers, as ours does where there are several instances."""

    store: str
    ours: Side
    library: Side
    bare: dict[str, Side]
    notifying: dict[str, Side]


# SQLite.


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Sides]:
    """Every side on a file of its own."""
    with ExitStack() as stack:

        def bare(name: str, insert: Callable[[sqlite3.Cursor, Sequence[Row]], object]) -> Side:
            return stack.enter_context(_bare_sqlite(_embedded(folder, name), insert))

        ours = stack.enter_context(_ours(_embedded(folder, "ours")))
        library = stack.enter_context(
            _library(_embedded(folder, "library"), "eventsourcing.sqlite")
        )
        ways = {
            "executemany": bare("many", _executemany),
            "rows of one INSERT": bare("one", _one_insert),
        }
        yield Sides("SQLite", ours, library, ways, {})


def _embedded(folder: Path, name: str) -> dict[str, str]:
    return embedded(Path(f"{folder}/{name}.db"))


@contextmanager
def _bare_sqlite(
    env: dict[str, str], insert: Callable[[sqlite3.Cursor, Sequence[Row]], object]
) -> Iterator[Side]:
    _make_tables(env)
    with closing(sqlite3.connect(env["SQLITE_DBNAME"], isolation_level=None)) as connection:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        _assert_synced(cursor)

        def transaction(rows: Sequence[Row]) -> None:
            cursor.execute("BEGIN")
            insert(cursor, rows)
            cursor.execute("COMMIT")

        yield Side(env, transaction)


def _executemany(cursor: sqlite3.Cursor, rows: Sequence[Row]) -> None:
    cursor.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", rows)


def _one_insert(cursor: sqlite3.Cursor, rows: Sequence[Row]) -> None:
    cursor.execute(_questions(len(rows)), tuple(chain.from_iterable(rows)))


@cache
def _questions(rows: int) -> str:
    return f"INSERT INTO stored_events VALUES {','.join(['(?,?,?,?)'] * rows)}"  # noqa: S608


# PostgreSQL.

BareInsert = Callable[[Connection[Any], Sequence[Row]], object]
TABLE = "arbiter_events"
INTO = f"INSERT INTO {TABLE} (originator_id, originator_version, topic, state)"


@contextmanager
def on_postgres() -> Iterator[Sides]:
    """Every side on a database of its own, all on one server."""
    with ExitStack() as stack:

        def database() -> dict[str, str]:
            return stack.enter_context(fresh_database())

        def bare(insert: BareInsert) -> Side:
            return stack.enter_context(_bare_postgres(database(), insert))

        ours = stack.enter_context(_ours(database()))
        library = stack.enter_context(_library(database(), "eventsourcing.postgres"))
        ways = {
            "executemany": _many,
            "rows of one INSERT": _values,
            "arrays in one INSERT": _unnest,
        }
        yield Sides(
            "PostgreSQL",
            ours,
            library,
            {name: bare(way) for name, way in ways.items()},
            {f"{name} and NOTIFY": bare(_notifying(way)) for name, way in ways.items()},
        )


@contextmanager
def _bare_postgres(env: dict[str, str], insert: BareInsert) -> Iterator[Side]:
    """All of a transaction is sent before any answer is waited for."""
    _make_tables(env)
    with connect(env) as connection:
        connection.prepare_threshold = 0
        _assert_committed(connection)

        def transaction(rows: Sequence[Row]) -> None:
            with connection.pipeline(), connection.transaction():
                connection.execute(f"LOCK TABLE {TABLE} IN EXCLUSIVE MODE")
                insert(connection, rows)

        yield Side(env, transaction)


def _many(connection: Connection[Any], rows: Sequence[Row]) -> None:
    connection.cursor().executemany(f"{INTO} VALUES (%s, %s, %s, %b)", rows)


def _values(connection: Connection[Any], rows: Sequence[Row]) -> None:
    RawCursor(connection).execute(_numbers(len(rows)), tuple(chain.from_iterable(rows)))


@cache
def _numbers(rows: int) -> bytes:
    """Numbered parameters: in so long a statement psycopg would search for others each time."""
    marks = (f"(${n + 1}, ${n + 2}, ${n + 3}, ${n + 4})" for n in range(0, 4 * rows, 4))
    return f"{INTO} VALUES {', '.join(marks)}".encode()


def _unnest(connection: Connection[Any], rows: Sequence[Row]) -> None:
    streams, versions, topics, states = zip(*rows, strict=True)
    connection.execute(
        f"{INTO} SELECT * FROM unnest(%s::uuid[], %s::bigint[], %s::text[], %b::bytea[])",  # noqa: S608
        (
            f"{{{','.join(streams)}}}",
            f"{{{','.join(map(str, versions))}}}",
            list(topics),
            list(states),
        ),
    )


def _notifying(insert: BareInsert) -> BareInsert:
    def both(connection: Connection[Any], rows: Sequence[Row]) -> None:
        connection.execute(f"NOTIFY {TABLE}")
        insert(connection, rows)

    return both


# The recorders.


@contextmanager
def _ours(env: dict[str, str]) -> Iterator[Side]:
    with closing(Store(env)) as store:
        _assert_durable(store.recorder)
        if "SQLITE_DBNAME" in env:
            # Where the service starts it begins a mark, which every commit moves.
            mark_end(Path(env["SQLITE_DBNAME"]), store.keyrings)
        yield Side(env, store.recorder.insert_rows)


def _make_tables(env: dict[str, str]) -> None:
    """As our store makes them."""
    Store(env).close()


class _Library(Application[UUID]):
    """Its events are in a table of the same name as ours."""

    name = "arbiter"


@contextmanager
def _library(env: dict[str, str], module: str) -> Iterator[Side]:
    """It takes events of its own kind."""
    with closing(_Library({**env, "PERSISTENCE_MODULE": module})) as library:
        _assert_durable(library.recorder)
        yield Side(env, library.recorder.insert_events, _stored)


def _stored(rows: Sequence[Row]) -> list[StoredEvent]:
    return [StoredEvent(UUID(row[0]), *row[1:]) for row in rows]


def _assert_durable(recorder: ApplicationRecorder) -> None:
    """A commit of this recorder is on disk when it returns."""
    if isinstance(recorder, SQLiteApplicationRecorder):
        with recorder.datastore.transaction(commit=False) as cursor:
            _assert_synced(cursor.sqlite_cursor)
    else:
        assert isinstance(recorder, PostgresApplicationRecorder)
        with recorder.datastore.get_connection() as connection:
            _assert_committed(connection)


def _assert_synced(cursor: sqlite3.Cursor) -> None:
    (mode,) = cursor.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = cursor.execute("PRAGMA synchronous").fetchone()
    assert (mode, synchronous) == ("wal", 2)


def _assert_committed(connection: Connection[Any]) -> None:
    for name in ("fsync", "synchronous_commit", "full_page_writes"):
        cursor = connection.cursor(row_factory=scalar_row)
        assert cursor.execute("SELECT current_setting(%s)", (name,)).fetchone() == "on", name
