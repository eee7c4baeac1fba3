"""What PostgreSQL's own clock says beside ours."""

from collections.abc import Callable

from eventsourcing.postgres import PostgresApplicationRecorder
from psycopg.rows import tuple_row

from service.operation.readiness import clock_offset


def database_ahead(recorder: PostgresApplicationRecorder, now: Callable[[], int]) -> int:
    """By how many microseconds the database's clock is ahead of this instance's. Blocks."""
    with recorder.datastore.get_connection() as connection:
        cursor = connection.cursor(row_factory=tuple_row)
        before = now()
        row = cursor.execute(
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        ).fetchone()
        after = now()
    assert row is not None
    return clock_offset(before, row[0], after)
