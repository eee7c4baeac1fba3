"""The keys of a match that exists: issued, listed and ended, with who did it on its record.

A change is made in the match's ring first, together with a note in a stream of its own, and put on
the match's record next, before anybody is shown a new key. After a crash between the two the leader
finds the note and completes the record. Each change is on record once, whoever tries.
"""

from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from domain.commands import Command, Conflict, EndKey, IssueKey
from domain.game import Refused
from domain.match_state import Match
from domain.people import Actor, named_person
from domain.tournament_state import Request
from service.application.evidence import OVER
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.key_records import KeyRecords
from service.application.match_service import MatchService
from service.application.match_sessions import MatchSessions
from service.application.tournament_service import TournamentService
from service.auth.grants import grant_of
from service.auth.key_events import RingKey, Slot, new_id
from service.auth.key_uses import KeyUses
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.properties import Properties
from service.event_store.store_threads import in_store_thread


class NewKey(NamedTuple):
    """A key that was issued; it is shown once: `key` is None for a repeated request."""

    id: str
    key: str | None


class ListedKey(NamedTuple):
    """A valid key of a match, and when it was last used, in microseconds; None if it never was."""

    key: RingKey
    last_used: int | None


class UnknownKey(LookupError):
    """The match never had a key with this id."""


class MatchKeys:
    """Issues, lists and ends the keys of matches. `uses` is when they were used, `records` what the
    leader runs."""

    def __init__(
        self,
        keyring: Keyring,
        properties: Properties,
        clock: Clock,
        idempotency: IdempotencyStore,
        matches: MatchService,
        sessions: MatchSessions,
        tournaments: TournamentService,
    ) -> None:
        self._keyring = keyring
        self.uses = KeyUses(properties, clock.now)
        keyring.on_used = self.uses.note
        self.records = KeyRecords(keyring, properties, self.complete)
        self._idempotency = idempotency
        self._matches = matches
        self._sessions = sessions
        self._tournaments = tournaments

    async def issue(
        self, match_id: UUID, slot: Slot, name: str, by: Actor, request: Request | None = None
    ) -> NewKey:
        """Issues one more key to a seat or a moderator, in the name of a person; once per request.

        Raises UnknownMatch, Refused (`moderator_plays`, `idempotency_key_reused`),
        RequestInFlight, RecordAltered and StoreUnavailable.
        """

        async def find_existing(chosen: UUID) -> NewKey | None:
            key_id = _key_id(chosen)
            issued = await in_store_thread(self._keyring.issued, match_id)
            if all(key.id != key_id for key in issued):
                return None
            match = await self._match(match_id)
            on_record = key_id in match.keys.issued or match.status in OVER
            return NewKey(key_id, None) if on_record else None

        async def create(chosen: UUID, record_request: RecordRequest) -> NewKey:
            key_id = _key_id(chosen)
            await self._check(match_id, slot, name)
            await record_request()
            key = await in_store_thread(self._keyring.issue_later, match_id, slot, name, key_id, by)
            await self._record(match_id, _issued(key_id, slot, name, by))
            return NewKey(key_id, key)

        await self._match(match_id)
        return await self._idempotency.once(request, _as_uuid(new_id()), find_existing, create)

    async def listed(self, match_id: UUID) -> list[ListedKey]:
        """The valid keys of a match, in the order in which they were issued. Raises UnknownMatch
        and StoreUnavailable."""
        seats = (await self._match(match_id)).created.seats
        keys = await in_store_thread(self._keyring.identified, match_id)
        last = await in_store_thread(self.uses.of, match_id)
        return [
            ListedKey(_named(key, seats), last.get(key.id or "")) for key in keys if not key.ended
        ]

    async def end(self, match_id: UUID, key_id: str, by: Actor) -> None:
        """Ends a key, at once here and on other instances within about a second. Does nothing to
        one that has ended. Raises UnknownMatch, UnknownKey, RecordAltered and StoreUnavailable."""
        await self._match(match_id)
        keys = await in_store_thread(self._keyring.identified, match_id)
        found = [key for key in keys if key.id == key_id]
        if not found:
            raise UnknownKey(key_id)
        for key in found:
            if not key.ended:
                await in_store_thread(self._keyring.end, match_id, key.hash, by)
        await self.complete(match_id)

    async def complete(self, match_id: UUID) -> None:
        """Puts on the record of a match what was done to its keys and is not there yet. Raises
        UnknownMatch, RecordAltered and StoreUnavailable."""
        keys = await in_store_thread(self._keyring.identified, match_id)
        match = await self._match(match_id)
        for key in keys:
            if key.id is None or match.status in OVER:
                continue
            if key.by is not None and key.id not in match.keys.issued:
                await self._record(match_id, _issued(key.id, key.slot, key.name, key.by))
            if key.ended_by is not None and key.id not in match.keys.ended:
                seat = grant_of(key.slot, match_id).seat
                await self._record(match_id, EndKey(key.id, seat, key.ended_by))

    async def _record(self, match_id: UUID, command: Command) -> None:
        """Records what was done, unless it is on record already or the match is over."""
        try:
            await self._matches.execute(match_id, command, "public")
        except Conflict as conflict:
            if conflict.code not in ("key_on_record", "match_over"):
                raise

    async def _match(self, match_id: UUID) -> Match:
        return (await self._sessions.current(match_id)).match

    async def _check(self, match_id: UUID, slot: Slot, name: str) -> None:
        """Raises Refused if the person would both play and moderate."""
        match = await self._match(match_id)
        keys = await in_store_thread(self._keyring.listed, match_id)
        others = {named_person(key.name) for key in keys if (key.slot == "mod") != (slot == "mod")}
        if slot == "mod":
            others |= {named_person(seat) for seat in match.created.seats}
        else:
            others |= await self._tournament_moderators(match_id, match)
        if named_person(name) in others:
            raise Refused("moderator_plays")

    async def _tournament_moderators(self, match_id: UUID, match: Match) -> set[str]:
        """Those to whom the tournament of the match has given it."""
        if match.created.tournament is None:
            return set()
        state = (await self._tournaments.current(UUID(match.created.tournament))).state
        added = state.matches.get(str(match_id))
        numbers = () if added is None else added.moderators
        return {named_person(state.moderators[number]) for number in numbers}


def _issued(key_id: str, slot: Slot, name: str, by: Actor) -> IssueKey:
    seat = None if slot == "mod" else int(slot[1:])
    return IssueKey(key_id, seat, (name or None) if seat is None else None, by)


def _named(key: RingKey, seats: tuple[str, ...]) -> RingKey:
    """The key with a name: older releases issued the keys of seats without one."""
    if key.name or key.slot == "mod":
        return key
    return replace(key, name=seats[int(key.slot[1:])])


def _as_uuid(key_id: str) -> UUID:
    """A key's id in the form in which requests are recorded."""
    return UUID(int=int(key_id, 16))


def _key_id(chosen: UUID) -> str:
    return f"{chosen.int:016x}"
