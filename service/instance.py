"""One instance of the service: the services that answer requests, and the tasks that run with
them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from service.application.matches.writer import Writer
from service.application.scheduling.clock_watch import start_after_record
from service.clock import Clock, SystemClock
from service.cluster.leader import LeaderLock
from service.cluster.log_poller import LogPoller, LogWatch
from service.composition.leading import Leading
from service.event_store.integrity.incarnation import edition, incarnation
from service.event_store.properties import record_format
from service.event_store.store_threads import finish_store_threads
from service.observability import logs
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation
from service.settings import Settings

KEYS_SECONDS = COMPARE_SECONDS = MARK_SECONDS = 1.0


class Instance(Leading):
    """The services that answer requests, and what works with them; `running` runs it. A handler
    is given by name what it needs of it. `broken` is set when a part of it has ended that must
    not."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock | None = None,
        instrumentation: Instrumentation = NO_INSTRUMENTATION,
        lock: LeaderLock | None = None,
        writer: Writer | None = None,
    ) -> None:
        """`lock` and `writer` replace the leader lock of the store and the thread that commits."""
        super().__init__(settings, clock or SystemClock(), instrumentation)
        self.make_time()
        self.make_matches(writer or Writer())
        self.make_keys()
        self.make_judges()
        self.make_proof()
        self.make_streams()
        self.make_leader(lock)
        self.broken = asyncio.Event()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs the instance's tasks inside the context; closes everything at its end."""
        tasks: list[asyncio.Task[None]] = []
        self.announcer.run_in(asyncio.get_running_loop())
        try:
            await self._begin()
            tasks += [asyncio.create_task(task, name=name) for name, task in self._tasks().items()]
            for task in tasks:
                task.add_done_callback(self._task_ended)
            yield
        finally:
            for task in tasks:
                task.remove_done_callback(self._task_ended)
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.health.stop()
            await asyncio.to_thread(self._close)

    async def _begin(self) -> None:
        await self.health.begin()
        await asyncio.to_thread(record_format, self.properties)
        await asyncio.to_thread(start_after_record, self.clock, self.store, self.database_ahead)
        await asyncio.to_thread(self.signer.make)
        current = await asyncio.to_thread(incarnation, self.store.keyrings)
        self.edition, self.incarnation = edition(current), current.hex()
        await self.withheld_names.refresh()
        await asyncio.to_thread(self.webhooks.belong, current)
        await asyncio.to_thread(self.presence.try_to_beat)
        await asyncio.to_thread(self.keyring.try_to_identify)

    def _tasks(self) -> dict[str, Coroutine[Any, Any, None]]:
        """The tasks that must run for as long as the instance does."""
        tasks = {
            "matches": self.matches.run(),
            "store health": self.health.run(),
            "leader": self.leader.run(),
            "reads": self.reads.run(),
            "clock": repeat(COMPARE_SECONDS, self.clock_watch.compare),
            "heartbeat": repeat(self.presence.interval, self.presence.beat),
            "keys": repeat(KEYS_SECONDS, self.keyring.refresh),
            "withheld names": self.withheld_names.run(),
            "key uses": self.match_keys.uses.run(),
            "signing keys": repeat(KEYS_SECONDS, self.signer.refresh),
            "high-water mark": repeat(MARK_SECONDS, self.store.recorder.sync_mark),
        }
        if self.settings.shared:
            poller = LogPoller(self.store, self.outside_news, lambda: self.is_subscribed)
            tasks["log poller"] = poller.run()
            tasks["log watch"] = LogWatch(self.store, self.properties, self.clock.now).run()
        if self.notifications is not None:
            tasks["notifications"] = self.notifications.run()
        return tasks

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        """Handles the end of a task that should run forever: the instance is broken."""
        error = None if task.cancelled() else task.exception()
        logs.failure("task_ended", error or RuntimeError("it ended"), task=task.get_name())
        self.broken.set()

    def stop_streams(self) -> None:
        """Ends every open stream, so that its reader comes back elsewhere."""
        self.stopping.set()
        self.health.worked.set()
        self.broadcast.send_everybody_back()

    def fail_waiting(self) -> None:
        """Fails all waiting commands; it is unknown whether they are on record."""
        self.matches.end()

    def _close(self) -> None:
        self.matches.commits.close()
        self.match_keys.uses.try_to_write()
        self.presence.leave()
        self.notary.close()
        self.rounds.drafts.close()
        self.index.stop()
        finish_store_threads()
        self.health.close()
        if self.scrub is not None:
            self.scrub.close()
        self.index.close()
        self.properties.close()
        self.reads.close()
        self.webhooks.close()
        self.store.close()


async def repeat(seconds: float, do: Callable[[], None]) -> None:
    """Calls a blocking function at intervals forever. Errors are logged."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await asyncio.to_thread(do)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("not_done", error, what=do.__qualname__)
