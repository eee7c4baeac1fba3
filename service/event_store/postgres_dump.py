"""The rows of a store in PostgreSQL, in one transaction that locks out other writers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from eventsourcing.persistence import OperationalError
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Identifier

from service.event_store import leader_row, reads
from service.event_store.database import NotMigrated
from service.event_store.dump import (
    LOG,
    PAGE,
    READS,
    TABLES,
    DumpedRow,
    StoreDump,
    StoreInUse,
)
from service.event_store.postgres_address import postgres_address
from service.event_store.postgres_connections import Limits, configure
from service.event_store.store import Store

DUMP_LIMITS = Limits(lock=5, statement=0, idle_in_transaction=0)
"""A copy has no time limit; waiting for the locks of another writer has."""

COLUMN_TYPES = ("uuid", "int8", "text", "bytea")

_COLUMNS = SQL("originator_id, originator_version, topic, state")
_READ = SQL("SELECT uuid_send(originator_id), originator_version, topic, state FROM {} ORDER BY {}")

_TAKE_LEAD = f"UPDATE {leader_row.TABLE} SET shown = 0 WHERE {leader_row.LAPSED}"  # noqa: S608

Connection = psycopg.Connection[tuple[Any, ...]]


class PostgresDump:
    """The rows of the schema in the connection's search path."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def count(self, table: str) -> int:
        cursor = self._db.execute(SQL("SELECT count(*) FROM {}").format(_named(table)))
        ((count,),) = cursor.fetchall()
        return int(count)

    def pages(self, table: str) -> Iterator[Sequence[DumpedRow]]:
        if table == READS:
            yield from self._reads()
            return
        order = SQL("notification_id" if table == LOG else "originator_id, originator_version")
        with self._db.cursor(name="facts") as cursor:
            cursor.execute(_READ.format(_named(table), order), binary=True)
            while page := cursor.fetchmany(PAGE):
                yield [(i, version, topic, state) for i, version, topic, state in page]

    def insert(self, table: str, pages: Iterable[Sequence[DumpedRow]]) -> None:
        if table == READS:
            self._insert_reads(pages)
            return
        statement = SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(_named(table), _COLUMNS)
        with self._db.cursor() as cursor, cursor.copy(statement) as copy_in:
            copy_in.set_types(COLUMN_TYPES)
            for page in pages:
                for stream, version, topic, state in page:
                    copy_in.write_row((UUID(bytes=stream), version, topic, state))

    def _reads(self) -> Iterator[Sequence[DumpedRow]]:
        with self._db.cursor(name="reads") as cursor:
            cursor.execute(reads.SELECT_ALL.encode())
            while page := cursor.fetchmany(PAGE):
                yield list(map(reads.dumped, page))

    def _insert_reads(self, pages: Iterable[Sequence[DumpedRow]]) -> None:
        statement = reads.INSERT.replace("?", "%s").encode()
        with self._db.cursor() as cursor:
            for page in pages:
                cursor.executemany(statement, [reads.undumped(*row) for row in page])


def _named(table: str) -> Identifier:
    return Identifier(f"{Store.name}_{table}")


@contextmanager
def postgres_dump(env: Mapping[str, str]) -> Iterator[StoreDump]:
    """The rows of a schema that has its tables, locked against other writers.

    Inserted rows are on disk when the block ends; an exception rolls them back. Raises StoreInUse,
    NotMigrated, and other PersistenceErrors.
    """
    location = postgres_address(env)
    shown_name = f"PostgreSQL {env['POSTGRES_DBNAME']} at {env['POSTGRES_HOST']}"
    try:
        with psycopg.connect(
            location.connect, row_factory=tuple_row, application_name="arbiter copy"
        ) as connection:
            configure(connection, location.schema, DUMP_LIMITS)
            with connection.transaction():
                if not _lock_out_writers(connection):
                    raise StoreInUse(f"an instance serves {shown_name}: stop it first")
                yield PostgresDump(connection)
    except psycopg.errors.UndefinedTable:
        raise NotMigrated(f"tables of a store in schema {location.schema}") from None
    except psycopg.errors.LockNotAvailable:
        raise StoreInUse(f"another process uses the tables of {shown_name}") from None
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error


def _lock_out_writers(connection: Connection) -> bool:
    """Locks the tables and the leader's row until the transaction ends. False if an instance
    leads.

    The transaction's snapshot is fixed by its first query, when it already has the tables locked.
    """
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    tables = SQL(", ").join(_named(table) for table in TABLES)
    connection.execute(SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(tables))
    try:
        taken = connection.execute(_TAKE_LEAD)
    except psycopg.errors.SerializationFailure:
        return False
    return taken.rowcount == 1
