"""Whether this machine's clock and the database's agree: deadlines depend on it."""

from collections.abc import Callable

from service.event_store.database import Database
from service.event_store.postgres.leader_row import NOW

CLOCKS_APART = 1_000_000
"""Maximum difference, in microseconds, between the application's clock and the database's."""


def database_ahead(database: Database, now: Callable[[], int]) -> int:
    """By how many microseconds PostgreSQL's clock is ahead of this instance's. Blocks."""
    with database.transaction() as cursor:
        before = now()
        cursor.execute(f"SELECT {NOW}")
        return clock_offset(before, cursor.fetchone()[0], now())


def clock_offset(before: int, database_time: int, after: int) -> int:
    """How many microseconds the database's clock is ahead of ours, at least (negative: behind).

    `before` and `after` are our clock's times around the query. The offset is 0 if `database_time`
    is between them: a slow answer is not a wrong clock.
    """
    if database_time > after:
        return database_time - after
    return min(0, database_time - before)


def without_jump(offset: int, jump: int) -> int:
    """The offset of the database's clock, measured from ours, which does not follow a `jump` of its
    machine. On the same machine the database's clock has made the same jump."""
    return offset - jump if clocks_agree(offset - jump) else offset


def clocks_agree(offset: int) -> bool:
    """Whether the application and the database judge deadlines alike."""
    return abs(offset) < CLOCKS_APART
