"""Time: whether the clock is right, and how long nobody could reach the service."""

import asyncio
from collections.abc import Callable
from functools import partial

from domain.deadlines import SECOND
from service.application.clock_watch import ClockWatch
from service.application.heartbeat import Presence
from service.clock import SteadyClock, SystemClock
from service.cluster.clock_agreement import clocks_agree, database_ahead, without_jump
from service.composition.feature import Feature
from service.composition.storage import Storage
from service.event_store.clock_log import ClockLog
from service.event_store.database import POSTGRES
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
        # By the instance's clock, which may follow a jump of its machine.
        measured = partial(database_ahead, storage.store.open_database(), clock.now)
        ahead = partial(_without_jump, measured, clock)
    presence = Presence(
        storage.properties, clock, settings.limits.grace * SECOND, ahead, SteadyClock().now
    )
    folder = settings.folder if settings.embedded else None
    log = ClockLog(storage.store.keyrings)
    watch = ClockWatch(clock, log, presence, measured, folder)
    return Time(database_ahead=ahead, presence=presence, clock_watch=watch)


def _without_jump(measured: DatabaseAhead, clock: SystemClock) -> int:
    return without_jump(measured(), clock.jump)


async def clock_is_right(ahead: DatabaseAhead) -> bool:
    """Whether the clock agrees with the database's. If the database does not answer, the clock
    counts as right."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return clocks_agree(await in_store_thread(ahead))
    except Exception:  # noqa: BLE001  the error is logged where the database is needed
        return True
