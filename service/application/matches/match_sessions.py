"""Match sessions: loads matches from the store, and reads views and events from them."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.events import Event, Record
from domain.match.replay import replay
from domain.match.state import Match
from projections.audience.disclosure import MODERATOR, Viewer
from projections.audience.lines import OwnNumber, line_text, numbered
from projections.audience.projection import AudienceProjection, body_after
from projections.evidence.name_salts import withheld
from projections.evidence.timeline import ShownRecord, shown_to
from projections.notation.writing import notation
from service.application.matches.loaded_match import LoadedMatch
from service.application.matches.match_loader import MatchLoader
from service.application.matches.match_session import MatchCache, MatchSession
from service.event_store.integrity.checked_records import (
    CheckedRecords,
    ClosedRecords,
    read_checked,
)
from service.event_store.integrity.digests import DOES_NOT_FOLLOW, RecordAltered
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, spend

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Line(Struct, frozen=True):
    at: datetime


_line = msgspec.json.Decoder(_Line)


class UnknownPosition(LookupError):
    """The audience has not reached this number of events. Its argument, if any, is the JSON pointer
    of the number in the body of a request."""


class MatchSessions:
    """Loads matches from the store, caches the most recently used ones, and evicts idle ones.

    `match_memory` is the size of the cache, in bytes. Where the store is `shared`, other instances
    write to it, too, so every read first loads what they have recorded. `grown` is called for a
    match to which records may have been added by reading: those of other instances, or those since
    it was last in memory. Records that are found damaged are added to `closed`; whatever needs a
    closed one raises RecordAltered.
    """

    def __init__(
        self,
        store: Store,
        secret_store: SecretStore,
        match_memory: int,
        *,
        shared: bool = False,
        grown: Callable[[UUID], None] = lambda _: None,
        closed: ClosedRecords | None = None,
    ) -> None:
        self._store = store
        self._secret_store = secret_store
        self.shared = shared
        self._grown = grown
        self._closed = ClosedRecords() if closed is None else closed
        self._cache = MatchCache(match_memory)
        self._loader = MatchLoader(store, secret_store, self._cache, self._closed, grown)
        self.prepare, self.read_own = self._loader.prepare, self._loader.own

    def __len__(self) -> int:
        return len(self._cache)

    def session(self, match_id: UUID) -> MatchSession:
        """The match's session, whether or not the match has been read yet."""
        return self._cache.use(match_id)

    def loaded(self, match_id: UUID) -> LoadedMatch | None:
        """The match if it is in memory. This does not count as a use."""
        session = self._cache.find(match_id)
        return None if session is None else session.loaded

    # What readers call.

    async def cached(self, match_id: UUID) -> LoadedMatch:
        """The match, perhaps without the latest events of other instances; read from the store if
        it is not in memory. Good enough for facts that never change, and for checks that are
        repeated before anything is recorded. Raises UnknownMatch."""
        return await self._ready(match_id)

    async def with_chains(self, match_id: UUID) -> LoadedMatch:
        """The same with what its receipts bind. Raises UnknownMatch."""
        return await self._ready(match_id, receipts=True)

    async def current(self, match_id: UUID) -> LoadedMatch:
        """The match with everything on record when this is called. Raises UnknownMatch."""
        loaded = await self._ready(match_id)
        if not self.shared:
            return loaded
        await self._catch_up(self.session(match_id))
        return await self._ready(match_id)

    def on_record(self, match_id: UUID) -> Match:
        """The match as it is on record at this moment. Blocks."""
        return replay(str(match_id), self._store.read(match_id))[1]

    async def projection(
        self, match_id: UUID, viewer: Viewer, *, receipts: bool = False
    ) -> tuple[LoadedMatch, AudienceProjection]:
        """The match and the audience's projection, at the end of the record; with what `receipts`
        bind if they are wanted."""
        if self.shared:
            await self.current(match_id)
        return await self.cached_projection(match_id, viewer, receipts=receipts)

    async def cached_projection(
        self, match_id: UUID, viewer: Viewer, *, receipts: bool = False
    ) -> tuple[LoadedMatch, AudienceProjection]:
        """The same at the end of what is in memory, perhaps without the latest events of other
        instances."""
        loaded = await self._ready(match_id, viewer, receipts=receipts)
        projection = loaded.projections.find(viewer)
        assert projection is not None, "the audience is one of the match"
        return loaded, projection

    async def _ready(
        self, match_id: UUID, viewer: Viewer | None = None, *, receipts: bool = False
    ) -> LoadedMatch:
        """The match in memory, with what an audience knows and what `receipts` bind if they are
        wanted."""
        session, viewers = self.session(match_id), () if viewer is None else (viewer,)
        while (
            (loaded := session.loaded) is None
            or (receipts and loaded.chains is None)
            or not all(map(session.shows, viewers))
        ):
            await asyncio.shield(self.prepare(session, viewers, receipts=receipts))
        return loaded

    async def begin_epoch(self, match_id: UUID) -> None:
        """Stores the seed of the epoch that a rewind is about to begin, if chance has one."""
        loaded = await self.current(match_id)
        if loaded.match.epoch is None:
            return
        epoch = loaded.match.epoch.committed.epoch + 1
        secrets = await in_store_thread(self._secret_store.begin_epoch, match_id, epoch)
        (await self.cached(match_id)).secrets = secrets

    async def view(self, match_id: UUID, viewer: Viewer, seq: int | None) -> tuple[int, bytes]:
        """The audience's view as JSON after its first `seq` events, by default after all.

        Raises UnknownMatch, or UnknownPosition if the audience has fewer events.
        """
        loaded, projection = await self.projection(match_id, viewer)
        if seq is None or seq == projection.seq:
            projection.fold()
            return projection.seq, projection.body(loaded.name, loaded.game.id)
        if seq > projection.seq:
            raise UnknownPosition
        return seq, await self.body_at(match_id, viewer, seq)

    async def body_at(self, match_id: UUID, viewer: Viewer, seq: int) -> bytes:
        """The audience's view as JSON after its first `seq` events, which it has. Earlier views are
        folded from the audience's first event, in a thread, at a few microseconds an event."""
        loaded, projection = await self.cached_projection(match_id, viewer)
        if seq == projection.folded.seq:
            return projection.body(loaded.name, loaded.game.id)
        rows = projection.own_rows(0, seq)
        spend(EVENT_READ, seq)
        body = partial(body_after, viewer, loaded.name, loaded.game.id, rows.positions)
        return await self.read_own(match_id, rows, body)

    async def lines(
        self, match_id: UUID, viewer: Viewer, after: int, limit: int
    ) -> tuple[list[bytes], bool]:
        """The audience's lines after its number `after`, as JSON, at most `limit`; and whether
        there are more. A seat that someone has taken over is not told the salt of its first name.
        Raises UnknownMatch, or UnknownPosition for a number not reached yet."""
        loaded, projection = await self.projection(match_id, viewer)
        if after > projection.seq:
            raise UnknownPosition
        more = after + limit < projection.seq
        spend(EVENT_READ, min(limit, projection.seq - after))
        lines_found = projection.lines(after, limit)
        if lines_found is None:
            rows = projection.own_rows(after, after + limit)
            show = partial(loaded.shown_to, viewer)
            lines = partial(_lines, rows.public, after, projection.own)
            lines_found = await self.read_own(match_id, rows, lambda own: lines(show(own)))
        if loaded.tenure(viewer):
            lines_found = [withheld(line) for line in lines_found]
        return lines_found, more

    async def number_at(self, match_id: UUID, viewer: Viewer, instant: int) -> int:
        """How many events the audience had at an instant, in microseconds. Found from its own
        events alone, some of which are read. Raises UnknownMatch."""
        _, projection = await self.projection(match_id, viewer)

        async def after(index: int) -> bool:
            (line,), _ = await self.lines(match_id, viewer, index, 1)
            return (_line.decode(line).at - _EPOCH) // timedelta(microseconds=1) > instant

        low, high = 0, projection.seq
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if await after(middle) else (middle + 1, high)
        return low

    async def read_shown(
        self,
        match_id: UUID,
        viewer: Viewer,
        upto: int | None,
        read: Callable[[list[ShownRecord]], T],
    ) -> T:
        """What is read from an audience's own records up to its number `upto`, by default all: what
        a time line is made of. `read` runs in a thread. Raises UnknownMatch."""
        loaded, projection = await self.projection(match_id, viewer)
        rows = projection.own_rows(0, upto)
        spend(EVENT_READ, len(rows.positions))
        show = partial(shown_to, viewer, rows.positions)
        return await self.read_own(
            match_id, rows, lambda own: read(show(loaded.shown_to(viewer, own)))
        )

    async def notation(self, match_id: UUID) -> tuple[int, str]:
        """The notation of a match, and the number of its events. Raises UnknownMatch."""
        loaded, projection = await self.projection(match_id, MODERATOR)
        seq, rows = projection.seq, projection.own_rows()
        spend(EVENT_READ, seq)
        return seq, await self.read_own(match_id, rows, partial(notation, loaded.name))

    async def load_stored(self, match_id: UUID) -> LoadedMatch:
        """The match as it is in the store, which memory may be behind, and of its own. Raises
        UnknownMatch."""
        self._closed.check(match_id)
        return await self._loader.read(self._loader.load, match_id, ())

    def invalidate(self, match_id: UUID) -> None:
        """Forgets the match in memory, which may be wrong; it is read again."""
        session = self._cache.find(match_id)
        if session is not None:
            session.forget()

    # What other instances have recorded.

    async def _catch_up(self, session: MatchSession) -> None:
        """Loads everything that other instances had recorded when this was called.

        A reader that arrives during a refresh waits for the next one, which all such readers share:
        the refresh under way may have read the store too early for them.
        """
        if session.next_refresh is None:
            session.next_refresh = asyncio.create_task(self._refresh(session, session.refresh))
        await asyncio.shield(session.next_refresh)

    async def _refresh(self, session: MatchSession, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        session.refresh, session.next_refresh = session.next_refresh, None
        if session.loaded is None:
            return
        since = session.loaded.digest
        checked = await self._loader.read(read_checked, self._store, session.id, since)
        loaded = session.loaded
        if loaded is None or loaded.length < since.length:
            return
        # Records committed here meanwhile are in memory already.
        overlap = loaded.length - since.length
        fresh = CheckedRecords(checked.records[overlap:], checked.states[overlap:], checked.digest)
        if not fresh.records:
            return
        with self._closed.closing():
            follows = _follow(loaded, fresh, session.id)
        if follows:
            self._grown(session.id)
            loaded.projections.release_records()
            loaded.trim()
        else:
            session.forget()


def _follow(loaded: LoadedMatch, fresh: CheckedRecords, match_id: UUID) -> bool:
    """Like `LoadedMatch.follow`. Raises RecordAltered if the rules fail on what was recorded."""
    try:
        return loaded.follow(fresh)
    except Exception as error:
        raise RecordAltered(match_id, DOES_NOT_FOLLOW) from error


def _lines(
    public: Sequence[int], after: int, own: OwnNumber, records: Sequence[Record[Event]]
) -> list[bytes]:
    """The lines of an audience's records after its number `after`, with their numbers in the
    public's count."""
    return [
        numbered(seq, number, line_text(record, own))
        for seq, (record, number) in enumerate(zip(records, public, strict=True), after + 1)
    ]
