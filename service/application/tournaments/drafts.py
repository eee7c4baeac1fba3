"""Drafts of rounds, which may take long."""

import asyncio
from collections import OrderedDict
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

from domain.game import Refused
from domain.tournament.formats import FORMATS
from domain.tournament.history import Draft, History
from service.child_processes import spawn_context
from service.observability import logs

SMALL = 16
"""Players up to whom a round is drafted in a thread, where the library of pairings is imported too;
more are drafted in a process of its own."""

PATIENCE_SECONDS = 5.0

MOST_DRAFTS = 64
"""Drafts that are kept in memory until they are published; another one is computed again."""


class DraftRefused(Refused):
    """What a draft in a process of its own was refused with."""

    def __reduce__(self) -> tuple[type, tuple[str, str | None]]:
        return DraftRefused, (self.code, self.text)


class DraftPending(Exception):
    """A draft takes longer than a request may wait for it."""


class Drafts:
    """The drafts of all tournaments. A small one is made in a thread, the others one after another
    in a process."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[str, asyncio.Future[Draft]] = OrderedDict()
        self._processes: ProcessPoolExecutor | None = None

    async def of(self, history: History, inputs: str) -> Draft:
        """The draft of a history; one that takes long goes on, and a later request finds it. If the
        process that drafts has died, a later request starts another. Raises Refused or
        DraftPending."""
        draft = FORMATS[history.stage.format].draft
        if len(history.entrants) <= SMALL:
            return await asyncio.to_thread(draft, history)
        processes = self._processes = self._processes or _one_process()
        try:
            future = self._drafts.get(inputs) or self._begin(processes, history, inputs)
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.shield(future)
        except TimeoutError:
            raise DraftPending from None
        except BrokenExecutor as error:
            logs.failure("drafting_failed", error)
            if self._processes is processes:
                self._drafts.clear()
                self._processes = None
            raise DraftPending from None

    def _begin(
        self, processes: ProcessPoolExecutor, history: History, inputs: str
    ) -> asyncio.Future[Draft]:
        future = asyncio.get_running_loop().run_in_executor(processes, _draft_of, history)
        self._drafts[inputs] = future
        while len(self._drafts) > MOST_DRAFTS:
            self._drafts.popitem(last=False)
        return future

    def close(self) -> None:
        """Ends the process that drafts."""
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)


def _one_process() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=spawn_context())


def _draft_of(history: History) -> Draft:
    """The draft of a history, in a process of its own."""
    try:
        return FORMATS[history.stage.format].draft(history)
    except Refused as refused:
        # An error must be made anew from what it was called with, to come out of a process.
        raise DraftRefused(refused.code, refused.text) from None
