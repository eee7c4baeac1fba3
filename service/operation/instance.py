"""What can be looked up of an instance: its gauges, and whether the parts are up that it needs."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from eventsourcing.postgres import PostgresApplicationRecorder

from service.arbiter import Arbiter
from service.operation.connections import Connections
from service.operation.database_clock import database_ahead
from service.operation.readiness import Probe, clocks_agree
from service.place import Place
from service.storage.reading import from_store
from service.stores import Stores


def gauges(stores: Stores, connections: Connections) -> Mapping[str, Callable[[], float]]:
    """The figures of a process that are looked up when they are collected, by their names in
    `metrics.GAUGES`: those of its instances together. They are called from another thread, and may
    ask the databases."""

    def total(figure: Callable[[Arbiter], float]) -> Callable[[], float]:
        return lambda: sum(figure(arbiter) for arbiter in stores.arbiters)

    found = {
        "commands_waiting": total(lambda arbiter: arbiter.matches.waiting),
        "matches_in_memory": total(lambda arbiter: len(arbiter.open_matches)),
        "deadlines_armed": total(lambda arbiter: len(arbiter.scheduler)),
        "unsigned": total(lambda arbiter: len(arbiter.index.unsigned())),
        "unsettled": total(lambda arbiter: len(arbiter.index.unsettled())),
        "leader": total(lambda arbiter: arbiter.leader.leads),
        "requests_under_way": lambda: connections.requests,
        "connections": lambda: len(connections.connections),
        "turned_away": lambda: connections.turned_away,
        "cut_off": lambda: connections.cut_off,
        "bytes_unread": lambda: connections.bytes_unread,
    }
    if stores.tells:
        found["redis_up"] = lambda: all(_hears(arbiter) for arbiter in stores.arbiters)
    return found


def probes(stores: Stores) -> dict[str, Probe]:
    """Whether the parts are up that the process needs or uses. With several stores it goes on as
    long as one of them is up: the parts of each are named with it."""
    if len(stores.places) == 1:
        (place,) = stores.places
        return _probes(place, stores)

    async def any_store() -> bool:
        """The first that answers is enough: one that is away would be waited for."""
        asked = [_probes(place, stores)["database"]() for place in stores.places]
        for answer in asyncio.as_completed(asked):
            with suppress(Exception):
                if await answer:
                    return True
        return False

    asked: dict[str, Probe] = {"stores": any_store}
    for place in stores.places:
        for name, probe in _probes(place, stores).items():
            asked[f"{name} {place.name}"] = probe
    return asked


def _probes(place: Place, stores: Stores) -> dict[str, Probe]:
    async def database() -> bool:
        """It answers a question that takes it no time."""
        await from_store(place.arbiter.store.recorder.max_notification_id)
        return True

    async def scheduler() -> bool:
        """Somebody reports deadlines, here or elsewhere."""
        return place.arbiter.leader.somebody_leads

    async def redis() -> bool:
        return _hears(place.arbiter)

    async def clock() -> bool:
        """The machine of the database says what this one does: deadlines hang on it."""
        recorder = place.arbiter.store.recorder
        if not isinstance(recorder, PostgresApplicationRecorder):
            return True
        return clocks_agree(await from_store(database_ahead, recorder, place.arbiter.clock.now))

    asked: dict[str, Probe] = {"database": database, "scheduler": scheduler, "clock": clock}
    if stores.tells:
        asked["redis"] = redis
    return asked


def _hears(arbiter: Arbiter) -> bool:
    """Whether the instance hears what others tell."""
    return arbiter.news is not None and arbiter.news.alive
