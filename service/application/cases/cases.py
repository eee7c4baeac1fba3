"""The cases of a match or a tournament: opened here, with everything that is done in them.

What is done in a case, in the lists of those who read it and on the record of its match or
tournament is one transaction. An instance that loses a race reads everything again and decides
again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid4

from domain.cases import state as cases
from domain.cases.match_events import RecordedCase, RecordedCases
from domain.cases.state import (
    About,
    Attachment,
    Case,
    CaseAppealed,
    CaseOpened,
    CaseStated,
    Speaker,
    open_case,
    size_of,
)
from domain.events import Event
from domain.match.commands import CaseCommand, CloseCase, Conflict, OpenCase
from domain.people import Actor
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.cases.subjects import CaseSubject
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.seat_limits import FULL_SECONDS, LimitReached
from service.clock import Clock
from service.event_store.alongside import Alongside, following
from service.event_store.case_streams import CaseLists, StoredCase, list_cases, listing, stored_case
from service.event_store.errors import retried
from service.event_store.integrity.checked_records import CheckedRecords
from service.event_store.integrity.digests import begin_digest
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, spend

T = TypeVar("T")


class FirstStatement(NamedTuple):
    """What is said first in a case, and what it is about (see `About`)."""

    about: About
    says: str


class Made(NamedTuple):
    """What a request has recorded under its id, and whether the same request had done so before."""

    id: UUID
    repeated: bool = False


class Cases(NamedTuple):
    """Executes what is done in the cases of one match or tournament. One at a time changes them
    here; other instances are noticed when the rows are recorded."""

    subject: CaseSubject
    store: Store
    idempotency: IdempotencyStore
    clock: Clock
    lock: asyncio.Lock

    async def list_ids(self, viewer: Viewer) -> list[UUID]:
        """The ids of the cases that an audience can read, in the order in which it could first do
        so. Raises RecordAltered."""
        return await in_store_thread(list_cases, self.store, await self._lists(), viewer)

    async def read(self, case_ids: Sequence[UUID]) -> list[StoredCase]:
        """These cases. Raises RecordAltered."""

        def read() -> list[StoredCase]:
            return [stored_case(self.store, case_id) for case_id in case_ids]

        stored_cases = await in_store_thread(read)
        # All that is in a case is for all who read it.
        spend(EVENT_READ, sum(len(case.read.records) for case in stored_cases))
        return stored_cases

    async def readable(self, viewer: Viewer, case_id: UUID) -> StoredCase:
        """A case that an audience can read. Raises Conflict (`no_such_case`) for all others."""
        if case_id not in await self.list_ids(viewer):
            raise Conflict("no_such_case")
        return (await self.read([case_id]))[0]

    async def open(
        self, speaker: Speaker, new: FirstStatement, request: KeyedRequest | None
    ) -> Made:
        """Opens a case, once per request. Raises LimitReached, Refused, RequestInFlight,
        RecordAltered or StoreUnavailable."""
        event = CaseOpened(str(self.subject.id), new.about, speaker, new.says)
        party = speaker.party
        readers: tuple[Viewer, ...] = (MODERATOR,) if party is None else (MODERATOR, party)

        async def find(id_: UUID) -> Made | None:
            is_known = id_ in await self.list_ids(readers[-1])
            return Made(id_, repeated=True) if is_known else None

        async def create(id_: UUID, record_request: RecordRequest) -> Made:
            async def check() -> None:
                await self._check_limits(event)
                await record_request()

            unread = StoredCase(id_, open_case(event), CheckedRecords([], [], begin_digest(id_)))
            command = OpenCase(str(id_), _actor(speaker))
            await self._change(id_, lambda *_: [event], command, readers, check, unread)
            return Made(id_)

        return await self.idempotency.once(request, uuid4(), find, create)

    async def say(
        self,
        case_id: UUID,
        speaker: Speaker,
        says: str,
        attachment: Attachment | None,
        request: KeyedRequest | None,
    ) -> Made:
        """A party or a moderator says something in a case that they can read, once per request.
        Raises as `open` does, and Conflict."""

        async def find(id_: UUID) -> Made | None:
            case_read = await in_store_thread(stored_case, self.store, case_id)
            return Made(id_, repeated=True) if str(id_) in _statements(case_read) else None

        async def create(id_: UUID, record_request: RecordRequest) -> Made:
            event = CaseStated(str(id_), speaker, says, attachment)

            async def check() -> None:
                case_read = await in_store_thread(stored_case, self.store, case_id)
                cases.state(case_read.case, event)
                await self._check_limits(event)
                await record_request()

            await self._change(case_id, lambda case, _: cases.state(case, event), check=check)
            return Made(id_)

        return await self.idempotency.once(request, uuid4(), find, create)

    async def add_party(self, case_id: UUID, party: int, actor: Actor) -> None:
        """Makes a seat of the match, or a player of the tournament, a party. Raises Conflict,
        RecordAltered or StoreUnavailable."""
        await self._change(
            case_id, lambda case, _: cases.add_party(case, party, actor), readers=(party,)
        )

    async def publish(self, case_id: UUID, actor: Actor) -> None:
        """Lets everyone read a case. Raises RecordAltered or StoreUnavailable."""
        await self._change(
            case_id, lambda case, _: cases.publish(case, actor), readers=(PUBLIC_VIEWER,)
        )

    async def close(self, case_id: UUID, note: str, actor: Actor) -> None:
        """Closes a case by a note. Raises as `add_party` does."""
        await self._change(
            case_id,
            lambda case, names: cases.close(case, names, note, actor),
            CloseCase(str(case_id), actor),
        )

    async def appeal(self, case_id: UUID, speaker: Speaker, says: str) -> None:
        """A party appeals against how a case was closed. Raises as `add_party` does, and
        LimitReached."""
        event, now = CaseAppealed(speaker, says), self.clock.now()
        await self._change(
            case_id,
            lambda case, _: cases.appeal(case, event, now),
            OpenCase(str(case_id)),
            check=lambda: self._check_limits(event),
        )

    async def closing(
        self,
        case: str,
        ruling: str,
        people: tuple[str, ...],
        execute: Callable[[Alongside | None], Awaitable[T]],
    ) -> T:
        """Executes a command about a ruling of these people, which may close a case: what that adds
        to the case is recorded with it. Raises what `execute` raises."""
        lists = await self._lists()

        async def attempt() -> T:
            return await execute(
                await in_store_thread(self._closed_by_ruling, lists, case, ruling, people)
            )

        async with self.lock:
            return await retried(attempt)

    async def as_recorded(self, case: str) -> RecordedCases:
        """The case with this id as a record would have it; none if it is none of these."""
        case_row = await in_store_thread(self._find_case, await self._lists(), case)
        if case_row is None:
            return ()
        is_open, case_state = case_row.case.is_open, case_row.case
        return (RecordedCase(case, is_open, case_state.appealed, case_state.people),)

    async def _lists(self) -> CaseLists:
        return CaseLists(self.subject.id, await self.subject.log_key())

    async def _check_limits(self, event: CaseOpened | CaseStated | CaseAppealed) -> None:
        """Raises LimitReached unless a party may say this in these cases."""
        party = event.speaker.party
        if party is None:
            return
        every = await self.read(await self.list_ids(party))
        own = [case_row.case for case_row in every if party in case_row.case.parties]
        waiting = sum(case.is_open for case in own)
        if isinstance(event, CaseOpened) and waiting >= cases.MOST_OPEN:
            raise LimitReached("too_many_cases", FULL_SECONDS)
        size = size_of(event)
        if size + sum(case.said_by(party) for case in own) > cases.SEAT_BYTES:
            raise LimitReached("too_much_said", FULL_SECONDS)

    async def _change(
        self,
        case_id: UUID,
        decide: Callable[[Case, Sequence[str]], Sequence[Event]],
        command: CaseCommand | None = None,
        readers: Sequence[Viewer] = (),
        check: Callable[[], Awaitable[None]] | None = None,
        unread: StoredCase | None = None,
    ) -> None:
        """Records what is decided on a case, a new one if it is `unread`, with the command that the
        match or the tournament is told, and puts the case on the lists of new readers. What `check`
        raises is found out first. Raises Conflict, RecordAltered or StoreUnavailable."""
        lists = await self._lists()

        async def decide_now(case_read: StoredCase) -> Sequence[Event]:
            """What is decided, without a statement that the same request has made elsewhere."""
            statements = _statements(case_read)
            events = decide(case_read.case, await self.subject.names())
            return [
                event
                for event in events
                if not (isinstance(event, CaseStated) and event.id in statements)
            ]

        def following_rows(case_read: StoredCase, events: Sequence[Event]) -> Alongside:
            now = self.clock.now()
            rows_to_add = following(case_id, case_read.read, events, now)
            for reader in readers:
                rows_to_add = rows_to_add.joined(listing(self.store, lists, reader, case_id, now))
            return rows_to_add

        async def attempt() -> None:
            case_read = unread
            if case_read is None:
                case_read = await in_store_thread(stored_case, self.store, case_id)
            events = await decide_now(case_read)
            if events:
                alongside = await in_store_thread(following_rows, case_read, events)
                await self.subject.record(command, alongside)

        async with self.lock:
            if check is not None:
                await check()
            await retried(attempt)

    def _closed_by_ruling(
        self, lists: CaseLists, case: str, ruling: str, people: tuple[str, ...]
    ) -> Alongside | None:
        """The row of a case that a ruling closes; None if it is none of these, or it is closed:
        then the ruling is refused. Blocks."""
        case_row = self._find_case(lists, case)
        if case_row is None or not case_row.case.is_open:
            return None
        events = cases.closed_by_ruling(case_row.case, ruling, people)
        return following(case_row.id, case_row.read, events, self.clock.now())

    def _find_case(self, lists: CaseLists, case: str) -> StoredCase | None:
        """The case with this id; None if it is none of these. Blocks."""
        ids = (
            case_id for case_id in list_cases(self.store, lists, MODERATOR) if str(case_id) == case
        )
        return next((stored_case(self.store, case_id) for case_id in ids), None)


def _statements(case_read: StoredCase) -> set[str]:
    """The ids of the statements in a case."""
    events = (record.event for record in case_read.read.records)
    return {event.id for event in events if isinstance(event, CaseStated)}


def _actor(speaker: Speaker) -> Actor | None:
    """Who directs the match or the tournament by opening a case; no one, if it is a party."""
    if speaker.party is not None or speaker.key_id is None:
        return None
    return Actor(speaker.by, speaker.key_id)
