"""The parts of an instance that depend on its store or a Redis: its health, lock, clock, scrub and
notifications; and how it repeats its work."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from service.checking.scrub import Scrub
from service.clock import Clock, SystemClock
from service.cluster.clock_agreement import clocks_agree
from service.cluster.leader import LeaderLock, SoleInstance
from service.cluster.news import News
from service.event_store.closed_records import ClosedRecords
from service.event_store.database import POSTGRES
from service.event_store.leader_row import make_leader_row
from service.event_store.properties import Properties
from service.event_store.store import Store
from service.event_store.store_health import EmbeddedFile, StoreHealth
from service.event_store.store_probe import open_probe
from service.event_store.store_threads import in_store_thread
from service.observability import logs
from service.observability.outages import current_outages
from service.observability.readiness import PROBE_SECONDS
from service.settings import Settings

if TYPE_CHECKING:
    from service.cluster.redis_notifications import RedisNotifications


def health_of(store: Store, settings: Settings) -> StoreHealth:
    """The health of a store."""
    file = None
    if settings.embedded:
        file = EmbeddedFile(settings.store["SQLITE_DBNAME"], settings.disk)
    return StoreHealth(open_probe(store), current_outages.get(), file)


def database_clock(settings: Settings, store: Store, clock: Clock) -> Callable[[], int] | None:
    """A function that measures how many microseconds the database's clock is ahead of the
    instance's. None for a store without a clock, and for a clock that tests move."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES or not isinstance(clock, SystemClock):
        return None
    # Imported here for the same reason as the leader lock.
    from eventsourcing.postgres import PostgresApplicationRecorder

    from service.cluster.postgres_clock import database_ahead

    assert isinstance(store.recorder, PostgresApplicationRecorder), "the store is PostgreSQL"
    return partial(database_ahead, store.recorder, clock.now)


async def clock_is_right(database_ahead: Callable[[], int]) -> bool:
    """Whether the clock agrees with the database's. If the database does not answer, the clock
    counts as right."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return clocks_agree(await in_store_thread(database_ahead))
    except Exception:  # noqa: BLE001  the error is logged where the database is needed
        return True


def leader_lock_of(settings: Settings, store: Store) -> LeaderLock:
    """The leader lock of a store."""
    if settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return SoleInstance()
    # Imported here, so that an instance without PostgreSQL starts faster.
    from service.cluster.postgres_leader_lock import PostgresLeaderLock
    from service.event_store.postgres_address import postgres_address

    make_leader_row(store)
    return PostgresLeaderLock(postgres_address(settings.store))


def notifications_of(settings: Settings, news: News) -> "RedisNotifications | None":
    """What notifies other instances, if there is a Redis."""
    if settings.redis is None:
        return None
    # Imported here, so that an instance without Redis starts faster.
    from service.cluster.redis_notifications import RedisNotifications

    return RedisNotifications(settings.redis, news)


def scrub_of(
    settings: Settings,
    properties: Properties,
    closed: ClosedRecords,
    clock: Clock,
) -> Scrub | None:
    """The scrub of a store; None for one in memory."""
    if not settings.embedded and settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return None
    return Scrub(
        settings.store,
        properties,
        closed,
        clock,
        share=settings.scrub_share / 100,
        days=settings.scrub_days,
    )


async def repeat(seconds: float, do: Callable[[], None]) -> None:
    """Calls a blocking function at intervals for ever. Errors are logged."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await asyncio.to_thread(do)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("not_done", error, what=do.__qualname__)
