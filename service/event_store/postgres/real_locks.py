"""Whether the database is PostgreSQL where it matters: some engines speak its protocol and grant a
lock to everyone, and then the order of the log is not that of its commits."""

from collections.abc import Mapping

import psycopg
from eventsourcing.persistence import OperationalError

from service.event_store.database import UnfitDatabase
from service.event_store.postgres.connections import postgres_address
from service.event_store.recorder import LOG, POSTGRES

_LOCK = "LOCK TABLE {} IN EXCLUSIVE MODE NOWAIT"


def check_locks(env: Mapping[str, str]) -> None:
    """Raises UnfitDatabase if two sessions can lock the log at once, as two that append must not;
    OperationalError if the database does not answer. Blocks."""
    address, table = postgres_address(env), POSTGRES.table(LOG)
    try:
        with psycopg.connect(address.connect) as one, psycopg.connect(address.connect) as other:
            lock = _LOCK.format(f'"{address.schema}"."{table}"').encode()
            for session in (one, other):
                session.execute(lock)
    except psycopg.errors.LockNotAvailable:
        return  # Also if an instance is appending at this moment: its lock keeps us out.
    except psycopg.Error as error:
        raise OperationalError(str(error)) from error
    raise UnfitDatabase(
        "two sessions hold one lock of this database: it speaks PostgreSQL's protocol, and readers"
        " would miss events. See /docs/operate#postgresql"
    )
