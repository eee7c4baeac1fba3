"""The case service: opens cases, and executes everything that is done in them.

What is done in a case, in the lists of those who read it and on the record of its match is one
transaction. An instance that loses a race reads everything again and decides again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from domain.cases import decide as cases
from domain.cases.state import (
    Attachment,
    Case,
    CaseAppealed,
    CaseOpened,
    CaseStated,
    Speaker,
    opened,
    size_of,
)
from domain.events import Event
from domain.match.commands import CaseCommand, CloseCase, Conflict, OpenCase
from domain.match.state import Match
from domain.people import Actor
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.match_service import MatchService
from service.application.matches.match_sessions import MatchSessions
from service.application.matches.seat_limits import FULL_SECONDS, LimitReached
from service.application.races import retried
from service.clock import Clock
from service.event_store.alongside import Alongside, following
from service.event_store.case_streams import (
    CaseLists,
    StoredCase,
    listed,
    listing,
    stored_case,
)
from service.event_store.integrity.checked_records import CheckedRecords
from service.event_store.integrity.digests import begun
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, spend

T = TypeVar("T")


class FirstStatement(NamedTuple):
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

        def read() -> list[StoredCase]:
            return [stored_case(self._store, one) for one in case_ids]

        found = await in_store_thread(read)
        # All that is in a case is for all who read it.
        spend(EVENT_READ, sum(len(case.read.records) for case in found))
        return found

    async def readable(self, match_id: UUID, viewer: Viewer, case_id: UUID) -> StoredCase:
        """A case that an audience can read. Raises Conflict (`no_such_case`) for all others."""
        if case_id not in await self.listed(match_id, viewer):
            raise Conflict("no_such_case")
        return (await self.read([case_id]))[0]

    async def open(
        self, match_id: UUID, speaker: Speaker, new: FirstStatement, request: KeyedRequest | None
    ) -> Made:
        """Opens a case, once per request. Raises LimitReached, Refused, RequestInFlight,
        RecordAltered or StoreUnavailable."""
        event = CaseOpened(str(match_id), new.about, speaker, new.says)
        seat = speaker.party
        readers: tuple[Viewer, ...] = (MODERATOR,) if seat is None else (MODERATOR, seat)

        async def find(chosen: UUID) -> Made | None:
            known = chosen in await self.listed(match_id, readers[-1])
            return Made(chosen, repeated=True) if known else None

        async def create(chosen: UUID, record_request: RecordRequest) -> Made:
            async def check() -> None:
                await self._check_limits(match_id, event)
                await record_request()

            unread = StoredCase(chosen, opened(event), CheckedRecords([], [], begun(chosen)))
            command = OpenCase(str(chosen), _actor(speaker))
            await self._change(
                match_id, chosen, lambda *_: [event], command, readers, check, unread
            )
            return Made(chosen)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def say(
        self,
        match_id: UUID,
        case_id: UUID,
        speaker: Speaker,
        says: str,
        attachment: Attachment | None,
        request: KeyedRequest | None,
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

            async def check() -> None:
                stored = await in_store_thread(stored_case, self._store, case_id)
                cases.state(stored.case, event)
                await self._check_limits(match_id, event)
                await record_request()

            await self._change(
                match_id, case_id, lambda case, _: cases.state(case, event), check=check
            )
            return Made(chosen)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def add_party(self, match_id: UUID, case_id: UUID, seat: int, actor: Actor) -> None:
        """Makes a seat of the match a party. Raises Conflict, RecordAltered or
        StoreUnavailable."""
        await self._change(
            match_id, case_id, lambda case, _: cases.add_party(case, seat, actor), readers=(seat,)
        )

    async def publish(self, match_id: UUID, case_id: UUID, actor: Actor) -> None:
        """Lets everyone read a case. Raises RecordAltered or StoreUnavailable."""
        await self._change(
            match_id, case_id, lambda case, _: cases.publish(case, actor), readers=(PUBLIC_VIEWER,)
        )

    async def close(self, match_id: UUID, case_id: UUID, note: str, actor: Actor) -> None:
        """Closes a case by a note. Raises as `add_party` does."""
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
        await self._change(
            match_id,
            case_id,
            lambda case, _: cases.appeal(case, event, now),
            OpenCase(str(case_id)),
            check=lambda: self._check_limits(match_id, event),
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

    async def _check_limits(
        self, match_id: UUID, event: CaseOpened | CaseStated | CaseAppealed
    ) -> None:
        """Raises LimitReached unless a seat may say this in the cases of the match."""
        seat = event.speaker.party
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

    async def _change(
        self,
        match_id: UUID,
        case_id: UUID,
        decide: Callable[[Case, Match], Sequence[Event]],
        command: CaseCommand | None = None,
        readers: Sequence[Viewer] = (),
        check: Callable[[], Awaitable[None]] | None = None,
        unread: StoredCase | None = None,
    ) -> None:
        """Records what is decided on a case, a new one if it is `unread`, with the command that the
        match is told, and puts the case on the lists of new readers. What `check` raises is found
        out first. Raises Conflict, RecordAltered or StoreUnavailable."""
        lists = await self._lists(match_id)

        def following_rows(stored: StoredCase, events: Sequence[Event]) -> Alongside:
            now = self._clock.now()
            found = following(case_id, stored.read, events, now)
            for reader in readers:
                found = found.joined(listing(self._store, lists, reader, case_id, now))
            return found

        async def attempt() -> None:
            match = (await self._sessions.current(match_id)).match
            stored = unread
            if stored is None:
                stored = await in_store_thread(stored_case, self._store, case_id)
            events = decide(stored.case, match)
            if events:
                alongside = await in_store_thread(following_rows, stored, events)
                await self._write(match_id, alongside, command)

        async with self._lock(match_id):
            if check is not None:
                await check()
            await retried(attempt)

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
        """Records rows next to a match, with the command on its own record unless that is over."""
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


def _actor(speaker: Speaker) -> Actor | None:
    """Who directs the match by opening a case; no one, if it is a seat."""
    if speaker.party is not None or speaker.key_id is None:
        return None
    return Actor(speaker.by, speaker.key_id)
