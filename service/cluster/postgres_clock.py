"""The offset between PostgreSQL's clock and ours."""

from collections.abc import Callable

from eventsourcing.postgres import PostgresApplicationRecorder
from psycopg.rows import tuple_row

from service.cluster.clock_agreement import clock_offset


def database_ahead(recorder: PostgresApplicationRecorder, now: Callable[[], int]) -> int:
    """By how many microseconds the database's clock is ahead of this instance's. Blocks."""
    with recorder.datastore.get_connection() as connection:
        cursor = connection.cursor(row_factory=tuple_row)
        before = now()
        ((database_time,),) = cursor.execute(
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        ).fetchall()
        after = now()
    return clock_offset(before, database_time, after)
