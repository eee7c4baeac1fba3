"""What can be looked up of an instance: its gauges, and whether the parts are up that it needs."""

from collections.abc import Callable, Mapping

from eventsourcing.postgres import PostgresApplicationRecorder
from psycopg.rows import tuple_row

from service.arbiter import Arbiter
from service.open_matches import from_store
from service.operation.connections import Connections
from service.operation.readiness import Probe, clock_offset, clocks_agree


def gauges(arbiter: Arbiter, connections: Connections) -> Mapping[str, Callable[[], float]]:
    """The figures of an instance that are looked up when they are collected, by their names in
    `metrics.GAUGES`. They are called from another thread, and may ask the database."""
    found: dict[str, Callable[[], float]] = {
        "commands_waiting": lambda: arbiter.matches.waiting,
        "matches_in_memory": lambda: len(arbiter.open_matches),
        "deadlines_armed": lambda: len(arbiter.scheduler),
        "unsigned": lambda: len(arbiter.index.unsigned()),
        "unsettled": lambda: len(arbiter.index.unsettled()),
        "leader": lambda: arbiter.leader.leads,
        "requests_under_way": lambda: connections.requests,
        "connections": lambda: len(connections.connections),
        "turned_away": lambda: connections.turned_away,
        "cut_off": lambda: connections.cut_off,
        "bytes_unread": lambda: connections.bytes_unread,
    }
    news = arbiter.news
    if news is not None:
        found["redis_up"] = lambda: news.alive
    return found


def probes(arbiter: Arbiter) -> dict[str, Probe]:
    """Whether the parts are up that the instance needs or uses."""

    async def database() -> bool:
        """It answers a question that takes it no time."""
        await from_store(arbiter.store.recorder.max_notification_id)
        return True

    async def scheduler() -> bool:
        """Somebody reports deadlines, here or elsewhere."""
        return arbiter.leader.somebody_leads

    asked: dict[str, Probe] = {"database": database, "scheduler": scheduler}
    news = arbiter.news
    if news is not None:

        async def redis() -> bool:
            return news.alive

        asked["redis"] = redis
    recorder = arbiter.store.recorder
    if isinstance(recorder, PostgresApplicationRecorder):

        async def clock() -> bool:
            """The machine of the database says what this one does: deadlines hang on it."""
            return clocks_agree(await from_store(_offset, recorder, arbiter.clock.now))

        asked["clock"] = clock
    return asked


def _offset(recorder: PostgresApplicationRecorder, now: Callable[[], int]) -> int:
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
