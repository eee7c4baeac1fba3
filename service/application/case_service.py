"""The case service: opens cases, and executes everything that is done in them.

What is done in a case, in the lists of those who read it and on the record of its match is one
transaction. An instance that loses a race reads everything again and decides again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from domain import cases
from domain.case_state import (
    Attachment,
    Case,
    CaseAppealed,
    CaseOpened,
    CaseStated,
    Speaker,
    size_of,
)
from domain.commands import CaseCommand, CloseCase, Conflict, OpenCase
from domain.events import Event
from domain.match_state import Match
from domain.people import Actor
from domain.tournament_state import Request
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.match_service import MatchService
from service.application.match_sessions import MatchSessions
from service.application.races import retried
from service.application.seat_limits import FULL_SECONDS, LimitReached
from service.clock import Clock
from service.event_store.alongside import Alongside, following
from service.event_store.case_streams import (
    CaseLists,
    StoredCase,
    listed,
    listing,
    stored_case,
)
from service.event_store.checked_records import CheckedRecords
from service.event_store.digests import begun
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, spend

T = TypeVar("T")


class NewCase(NamedTuple):
    """What is said first in a case, about the event at position `about` of the match's record."""

    about: int | None
    says: str


class Made(NamedTuple):
    """What a request has recorded under its id, and whether the same request had done so before."""

    id: UUID
    repeated: bool = False


