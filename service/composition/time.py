"""Time: whether the clock is right, and how long nobody could reach the service."""

import asyncio
from collections.abc import Callable
from functools import partial

from domain.deadlines import SECOND
from service.application.clock_watch import ClockWatch
from service.application.heartbeat import Presence
from service.clock import SteadyClock, SystemClock
from service.cluster.clock_agreement import clocks_agree, without_jump
from service.composition.feature import Feature
from service.composition.storage import Storage
from service.event_store.clock_log import ClockLog
from service.event_store.database import POSTGRES
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.readiness import PROBE_SECONDS

DatabaseAhead = Callable[[], int]
"""Measures by how many microseconds the database's clock is ahead of the instance's."""


class Time(Feature):
    """The parts of an instance that watch time. `database_ahead` is None for a store without a
    clock, and for a clock that tests move."""

    database_ahead: DatabaseAhead | None
    presence: Presence
    clock_watch: ClockWatch


def time(storage: Storage) -> Time:
    """Makes what watches time."""
    settings, clock = storage.settings, storage.clock
    measured = ahead = None
    if settings.store["PERSISTENCE_MODULE"] == POSTGRES and isinstance(clock, SystemClock):
        measured = _database_clock(storage.store, clock)
        ahead = partial(_without_jump, measured, clock)
    presence = Presence(
        storage.properties, clock, settings.limits.grace * SECOND, ahead, SteadyClock().now
    )
    folder = settings.folder if settings.embedded else None
    log = ClockLog(storage.store.keyrings)
    watch = ClockWatch(clock, log, presence, measured, folder)
    return Time(database_ahead=ahead, presence=presence, clock_watch=watch)


def _database_clock(store: Store, clock: SystemClock) -> DatabaseAhead:
    """Measures by the instance's clock, which may follow a jump of its machine."""
    # Imported here, so that an instance without PostgreSQL starts faster.
    from eventsourcing.postgres import PostgresApplicationRecorder

    from service.cluster.postgres_clock import database_ahead

    recorder = store.recorder
    assert isinstance(recorder, PostgresApplicationRecorder), "the store is PostgreSQL"
    return partial(database_ahead, recorder, clock.now)


def _without_jump(measured: DatabaseAhead, clock: SystemClock) -> int:
    return without_jump(measured(), clock.jump)


async def clock_is_right(database_ahead: DatabaseAhead) -> bool:
    """Whether the clock agrees with the database's. If the database does not answer, the clock
    counts as right."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return clocks_agree(await in_store_thread(database_ahead))
    except Exception:  # noqa: BLE001  the error is logged where the database is needed
        return True
