"""Reads matches from the store: their state, what audiences know, what receipts bind."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import ParamSpec, TypeVar
from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.match.events import MatchCreated
from projections.audience.disclosure import Viewer
from projections.audience.own_lines import OwnRows
from projections.audience.view import see_live
from projections.evidence.seen import SeenChains
from service.application.matches.chance import check_seed
from service.application.matches.loaded_match import LoadedMatch, chains_of, from_record
from service.application.matches.match_session import MatchCache, MatchSession
from service.event_store.errors import UnknownMatch
from service.event_store.integrity.checked_records import ClosedRecords, own_states, read_checked
from service.event_store.integrity.digests import DOES_NOT_FOLLOW, RecordAltered
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import MATCH, among

P = ParamSpec("P")
T = TypeVar("T")


class MatchLoader:
    """Reads one session at a time, in one task for all who wait. `grown` is called for a match
    that has been read; records that are found damaged are added to `closed`."""

    def __init__(
        self,
        store: Store,
        secret_store: SecretStore,
        cache: MatchCache,
        closed: ClosedRecords,
        grown: Callable[[UUID], None],
    ) -> None:
        self._store = store
        self._secret_store = secret_store
        self._cache = cache
        self._closed = closed
        self._grown = grown

    def prepare(
        self, session: MatchSession, viewers: Iterable[Viewer] = (), *, receipts: bool = False
    ) -> asyncio.Task[None]:
        """Reads the match, the projections of these audiences, and what `receipts` bind if they are
        wanted, unless they are in memory.

        The task raises UnknownMatch, RecordAltered, or the store's own errors.
        """
        session.wanted |= dict.fromkeys(viewers)
        session.wants_receipts |= receipts
        if session.preparing is None:
            session.preparing = asyncio.create_task(self._prepare(session))
        return session.preparing

    async def read(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Reads in a thread; closes a record that is found damaged."""
        with self._closed.closing():
            return await in_store_thread(read, *args, **kwargs)

    async def own(
        self, match_id: UUID, rows: OwnRows, read: Callable[[list[Record[Event]]], T]
    ) -> T:
        """What is read, in a thread, from an audience's own records, and no others. Raises
        RecordAltered."""
        return await self.read(lambda: read(decode_all(own_states(self._store, match_id, rows))))

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
        loaded = await self.read(self.load, session.id, viewers, receipts=receipts)
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
                see_own = partial(see_live, viewer, rows.positions)
                projection.take(await self.own(session.id, rows, see_own))
            if session.loaded is not None:
                session.wanted.pop(viewer, None)

    async def _tell(self, session: MatchSession) -> None:
        """Reads what receipts bind, where that is wanted and missing; once more if the match has
        grown meanwhile."""
        while session.wants_receipts and (loaded := session.loaded) is not None:
            if loaded.chains is None:
                length = loaded.length
                chains = await self.read(self.read_chains, session.id, loaded, length)
                if loaded.length == length:
                    loaded.chains = chains
            session.wants_receipts = not session.has_chains

    # All of what follows blocks, and raises RecordAltered for a damaged record.

    def read_chains(self, match_id: UUID, loaded: LoadedMatch, length: int) -> SeenChains:
        """What the receipts of the match bind after its first `length` events."""
        checked = read_checked(self._store, match_id)
        key, created = loaded.secrets.log_key, loaded.match.created
        return chains_of(
            loaded.name, key, created, checked.records[:length], checked.states[:length]
        )

    def load(
        self, match_id: UUID, viewers: Collection[Viewer], *, receipts: bool = False
    ) -> LoadedMatch:
        """The match from its whole record, with what these audiences know of it, and with what its
        `receipts` bind if they are wanted."""
        checked = read_checked(self._store, among(MATCH, match_id))
        created = checked.records[0].event if checked.records else None
        if not isinstance(created, MatchCreated):
            if created is None:
                raise UnknownMatch(match_id)
            raise RecordAltered(match_id, DOES_NOT_FOLLOW, 1)
        secrets = self._secret_store.read(match_id)
        try:
            loaded = from_record(str(match_id), checked, secrets, viewers, receipts=receipts)
        except Exception as error:
            raise RecordAltered(match_id, DOES_NOT_FOLLOW) from error
        check_seed(secrets, loaded.match)
        return loaded
