"""Reads what is wanted of a match: its state, what audiences know, what receipts bind."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import ParamSpec, TypeVar
from uuid import UUID

from projections.audience import see_live
from projections.disclosure import Viewer
from service.application.match_cache import MatchCache
from service.application.match_loader import MatchLoader
from service.application.match_session import MatchSession
from service.event_store.closed_records import ClosedRecords
from service.event_store.store_threads import in_store_thread

P = ParamSpec("P")
T = TypeVar("T")


class MatchPreparation:
    """Reads one session at a time in one task, whoever waits for it. `grown` is called for a match
    that has been read; records that are found damaged are added to `closed`."""

    def __init__(
        self,
        loader: MatchLoader,
        cache: MatchCache,
        closed: ClosedRecords,
        grown: Callable[[UUID], None],
    ) -> None:
        self._loader = loader
        self._cache = cache
        self._closed = closed
        self._grown = grown

    def begin(
        self, session: MatchSession, viewers: Iterable[Viewer], *, receipts: bool
    ) -> asyncio.Task[None]:
        """Reads the match, the projections of these audiences, and what `receipts` bind if they are
        wanted, unless they are in memory.

        The task raises UnknownMatch, RecordAltered, or the store's own errors.
        """
        session.wanted.update(viewers)
        session.wants_receipts |= receipts
        if session.preparing is None:
            session.preparing = asyncio.create_task(self._prepare(session))
        return session.preparing

    async def read(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Reads in a thread; closes a record that is found damaged."""
        with self._closed.closing():
            return await in_store_thread(read, *args, **kwargs)

    async def _prepare(self, session: MatchSession) -> None:
        try:
            while session.loaded is None or session.wanted or session.wants_receipts:
                if session.loaded is None:
                    await self._load(session)
                await self._project(session)
                await self._tell(session)
        except BaseException:
            if not session.queue and not session.deciding:
                self._cache.drop(session.id)
            raise
        finally:
            session.preparing = None
        self._cache.weigh(session)

    async def _load(self, session: MatchSession) -> None:
        self._closed.check(session.id)
        viewers, receipts = frozenset(session.wanted), session.wants_receipts
        loaded = await self.read(self._loader.load, session.id, viewers, receipts=receipts)
        # It may have been found damaged elsewhere meanwhile.
        self._closed.check(session.id)
        self._closed.reopen(session.id)
        session.loaded = loaded
        self._grown(session.id)

    async def _project(self, session: MatchSession) -> None:
        """Reads what wanted audiences know, where it is missing, unless the match is forgotten."""
        for viewer in list(session.wanted):
            while (loaded := session.loaded) is not None and not session.shows(viewer):
                projection = loaded.projections.find(viewer)
                assert projection is not None, "the audience is one of the match"
                rows = projection.own_rows()
                known = partial(see_live, viewer, rows.positions)
                projection.take(await self.read(self._loader.own, session.id, rows, known))
            if session.loaded is not None:
                session.wanted.discard(viewer)

    async def _tell(self, session: MatchSession) -> None:
        """Reads what receipts bind, where that is wanted and missing; once more if the match has
        grown meanwhile."""
        while session.wants_receipts and (loaded := session.loaded) is not None:
            if loaded.seen is None:
                length = loaded.length
                seen = await self.read(self._loader.told, session.id, loaded, length)
                if loaded.length == length:
                    loaded.seen = seen
            session.wants_receipts = not session.told
