"""The tail of the log: wakes readers of this instance when another one has recorded something.

Redis says so sooner; this is what makes it unnecessary.
"""

import asyncio
from collections.abc import Callable
from uuid import UUID

from service import logs
from service.instances.hub import Hub
from service.storage.reading import StoreUnavailable, from_store
from service.storage.store import Store

LOOK_SECONDS = 0.1
LOOK_SELDOM_SECONDS = 2.0
"""How long between two looks, without and with somebody else who says when there is something."""


class Tail:
    """Looks at the end of the log again and again. `told` says whether readers are woken without
    it, so that it need not look often."""

    def __init__(self, store: Store, hub: Hub, told: Callable[[], bool]) -> None:
        self._store = store
        self._hub = hub
        self._told = told
        self._position: int | None = None

    async def run(self) -> None:
        """Wakes for ever."""
        while True:
            await asyncio.sleep(LOOK_SELDOM_SECONDS if self._told() else LOOK_SECONDS)
            try:
                await self._look()
            except StoreUnavailable:
                continue
            except Exception as error:  # noqa: BLE001  it is tried again
                logs.failed("tail_not_read", error)

    async def _look(self) -> None:
        if not self._hub.listens:
            # Whoever comes later reads first, and listens before that.
            self._position = None
            return
        before = self._position
        self._position, grown = await from_store(self._grown, before)
        if before is None or grown is None:
            self._hub.wake_all()
        else:
            for match in grown:
                self._hub.wake(match)

    def _grown(self, before: int | None) -> tuple[int, set[UUID] | None]:
        """The end of the log, and the streams that have grown since; None if those are too many to
        say, or nobody knows."""
        if before is None:
            return self._store.end(), None
        return self._store.grown(before)
