"""The matches held in memory, and what their audiences read of them."""

import asyncio
from collections.abc import Iterable
from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.match_events import MatchCreated
from projections.disclosure import Viewer
from service.door.dealer import Dealer
from service.door.held import Held
from service.door.open_match import KEPT, Loaded, OpenMatch, Reader, loaded
from service.keeping.folding import resumed
from service.keeping.keeper import Keeper
from service.storage.reading import from_store
from service.storage.store import Store


class UnknownMatch(LookupError):
    """There is no such match."""


class UnknownPosition(LookupError):
    """The audience has not come so far."""


class OpenMatches:
    """Opens matches from the store, keeps the latest used ones, and closes idle ones.

    Where the store is `shared`, other instances write to it too: before anything is read here,
    it is looked whether they have. A match, or an audience's reader, is read from a snapshot if the
    `keeper` has one.
    """

    def __init__(
        self,
        store: Store,
        dealer: Dealer,
        room: int,
        *,
        shared: bool = False,
        keeper: Keeper | None = None,
    ) -> None:
        self._store = store
        self._dealer = dealer
        self._shared = shared
        self._keeper = keeper
        self._held = Held(room)

    def __len__(self) -> int:
        return len(self._held)

    def place(self, match_id: UUID) -> OpenMatch:
        """The match's place in memory, whether or not it has been read yet."""
        return self._held.use(match_id)

    def close(self, match_id: UUID) -> None:
        """Drops a match from memory; it is read again when it is asked for."""
        self._held.drop(match_id)

    def prepare(self, opened: OpenMatch, viewers: Iterable[Viewer] = ()) -> asyncio.Task[None]:
        """Reads the match, and what those who look need, if that has not been done.

        The task raises UnknownMatch if there is no such match, or the store's own errors.
        """
        opened.wanted.update(viewers)
        if opened.preparing is None:
            opened.preparing = asyncio.create_task(self._prepared(opened))
        return opened.preparing

    async def known(self, match_id: UUID) -> OpenMatch:
        """The match as it stood a while ago at least, read from the store if need be: for what
        never changes, and for what the door will look at again. Raises UnknownMatch."""
        opened = self.place(match_id)
        while not opened.loaded:
            await asyncio.shield(self.prepare(opened))
        return opened

    async def opened(self, match_id: UUID) -> OpenMatch:
        """The match with all that is on record when this is called. Raises UnknownMatch."""
        opened = await self.known(match_id)
        await self._follow(opened)
        return await self.known(match_id)

    async def read(self, match_id: UUID, viewer: Viewer) -> tuple[OpenMatch, Reader]:
        """The match and the audience's reader, at the end of what is on record."""
        await self._follow(await self.known(match_id))
        return await self.read_known(match_id, viewer)

    async def read_known(self, match_id: UUID, viewer: Viewer) -> tuple[OpenMatch, Reader]:
        """The same at the end of what has been read already."""
        opened = self.place(match_id)
        while not opened.loaded or (reader := opened.reader(viewer)) is None:
            await asyncio.shield(self.prepare(opened, (viewer,)))
        opened.advance(reader)
        return opened, reader

    async def view(self, match_id: UUID, viewer: Viewer, seq: int | None) -> tuple[int, bytes]:
        """The audience's view as JSON after its first `seq` events, by default after all.

        Raises UnknownMatch, or UnknownPosition if there are not so many events yet.
        """
        opened, reader = await self.read(match_id, viewer)
        if seq is not None and seq != reader.sight.seq:
            if seq > reader.sight.seq:
                raise UnknownPosition
            upto = reader.positions[seq - 1] if seq else 0
            reader = await self.reader_at(opened, viewer, upto)
        return reader.sight.seq, reader.body(opened.name, opened.game_id)

    async def lines(
        self, match_id: UUID, viewer: Viewer, after: int, limit: int
    ) -> tuple[list[tuple[int, Record[Event]]], bool]:
        """The audience's events behind its number `after`, numbered, at most `limit`; and whether
        there are more. Raises UnknownMatch, or UnknownPosition for a number not reached yet."""
        opened, reader = await self.read(match_id, viewer)
        if after > reader.sight.seq:
            raise UnknownPosition
        some = reader.positions[after : after + limit]
        if not some:
            return [], False
        more = after + limit < reader.sight.seq
        records = opened.records(some)
        if records is None:
            records = await from_store(self._store.read_at, match_id, some)
        return list(enumerate(records, after + 1)), more

    async def reader_at(self, opened: OpenMatch, viewer: Viewer, position: int) -> Reader:
        """A reader for the audience that has read exactly up to a position of the stream."""
        reader = opened.reader(viewer)
        if reader is not None and reader.end <= position:
            opened.advance(reader, position)
            return reader
        return await self._reader_to(opened, viewer, position)

    async def _follow(self, opened: OpenMatch) -> None:
        """When this returns, all is in memory that other instances had recorded when it was called.

        Whoever comes while it is being looked waits for the next look, together with all others
        that do: what is under way may have looked too early for them.
        """
        if not self._shared:
            return
        if opened.next_look is None:
            opened.next_look = asyncio.create_task(self._looked(opened, opened.look))
        await asyncio.shield(opened.next_look)

    async def _looked(self, opened: OpenMatch, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        opened.look, opened.next_look = opened.next_look, None
        if not opened.loaded:
            return
        length = opened.length
        records = await from_store(self._behind, opened.id, length)
        # What has been committed here meanwhile is in memory already.
        fresh = records[opened.length - length :]
        if not opened.loaded or not fresh:
            return
        if len(fresh) > KEPT:
            opened.forget()
        else:
            opened.follow(fresh)
            opened.trim()

    def _behind(self, match_id: UUID, length: int) -> list[Record[Event]]:
        return decode_all(self._store.states(match_id, length))

    async def _prepared(self, opened: OpenMatch) -> None:
        try:
            while not opened.loaded or opened.wanted:
                if not opened.loaded:
                    opened.load(await from_store(self._load, opened.id))
                await self._seat_readers(opened)
        except BaseException:
            if not opened.queue and not opened.judging:
                self._held.drop(opened.id)
            raise
        finally:
            opened.preparing = None
        self._held.weigh(opened)

    async def _seat_readers(self, opened: OpenMatch) -> None:
        """A reader for everyone wanted, unless the match is forgotten meanwhile."""
        for viewer in list(opened.wanted):
            while opened.loaded and opened.reader(viewer) is None:
                reader = await self._reader_to(opened, viewer, opened.length)
                if opened.loaded and reader.end >= opened.tail_start:
                    opened.readers[viewer] = reader
            if opened.loaded:
                opened.wanted.discard(viewer)

    def grown(self, by: int) -> list[tuple[UUID, int]]:
        """The matches with so many events since their latest snapshot, and their lengths."""
        each = (opened for opened in self._held if opened.loaded)
        return [(one.id, one.length) for one in each if one.length - one.kept >= by]

    def kept(self, match_id: UUID, position: int) -> None:
        """The match's latest snapshot stands at this position."""
        opened = self._held.find(match_id)
        if opened is not None:
            opened.kept = max(opened.kept, position)

    def doubt(self, match_id: UUID) -> None:
        """What is in memory of the match may be wrong: it is read again."""
        opened = self._held.find(match_id)
        if opened is not None:
            opened.forget()

    def _load(self, match_id: UUID) -> Loaded:
        kept = None if self._keeper is None else self._keeper.match(match_id)
        if kept is not None:
            return resumed(*kept, self._dealer.hidden(match_id))
        records = self._store.read(match_id)
        created = records[0].event if records else None
        if not isinstance(created, MatchCreated):
            raise UnknownMatch(match_id)
        return loaded(str(match_id), records, self._dealer.hidden(match_id))

    async def _reader_to(self, opened: OpenMatch, viewer: Viewer, position: int) -> Reader:
        """A reader of its own, from the store and from what is at hand by now."""
        at_hand = opened.tail_start, opened.tail.copy()
        return await from_store(self._read_to, opened.id, viewer, position, *at_hand)

    def _read_to(
        self, match_id: UUID, viewer: Viewer, position: int, before: int, tail: list[Record[Event]]
    ) -> Reader:
        if self._keeper is not None:
            kept = self._keeper.reader(match_id, viewer, position, before, tail)
            if kept is not None:
                return kept
        # Only the latest snapshot is kept: what an audience saw before that is folded from event 0,
        # a few microseconds an event, here in a thread. Each holds where all events of its audience
        # stand: one for every thousand events would soon take many times the room of the record.
        reader = Reader(viewer)
        reader.read(self._store.read(match_id, 0, position))
        return reader
