"""Time: whether the clock is right, and how long no one could reach the service."""

import asyncio
from collections.abc import Callable
from functools import partial

from domain.match.deadlines import SECOND
from service.application.scheduling.clock_watch import ClockWatch
from service.application.scheduling.heartbeat import Presence
from service.clock import SteadyClock, SystemClock
from service.cluster.clock_agreement import clocks_agree, database_ahead, without_jump
from service.composition.storage import Storage
from service.event_store.database import POSTGRES
from service.event_store.store_threads import in_store_thread
from service.observability.readiness import PROBE_SECONDS

DatabaseAhead = Callable[[], int]
"""Measures by how many microseconds the database's clock is ahead of the instance's."""


class Time(Storage):
    """The parts of an instance that watch time. `database_ahead` is None for a store without a
    clock, and for a clock that tests move."""

    database_ahead: DatabaseAhead | None = None

    def make_time(self) -> None:
        """Makes what watches time."""
        settings, clock = self.settings, self.clock
        if settings.store["PERSISTENCE_MODULE"] == POSTGRES and isinstance(clock, SystemClock):
            measured = partial(database_ahead, self.store.open_database(), clock.now)
            self.database_ahead = lambda: without_jump(measured(), clock.jump)
        self.presence = Presence(
            self.properties,
            clock,
            settings.limits.grace * SECOND,
            self.database_ahead,
            SteadyClock().now,
        )
        self.clock_watch = ClockWatch(clock)


async def clock_is_right(ahead: DatabaseAhead) -> bool:
    """Whether the clock agrees with the database's. If the database does not answer, the clock
    counts as right."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return clocks_agree(await in_store_thread(ahead))
    except Exception:  # noqa: BLE001  the error is logged where the database is needed
        return True
