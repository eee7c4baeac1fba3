"""The gauges of a process, and the probes of the parts that it needs."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from math import inf, nan

from domain.match.deadlines import SECOND
from service.auth.request_guard import RequestGuard
from service.cluster.clock_agreement import clocks_agree
from service.event_store.integrity.incarnation import history
from service.event_store.properties import BACKED_UP
from service.event_store.store_threads import StoreThreads, in_store_thread
from service.instance import Instance
from service.observability.readiness import WORKING, CheckValue, Probe
from service.read_models.index import FarBehind, Index
from service.server.connections import Connections

Gauges = Mapping[str, Callable[[], float]]
"""Functions that read gauges, by their names in `metrics.GAUGES`. They are called at collection, in
another thread."""

GAUGE_SECONDS = 0.12
"""Maximum seconds for a gauge that is in the store: metrics are needed most when it does not
answer."""

_gauge_threads = StoreThreads("gauges", threads=1)


def traffic(guard: RequestGuard, connections: Connections) -> Gauges:
    """The gauges of requests and connections."""
    return {
        "requests_under_way": lambda: guard.requests,
        "connections": lambda: len(connections.open),
        "turned_away": lambda: guard.turned_away + connections.turned_away,
        "cut_off": lambda: connections.cut_off,
        "bytes_held": lambda: connections.bytes_held,
    }


def gauges(instance: Instance) -> Gauges:
    """The gauges of an instance."""
    values: dict[str, Callable[[], float]] = {
        "commands_waiting": lambda: instance.matches.waiting,
        "matches_in_memory": lambda: len(instance.sessions),
        "deadlines_armed": lambda: len(instance.scheduler),
        "unsigned": _store_gauge(lambda: len(instance.index.unsigned())),
        "unsettled": _store_gauge(lambda: len(instance.index.unsettled())),
        "notice_late_seconds": _store_gauge(
            lambda: instance.webhooks.late(instance.clock.now()) / SECOND
        ),
        "records_closed": lambda: len(instance.closed),
        "unchecked_seconds": _store_gauge(
            lambda: nan if instance.scrub is None else instance.scrub.oldest()
        ),
        "clock_jump_seconds": lambda: abs(instance.clock_watch.jump) / SECOND,
        "away_seconds": lambda: instance.presence.away / SECOND,
        "since_history_went_back_seconds": _store_gauge(lambda: _since_loss(instance)),
        "leader": lambda: instance.leader.leads,
        "store_works": lambda: instance.health.value in WORKING,
    }
    if instance.health.embedded:
        values["since_backup_seconds"] = _store_gauge(lambda: _since_backup(instance))
        values["disk_free_bytes"] = lambda: instance.health.free
        values["mark_unsynced_seconds"] = lambda: instance.store.recorder.mark_unsynced
    if (notifications := instance.notifications) is not None:
        values["redis_up"] = lambda: notifications.alive
    return values


def _store_gauge(read: Callable[[], float]) -> Callable[[], float]:
    """A gauge that is in the store. Raises TimeoutError if it does not answer."""

    def value() -> float:
        reading = _gauge_threads.submit(read)
        try:
            return reading.result(GAUGE_SECONDS)
        finally:
            reading.cancel()

    return value


def _since_loss(instance: Instance) -> float:
    """For how long the history of the store has not gone back, in seconds; NaN if it never has."""
    losses = history(instance.store.keyrings)
    return (instance.clock.now() - losses[-1].at) / SECOND if losses else nan


def _since_backup(instance: Instance) -> float:
    """The age of the last backup, in seconds; infinite before the first."""
    made_at = instance.properties.get(BACKED_UP)
    return inf if made_at is None else (instance.clock.now() - int(made_at)) / SECOND


async def _database(instance: Instance) -> CheckValue:
    """How the store is, as the latest look at it has found. While that is well, whether it answers
    a trivial query now."""
    value = instance.health.value
    if value in WORKING:
        await in_store_thread(instance.store.recorder.max_notification_id)
    return value


async def _log(instance: Instance) -> CheckValue:
    """Whether what is on record reaches lists and deadlines: they follow the log."""
    # Known beforehand, it is not tried: whether it would fail depends on what is in the log.
    if instance.health.fault is not None:
        return "down"
    return await in_store_thread(_followed, instance.index)


def _followed(index: Index) -> CheckValue:
    try:
        index.follow()
    except FarBehind:
        return "degraded"
    index.deadlines(before=0)
    return "up"


async def _scheduler(instance: Instance) -> bool:
    """Whether an instance, here or elsewhere, reports deadlines."""
    return instance.leader.somebody_leads


async def _clock(instance: Instance) -> bool:
    """Whether this machine's clock has not jumped and agrees with the database's; deadlines depend
    on it."""
    if instance.clock_watch.jump:
        return False
    database_ahead = instance.database_ahead
    return database_ahead is None or clocks_agree(await in_store_thread(database_ahead))


async def _redis(instance: Instance) -> bool:
    """Whether the instance receives notifications from others."""
    return instance.is_subscribed


async def _records(instance: Instance) -> CheckValue:
    """Whether no record was found damaged. All others are served."""
    return "degraded" if len(instance.closed) else "up"


Check = Callable[[Instance], Awaitable[bool | CheckValue]]

CHECKS: Mapping[str, Check] = {
    "database": _database,
    "log": _log,
    "scheduler": _scheduler,
    "clock": _clock,
    "redis": _redis,
    "records": _records,
}
"""Every check of an instance, by its name in `/readyz`. A new check is a function above and a line
here; what it may return is said at `CheckValue`."""


def probes(instance: Instance) -> dict[str, Probe]:
    """The probes of the parts that the process needs or uses."""
    return {
        name: partial(check, instance)
        for name, check in CHECKS.items()
        if name != "redis" or instance.notifications is not None
    }
