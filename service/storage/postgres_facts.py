"""The facts of a store in PostgreSQL, in one transaction that keeps everybody else from writing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from eventsourcing.persistence import OperationalError
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Identifier

from service.storage.connections import Limits, configure
from service.storage.database import NotMigrated
from service.storage.facts import LOG, PAGE, TABLES, BeingServed, Facts, Row
from service.storage.lead import address, lock_of
from service.storage.store import Store

PATIENT = Limits(lock=5, statement=0, idle_in_transaction=0)
"""A copy takes as long as it takes; that somebody writes is found out soon."""

TYPES = ("uuid", "int8", "text", "bytea")

_COLUMNS = SQL("originator_id, originator_version, topic, state")
_READ = SQL("SELECT uuid_send(originator_id), originator_version, topic, state FROM {} ORDER BY {}")

Connection = psycopg.Connection[tuple[Any, ...]]


class PostgresFacts:
    """The facts in the schema that the connection looks in."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def count(self, table: str) -> int:
        counted = self._db.execute(SQL("SELECT count(*) FROM {}").format(_named(table)))
        row = counted.fetchone()
        assert row is not None
        return int(row[0])

    def pages(self, table: str) -> Iterator[Sequence[Row]]:
        order = SQL("notification_id" if table == LOG else "originator_id, originator_version")
        with self._db.cursor(name="facts") as cursor:
            cursor.execute(_READ.format(_named(table), order), binary=True)
            while page := cursor.fetchmany(PAGE):
                yield [(i, version, topic, state) for i, version, topic, state in page]

    def insert(self, table: str, pages: Iterable[Sequence[Row]]) -> None:
        statement = SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(_named(table), _COLUMNS)
        with self._db.cursor() as cursor, cursor.copy(statement) as copying:
            copying.set_types(TYPES)
            for page in pages:
                for stream, version, topic, state in page:
                    copying.write_row((UUID(bytes=stream), version, topic, state))


def _named(table: str) -> Identifier:
    return Identifier(f"{Store.name}_{table}")


@contextmanager
def postgres_facts(env: Mapping[str, str]) -> Iterator[Facts]:
    """The facts in a schema that has its tables, which nobody else may change meanwhile. What is
    inserted is on disk in the end; after an exception nothing of it is there.

    Raises BeingServed, NotMigrated, and other PersistenceErrors.
    """
    where = address(env)
    named = f"PostgreSQL {env['POSTGRES_DBNAME']} at {env['POSTGRES_HOST']}"
    try:
        with psycopg.connect(where.connect, row_factory=tuple_row) as connection:
            configure(connection, where.schema, PATIENT)
            with connection.transaction():
                if not _others_kept_out(connection, where.schema):
                    raise BeingServed(f"an instance serves {named}: stop it first")
                yield PostgresFacts(connection)
    except psycopg.errors.UndefinedTable:
        raise NotMigrated(f"tables of a store in schema {where.schema}") from None
    except psycopg.errors.LockNotAvailable:
        raise BeingServed(f"somebody else works with the tables of {named}") from None
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error


def _others_kept_out(connection: Connection, schema: str) -> bool:
    """Lets nobody write before the transaction ends, nor lead instances that would want to. Whether
    nobody leads any yet.

    What the transaction sees is fixed by its first question, when the tables are its own already.
    """
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    tables = SQL(", ").join(map(_named, TABLES))
    connection.execute(SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(tables))
    led = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (lock_of(schema),))
    return led.fetchone() == (True,)
