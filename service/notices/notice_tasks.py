"""What the leader does for notices: follows the log, and sends what is due."""

import asyncio
from contextlib import suppress

from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.notices.log_reader import NoticeReader
from service.notices.sender import Sender
from service.notices.webhook_table import WebhookTable
from service.observability import logs
from service.read_models.index import FarBehind

POLL_SECONDS = 1.0
"""Pause between two looks at the log, whatever happens in it: who is told something must not be
able to tell from the delay how much else there was."""

FORGET_SECONDS = 3600.0


class NoticeTasks:
    """The reader and the sender of one store, run by the instance that leads."""

    def __init__(
        self, reader: NoticeReader, sender: Sender, table: WebhookTable, clock: Clock
    ) -> None:
        self._reader = reader
        self._sender = sender
        self._table = table
        self._clock = clock

    async def follow_log(self) -> None:
        """Addresses what is new, for as long as the instance leads."""
        while True:
            try:
                await in_store_thread(self._reader.follow)
            except (StoreUnavailable, FarBehind):
                pass  # Reported where it was found; it is tried again.
            except Exception as error:  # noqa: BLE001  it is tried again
                logs.failure("not_done", error, what="NoticeTasks.follow_log")
            await asyncio.sleep(POLL_SECONDS)

    async def send(self) -> None:
        """Sends what is due, for as long as the instance leads."""
        await self._sender.run()

    async def forget(self) -> None:
        """Forgets what was sent long ago."""
        while True:
            with suppress(StoreUnavailable):  # Reported where it was found; it is tried again.
                await in_store_thread(self._table.forget, self._clock.now())
            await asyncio.sleep(FORGET_SECONDS)