class CaseService:
    """Executes what is done in the cases of one store."""

    def __init__(
        self,
        store: Store,
        matches: MatchService,
        sessions: MatchSessions,
        idempotency: IdempotencyStore,
        clock: Clock,
    ) -> None:
        self._store = store
        self._matches = matches
        self._sessions = sessions
        self._idempotency = idempotency
        self._clock = clock
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def listed(self, match_id: UUID, viewer: Viewer) -> list[UUID]:
        """The ids of the cases that an audience can read, in the order in which it could first do
        so. Raises RecordAltered."""
        return await in_store_thread(listed, self._store, await self._lists(match_id), viewer)

    async def read(self, case_ids: Sequence[UUID]) -> list[StoredCase]:
        """These cases. Raises RecordAltered."""
        found = await in_store_thread(self._read, case_ids)
        _spend(found)
        return found

    async def readable(self, match_id: UUID, viewer: Viewer, case_id: UUID) -> StoredCase:
        """A case that an audience can read. Raises Conflict (`no_such_case`) for all others."""
        lists = await self._lists(match_id)
        found = await in_store_thread(self._readable, lists, viewer, case_id)
        _spend([found])
        return found

    async def open(
        self, match_id: UUID, speaker: Speaker, new: NewCase, request: Request | None
    ) -> Made:
        """Opens a case, once per request. Raises LimitReached, Refused, RequestInFlight,
        RecordAltered or StoreUnavailable."""
        event = CaseOpened(str(match_id), new.about, speaker, new.says)

        async def find(chosen: UUID) -> Made | None:
            own = MODERATOR if speaker.party is None else speaker.party
            lists = await self._lists(match_id)
            known = await in_store_thread(listed, self._store, lists, own)
            return Made(chosen, repeated=True) if chosen in known else None

        async def create(chosen: UUID, record_request: RecordRequest) -> Made:
            async with self._lock(match_id):
                await self._check_limits(match_id, speaker, event)
                await record_request()
                await retried(partial(self._open, match_id, chosen, event))
            return Made(chosen)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def say(
        self,
        match_id: UUID,
        case_id: UUID,
        speaker: Speaker,
        says: str,
        attachment: Attachment | None,
        request: Request | None,
    ) -> Made:
        """A party or a moderator says something in a case that they can read, once per request.
        Raises as `open` does, and Conflict."""

        async def find(chosen: UUID) -> Made | None:
            stored = await in_store_thread(stored_case, self._store, case_id)
            said = (each.event for each in stored.read.records)
            known = any(isinstance(one, CaseStated) and one.id == str(chosen) for one in said)
            return Made(chosen, repeated=True) if known else None

        async def create(chosen: UUID, record_request: RecordRequest) -> Made:
            event = CaseStated(str(chosen), speaker, says, attachment)
            async with self._lock(match_id):
                stored = await in_store_thread(stored_case, self._store, case_id)
                cases.state(stored.case, event)
                await self._check_limits(match_id, speaker, event)
                await record_request()
                await self._change(match_id, case_id, lambda case, _: cases.state(case, event))
            return Made(chosen)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def add_party(self, match_id: UUID, case_id: UUID, seat: int, actor: Actor) -> None:
        """Makes a seat of the match a party. Raises Conflict, RecordAltered or
        StoreUnavailable."""
        async with self._lock(match_id):
            await self._change(
                match_id, case_id, lambda case, _: cases.add_party(case, seat, actor), reader=seat
            )

    async def publish(self, match_id: UUID, case_id: UUID, actor: Actor) -> None:
        """Lets everybody read a case. Raises RecordAltered or StoreUnavailable."""
        async with self._lock(match_id):
            await self._change(
                match_id, case_id, lambda case, _: cases.publish(case, actor), reader=PUBLIC_VIEWER
            )

    async def close(self, match_id: UUID, case_id: UUID, note: str, actor: Actor) -> None:
        """Closes a case by a note. Raises as `add_party` does."""
        async with self._lock(match_id):
            await self._change(
                match_id,
                case_id,
                lambda case, match: cases.close(case, match, note, actor),
                CloseCase(str(case_id), actor),
            )

    async def appeal(self, match_id: UUID, case_id: UUID, speaker: Speaker, says: str) -> None:
        """A party appeals against how a case was closed. Raises as `add_party` does, and
        LimitReached."""
        event, now = CaseAppealed(speaker, says), self._clock.now()
        async with self._lock(match_id):
            await self._check_limits(match_id, speaker, event)
            await self._change(
                match_id,
                case_id,
                lambda case, _: cases.appeal(case, event, now),
                OpenCase(str(case_id)),
            )

    async def closing(
        self,
        match_id: UUID,
        case: str,
        ruling: str,
        people: tuple[str, ...],
        execute: Callable[[Alongside | None], Awaitable[T]],
    ) -> T:
        """Executes a command about a ruling of these people, which may close a case: what that adds
        to the case is recorded with it. Raises what `execute` raises."""
        lists = await self._lists(match_id)

        async def attempt() -> T:
            return await execute(
                await in_store_thread(self._closed_by_ruling, lists, case, ruling, people)
            )

        async with self._lock(match_id):
            return await retried(attempt)

    async def _lists(self, match_id: UUID) -> CaseLists:
        return CaseLists(match_id, (await self._sessions.cached(match_id)).secrets.log_key)

    def _lock(self, match_id: UUID) -> asyncio.Lock:
        """One at a time changes the cases of a match here. Other instances are noticed when the
        rows are recorded."""
        return self._locks.setdefault(match_id, asyncio.Lock())

    def _read(self, case_ids: Sequence[UUID]) -> list[StoredCase]:
        return [stored_case(self._store, one) for one in case_ids]

    def _readable(self, lists: CaseLists, viewer: Viewer, case_id: UUID) -> StoredCase:
        if case_id not in listed(self._store, lists, viewer):
            raise Conflict("no_such_case")
        return stored_case(self._store, case_id)

    async def _check_limits(
        self, match_id: UUID, speaker: Speaker, event: CaseOpened | CaseStated | CaseAppealed
    ) -> None:
        """Raises LimitReached unless a seat may say this in the cases of the match."""
        seat = speaker.party
        if seat is None:
            return
        every = await self.read(await self.listed(match_id, seat))
        own = [one.case for one in every if seat in one.case.parties]
        waiting = sum(case.is_open for case in own)
        if isinstance(event, CaseOpened) and waiting >= cases.MOST_OPEN:
            raise LimitReached("too_many_cases", FULL_SECONDS)
        size = size_of(event)
        if size + sum(case.said_by(seat) for case in own) > cases.SEAT_BYTES:
            raise LimitReached("too_much_said", FULL_SECONDS)

    async def _open(self, match_id: UUID, case_id: UUID, event: CaseOpened) -> None:
        speaker = event.speaker
        readers = (MODERATOR,) if speaker.party is None else (MODERATOR, speaker.party)
        unread = CheckedRecords([], [], begun(case_id))
        lists = await self._lists(match_id)
        alongside = await in_store_thread(self._next, lists, case_id, unread, [event], readers)
        await self._write(match_id, alongside, OpenCase(str(case_id), _actor(speaker)))

    async def _change(
        self,
        match_id: UUID,
        case_id: UUID,
        decide: Callable[[Case, Match], Sequence[Event]],
        command: CaseCommand | None = None,
        reader: Viewer | None = None,
    ) -> None:
        """Records what is decided on a case, with the command that the match is told, and puts the
        case on the list of a new reader. Raises Conflict, RecordAltered or StoreUnavailable."""

        async def attempt() -> None:
            match = (await self._sessions.current(match_id)).match
            stored = await in_store_thread(stored_case, self._store, case_id)
            events = decide(stored.case, match)
            if not events:
                return
            readers = () if reader is None else (reader,)
            lists = await self._lists(match_id)
            alongside = await in_store_thread(
                self._next, lists, case_id, stored.read, events, readers
            )
            await self._write(match_id, alongside, command)

        await retried(attempt)

    def _next(
        self,
        lists: CaseLists,
        case_id: UUID,
        read: CheckedRecords,
        events: Sequence[Event],
        readers: Sequence[Viewer],
    ) -> Alongside:
        """The next rows of a case, and of the lists of its new readers. Blocks."""
        now = self._clock.now()
        found = following(case_id, read, events, now)
        for reader in readers:
            found = found.joined(listing(self._store, lists, reader, case_id, now))
        return found

    def _closed_by_ruling(
        self, lists: CaseLists, case: str, ruling: str, people: tuple[str, ...]
    ) -> Alongside | None:
        """The row of a case that a ruling closes; None if the match has no such case, or it is
        closed: then the match refuses the ruling. Blocks."""
        for case_id in listed(self._store, lists, MODERATOR):
            if str(case_id) == case:
                stored = stored_case(self._store, case_id)
                if not stored.case.is_open:
                    return None
                events = cases.closed_by_ruling(stored.case, ruling, people)
                return following(case_id, stored.read, events, self._clock.now())
        return None

    async def _write(
        self, match_id: UUID, alongside: Alongside, command: CaseCommand | None
    ) -> None:
        """Records rows beside a match, with the command on its own record unless that is over."""
        match = (await self._sessions.current(match_id)).match
        if command is not None and not match.over:
            try:
                await self._matches.execute(match_id, command, PUBLIC_VIEWER, alongside=alongside)
            except Conflict as conflict:
                if conflict.code != "match_over":
                    raise
            else:
                return
        await self._matches.append(alongside.rows, alongside.digests)


def _spend(cases: Sequence[StoredCase]) -> None:
    """Counts that these have been read: all that is in a case is for all who read it."""
    spend(EVENT_READ, sum(len(case.read.records) for case in cases))


def _actor(speaker: Speaker) -> Actor | None:
    """Who directs the match by opening a case; nobody, if it is a seat."""
    if speaker.party is not None or speaker.key_id is None:
        return None
    return Actor(speaker.by, speaker.key_id)
