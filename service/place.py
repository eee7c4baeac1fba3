"""A store that may be out of reach, and the instance on it while it is not."""

import asyncio
from collections.abc import Callable

from service import logs
from service.arbiter import Arbiter
from service.storage.reading import Readers, StoreUnavailable, readers

AGAIN_SECONDS = 2.0
"""How long before it is tried again to open a store that could not be reached."""


class Place:
    """One store, and the instance on it for as long as the store can be reached."""

    def __init__(self, name: str, opens: Callable[[], Arbiter]) -> None:
        self.name = name
        self._opens = opens
        self._arbiter: Arbiter | None = None
        self._readers = Readers(f"store {name}")
        self.tried = asyncio.Event()

    @property
    def up(self) -> bool:
        """Whether there is an instance."""
        return self._arbiter is not None

    @property
    def arbiter(self) -> Arbiter:
        """The instance on the store. Raises StoreUnavailable while there is none."""
        if self._arbiter is None:
            raise StoreUnavailable
        return self._arbiter

    def at_hand(self) -> Arbiter:
        """The instance; what this task reads from now on is read by the store's own threads. Raises
        StoreUnavailable."""
        arbiter = self.arbiter
        readers.set(self._readers)
        return arbiter

    def take(self, arbiter: Arbiter) -> None:
        """This is the instance, as long as nothing else is said."""
        self._arbiter = arbiter

    async def keep(self, joined: Callable[[Arbiter], None]) -> None:
        """Has an instance run on the store for ever, another one whenever one has broken. `joined`
        is told of each."""
        readers.set(self._readers)
        while True:
            try:
                arbiter = await asyncio.to_thread(self._opens)
                joined(arbiter)
                async with arbiter.running():
                    await self._lead_to(arbiter)
            except Exception as error:  # noqa: BLE001  whatever it is, the other stores go on
                logs.failed("store_not_open", error, store=self.name)
            self.tried.set()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _lead_to(self, arbiter: Arbiter) -> None:
        """Sends everybody to the instance until it has broken, and nobody while it is closed."""
        self._arbiter = arbiter
        self.tried.set()
        try:
            await arbiter.broken.wait()
        finally:
            self._leave()

    def _leave(self) -> None:
        arbiter, self._arbiter = self._arbiter, None
        if arbiter is not None:
            arbiter.stop_streams()
