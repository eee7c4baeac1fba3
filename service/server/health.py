"""The gauges of a process, and the probes of the parts that it needs."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from domain.deadlines import SECOND
from service.cluster.clock_agreement import clocks_agree
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from service.observability.readiness import WORKING, CheckValue, Finding, Probe
from service.server.connections import Connections
from service.shard_router import ShardRouter
from service.store_connection import StoreConnection


def gauges(router: ShardRouter, connections: Connections) -> Mapping[str, Callable[[], float]]:
    """The gauges of a process, by their names in `metrics.GAUGES`; counts of instances are summed,
    of lengths of time the longest counts. They are read at collection, in another thread, and may
    query the databases."""

    def total(figure: Callable[[Instance], float]) -> Callable[[], float]:
        return lambda: sum(figure(instance) for instance in router.instances)

    def most(figure: Callable[[Instance], float]) -> Callable[[], float]:
        return lambda: max(figure(instance) for instance in router.instances)

    values = {
        "commands_waiting": total(lambda instance: instance.matches.waiting),
        "matches_in_memory": total(lambda instance: len(instance.sessions)),
        "deadlines_armed": total(lambda instance: len(instance.scheduler)),
        "unsigned": total(lambda instance: len(instance.index.unsigned())),
        "unsettled": total(lambda instance: len(instance.index.unsettled())),
        "records_closed": total(lambda instance: len(instance.closed)),
        "unchecked_in_play_seconds": lambda: max(one[0] for one in _unchecked(router)),
        "unchecked_seconds": lambda: max(one[1] for one in _unchecked(router)),
        "clock_jump_seconds": most(lambda instance: abs(instance.clock_watch.jump) / SECOND),
        "away_seconds": most(lambda instance: instance.presence.away / SECOND),
        "leader": total(lambda instance: instance.leader.leads),
        "store_works": lambda: all(_store_works(connection) for connection in router.connections),
        "requests_under_way": lambda: connections.requests,
        "connections": lambda: len(connections.connections),
        "turned_away": lambda: connections.turned_away,
        "cut_off": lambda: connections.cut_off,
        "bytes_unread": lambda: connections.bytes_unread,
    }
    if any(instance.health.embedded for instance in router.instances):
        values["disk_free_bytes"] = total(lambda instance: instance.health.free)
        values["mark_unsynced_seconds"] = most(lambda instance: instance.store.mark_unsynced)
    if router.has_notifications:
        values["redis_up"] = lambda: all(_is_subscribed(instance) for instance in router.instances)
    return values


def _store_works(connection: StoreConnection) -> bool:
    return connection.up and connection.instance.health.value in WORKING


def _unchecked(router: ShardRouter) -> list[tuple[float, float]]:
    """For how long at most the stores have not been judged, in seconds: matches in play, and all.
    None of those in which nothing is judged."""
    return [
        instance.scrub.oldest()
        for instance in router.instances
        if instance.scrub is not None and instance.settings.scrub_share
    ]


def probes(router: ShardRouter) -> dict[str, Probe]:
    """The probes of the parts that the process needs or uses. With several stores it works as long
    as one of them is up; then the name of each part ends with its store's name."""
    if len(router.connections) == 1:
        (connection,) = router.connections
        return _probes(connection, router)

    async def any_store() -> bool:
        """Whether any store is up; it does not wait for stores that do not answer."""
        checks = [_probes(connection, router)["database"]() for connection in router.connections]
        for result in asyncio.as_completed(checks):
            with suppress(Exception):
                found = await result
                if found is True or found in WORKING:
                    return True
        return False

    checks: dict[str, Probe] = {"stores": any_store}
    for connection in router.connections:
        for name, probe in _probes(connection, router).items():
            checks[f"{name} {connection.name}"] = probe
    return checks


async def _database(instance: Instance) -> CheckValue:
    """How the store is, as the latest look at it has found. While that is well, whether it answers
    a trivial query now."""
    value = instance.health.value
    if value in WORKING:
        await in_store_thread(instance.store.recorder.max_notification_id)
    return value


async def _scheduler(instance: Instance) -> bool:
    """Whether an instance, here or elsewhere, reports deadlines."""
    return instance.leader.somebody_leads


async def _clock(instance: Instance) -> bool | Finding:
    """Whether this machine's clock has not jumped and agrees with the database's; deadlines depend
    on it."""
    if instance.clock_watch.jump:
        return Finding("down", instance.clock_watch.remedy)
    database_ahead = instance.database_ahead
    return database_ahead is None or clocks_agree(await in_store_thread(database_ahead))


async def _redis(instance: Instance) -> bool:
    return _is_subscribed(instance)


async def _records(instance: Instance) -> CheckValue:
    """Whether no record was found damaged. All others are served."""
    return "degraded" if len(instance.closed) else "up"


Check = Callable[[Instance], Awaitable[bool | CheckValue | Finding]]

CHECKS: Mapping[str, Check] = {
    "database": _database,
    "scheduler": _scheduler,
    "clock": _clock,
    "redis": _redis,
    "records": _records,
}
"""Every check of an instance, by its name in `/readyz`. A new check is a function above and a line
here; what it may return is said at `CheckValue`."""


def _probes(connection: StoreConnection, router: ShardRouter) -> dict[str, Probe]:
    def probe(check: Check) -> Probe:
        async def checked() -> bool | CheckValue | Finding:
            return await check(connection.instance)

        return checked

    return {
        name: probe(check)
        for name, check in CHECKS.items()
        if name != "redis" or router.has_notifications
    }


def _is_subscribed(instance: Instance) -> bool:
    """Whether the instance receives notifications from others."""
    return instance.notifications is not None and instance.notifications.alive
