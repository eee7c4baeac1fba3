"""A connection to a store that may be out of reach, with its instance while it is reachable."""

import asyncio
from collections.abc import Callable

from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import StoreThreads, current_threads
from service.instance import Instance
from service.observability import logs
from service.observability.outages import Outages, current_outages

RETRY_SECONDS = 2.0
"""Pause before another attempt to open a store that could not be reached."""


class StoreConnection:
    """One store, and its instance while the store can be reached. `attempted` is set after the
    first attempt to open it."""

    def __init__(self, name: str, open_instance: Callable[[], Instance]) -> None:
        self.name = name
        self._open_instance = open_instance
        self._instance: Instance | None = None
        self._threads = StoreThreads(f"store {name}")
        self._outages = Outages()
        self.attempted = asyncio.Event()

    @property
    def up(self) -> bool:
        """Whether the store is open and has an instance."""
        return self._instance is not None

    @property
    def instance(self) -> Instance:
        """The store's instance. Raises StoreUnavailable while there is none."""
        if self._instance is None:
            raise StoreUnavailable
        return self._instance

    def use(self) -> Instance:
        """The store's instance; from now on the current task reads in the store's own threads.
        Raises StoreUnavailable."""
        instance = self.instance
        self._choose()
        return instance

    def set_instance(self, instance: Instance) -> None:
        """Sets the instance of a store that is already open."""
        self._instance = instance

    async def run(self, on_open: Callable[[Instance], None]) -> None:
        """Runs an instance on the store for ever, and a new one after each that breaks. `on_open`
        is called with each."""
        self._choose()
        while True:
            try:
                instance = await asyncio.to_thread(self._open_instance)
                on_open(instance)
                async with instance.running():
                    await self._serve_until_broken(instance)
            except Exception as error:  # noqa: BLE001  the other stores go on after any error
                logs.failure("store_not_open", error, store=self.name)
            self.attempted.set()
            await asyncio.sleep(RETRY_SECONDS)

    def _choose(self) -> None:
        """Makes this store the current task's."""
        current_threads.set(self._threads)
        current_outages.set(self._outages)

    async def _serve_until_broken(self, instance: Instance) -> None:
        """Makes the instance available until it breaks."""
        self._instance = instance
        self.attempted.set()
        try:
            await instance.broken.wait()
        finally:
            self._disconnect()

    def _disconnect(self) -> None:
        instance, self._instance = self._instance, None
        if instance is not None:
            instance.stop_streams()
