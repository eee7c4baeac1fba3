"""The rights that the role of an instance needs on what `arbiter migrate` has made, who else may
connect to the database (by PostgreSQL's default everyone who has an account), and whether it is
PostgreSQL where it matters: some engines speak its protocol and grant a lock to everyone, and then
the order of the log is not that of its commits."""

from collections.abc import Mapping
from typing import Any

import psycopg
from eventsourcing.persistence import OperationalError
from psycopg import Connection
from psycopg.rows import tuple_row

from service.event_store.database import Database, UnfitDatabase
from service.event_store.postgres.connections import postgres_address
from service.event_store.recorder import LOG, POSTGRES
from service.observability.store_faults import Fault

_LACKING = """
SELECT quote_ident(current_user), needed, string_agg(named, ', ' ORDER BY named) FROM (
    SELECT 'USAGE ON SCHEMA' AS needed, format('%%I', nspname) AS named
    FROM pg_namespace WHERE nspname = %(schema)s AND NOT has_schema_privilege(oid, 'USAGE')
    UNION ALL
    SELECT string_agg(wanted, ', ' ORDER BY n) || ' ON', format('%%I.%%I', nspname, relname)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace,
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS each (wanted, n)
    WHERE nspname = %(schema)s AND relname ~ %(ours)s
        AND CASE WHEN relkind = 'r' THEN NOT has_table_privilege(pg_class.oid, wanted) END
    GROUP BY nspname, relname
    UNION ALL
    SELECT 'USAGE ON SEQUENCE', format('%%I.%%I', nspname, relname)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = %(schema)s AND relname ~ %(ours)s
        AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(pg_class.oid, 'USAGE') END
    UNION ALL
    SELECT 'EXECUTE ON FUNCTION', format('%%I.%%I', nspname, proname)
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE nspname = %(schema)s AND proname ~ %(ours)s
        AND NOT has_function_privilege(pg_proc.oid, 'EXECUTE')
) AS lacking GROUP BY needed ORDER BY needed
"""

_CONNECTING = (
    "SELECT quote_ident(datname), has_database_privilege('public', datname, 'CONNECT'),"
    " pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()"
)

OURS = "^arbiter[0-9]*_"
"""Matches the names of everything that is made for the service."""


class RightsMissing(UnfitDatabase):
    """The role may not do all that the service does; the message has the grants that it lacks."""

    store_fault: Fault = "read_only"


def require_rights(connection: Connection[Any], schema: str) -> None:
    """Raises RightsMissing with the grants that the role of this session lacks in the schema."""
    cursor = connection.cursor(row_factory=tuple_row)
    lacking = cursor.execute(_LACKING, {"schema": schema, "ours": OURS}).fetchall()
    if lacking:
        grants = (
            f"GRANT {needed} {object_name} TO {role}" for role, needed, object_name in lacking
        )
        raise RightsMissing(f"the role lacks rights: {'; '.join(grants)}")


def check_rights(env: Mapping[str, str]) -> None:
    """The same for the role and the database in these settings. Raises OperationalError, too."""
    address = postgres_address(env)
    try:
        with psycopg.connect(address.connect) as connection:
            require_rights(connection, address.schema)
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error


def close_to_public(database: Database) -> str | None:
    """Takes CONNECT to the database from PUBLIC, if that is ours to take. Returns a sentence for
    the operator; None if PUBLIC has it no more. Blocks."""
    ((name, is_open, is_ours),) = database.select(_CONNECTING)
    revoke = f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC"
    if not is_open:
        return None
    if not is_ours:
        return f"Anybody with an account may connect: let the owner run {revoke}"
    with database.transaction() as cursor:
        cursor.execute(revoke)
    return f"CONNECT is PUBLIC's no more; a role of workers needs GRANT CONNECT ON DATABASE {name}"


_LOCK = "LOCK TABLE {} IN EXCLUSIVE MODE NOWAIT"


def check_locks(env: Mapping[str, str]) -> None:
    """Raises UnfitDatabase if two sessions can lock the log at once, as two that append must not;
    OperationalError if the database does not answer. Blocks."""
    address, table = postgres_address(env), POSTGRES.table(LOG)
    try:
        with (
            psycopg.connect(address.connect) as session_1,
            psycopg.connect(address.connect) as session_2,
        ):
            lock = _LOCK.format(f'"{address.schema}"."{table}"').encode()
            for session in (session_1, session_2):
                session.execute(lock)
    except psycopg.errors.LockNotAvailable:
        return  # Also if an instance is appending at this moment: its lock keeps us out.
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error
    raise UnfitDatabase(
        "two sessions hold one lock of this database: it speaks PostgreSQL's protocol, and readers"
        " would miss events. See /docs/operate#postgresql"
    )
