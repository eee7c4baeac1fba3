"""The keys of a match that exists: issued, listed and ended, with who did it on its record.

A change is made in the match's ring first, together with a note in a stream of its own, and put on
the match's record next, before anyone is shown a new key. After a crash between the two the leader
finds the note and completes the record. Each change is on record once, however many try.

When another person takes over a seat it is the other way round: from that record on the earlier
keys of the seat open nothing, because each names the holder for whom it is. They are ended in the
ring next, and again whenever one is found there.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from domain.game import Refused
from domain.match.commands import Command, Conflict, EndKey, IssueKey
from domain.match.seat_holders import holders, names_had, tenure
from domain.match.state import Match
from domain.names import is_of
from domain.people import Actor
from domain.rulings.kinds import ReplaceSeat
from domain.tournament.state import KeyedRequest
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.match_service import MatchService
from service.application.matches.match_sessions import MatchSessions
from service.application.tournaments.tournament_service import TournamentService
from service.auth.grants import grant_of
from service.auth.key_uses import KeyUses
from service.auth.keyring import (
    RingKey,
    Slot,
    WantedKey,
    hash_key,
    id_of,
    is_of_match,
    new_choice,
    parse_key,
)
from service.auth.keys import Keyring
from service.event_store.errors import UnknownMatch
from service.event_store.integrity.digests import RecordAltered
from service.event_store.properties import Properties
from service.event_store.store_threads import in_store_thread

CHANGES_ON_RECORD = "key changes"
"""The name of the row among the store's properties: how many changes of keys are on record."""


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
    """Issues, lists and ends the keys of matches. `uses` is when they were used."""

    def __init__(
        self,
        keyring: Keyring,
        uses: KeyUses,
        idempotency: IdempotencyStore,
        matches: MatchService,
        sessions: MatchSessions,
        tournaments: TournamentService,
    ) -> None:
        self._keyring = keyring
        self.uses = uses
        self._idempotency = idempotency
        self._matches = matches
        self._sessions = sessions
        self._tournaments = tournaments

    async def issue(
        self, match_id: UUID, slot: Slot, name: str, by: Actor, request: KeyedRequest | None = None
    ) -> NewKey:
        """Issues one more key to a seat or a moderator, in the name of a person; once per request.

        Raises UnknownMatch, Refused (`moderator_plays`, `idempotency_key_reused`), Conflict
        (`seat_replaced`), RequestInFlight, RecordAltered and StoreUnavailable.
        """

        async def find_existing(id_: UUID) -> NewKey | None:
            key_id = id_of(id_)
            keys = await in_store_thread(self._keyring.issued, match_id)
            if all(key.id != key_id for key in keys):
                return None
            match = await self._match(match_id)
            on_record = key_id in match.keys.issued or match.over
            return NewKey(key_id, None) if on_record else None

        async def create(id_: UUID, record_request: RecordRequest) -> NewKey:
            match, key_id = await self._match(match_id), id_of(id_)
            await self.check_person(match_id, slot, name)
            await record_request()

            def check(others: Sequence[RingKey]) -> None:
                if is_of(name, _opposite(others, slot)):
                    raise Refused("moderator_plays")

            key_wanted = WantedKey(slot, name, key_id, by, _tenure(match, slot))
            return NewKey(key_id, await self._issue(match_id, key_wanted, check))

        await self._match(match_id)
        return await self._idempotency.once(request, new_choice(), find_existing, create)

    async def renew(self, key: str, request: str) -> str | None:
        """Ends a key, whatever it is for, and returns the one in its place; once per request. None
        for a key that is not valid, nor was renewed by this request. Raises UnknownMatch,
        RecordAltered and StoreUnavailable."""
        parts = parse_key(key)
        if parts is None:
            return None
        slot, ring = parts
        if is_of_match(slot) and self._keyring.find_cached(key) is not None:
            await self.end_of_predecessors(ring)
        new = await in_store_thread(self._keyring.renew, slot, ring, key, request)
        if new is not None and is_of_match(slot):
            await self.complete(ring)
        return new

    async def give_to_successor(
        self, match_id: UUID, ruling: UUID, replacement: ReplaceSeat, by: Actor
    ) -> str | None:
        """A key for the person to whom a ruling has given a seat: once per ruling. None if it was
        shown before, or another person has the seat by now. Raises UnknownMatch, RecordAltered and
        StoreUnavailable."""
        match, key_id = await self._match(match_id), _key_of_ruling(ruling)
        seat, name = replacement.seat, replacement.name
        if holders(match)[seat] != name or key_id in match.keys.issued or match.over:
            return None
        key_wanted = WantedKey(f"s{seat}", name, key_id, by, tenure(match, seat))
        with suppress(Conflict):  # Another person has got the seat just now.
            return await self._issue(match_id, key_wanted)
        return None

    async def end_of_predecessors(self, match_id: UUID) -> Match:
        """Ends in the ring the keys of those who have been replaced: on the record they have ended
        already. Returns the match that says so. Raises UnknownMatch and StoreUnavailable."""
        match = await self._match(match_id)
        for seat in set(match.rulings.replaced):
            holder_number = tenure(match, seat)
            await in_store_thread(self._keyring.end_slot, match_id, f"s{seat}", holder_number)
        return match

    async def _issue(
        self,
        match_id: UUID,
        key_wanted: WantedKey,
        check: Callable[[Sequence[RingKey]], None] = lambda _: None,
    ) -> str | None:
        """Issues a key and records it; `check` is given the other valid keys before. None if the
        same request has got one elsewhere: it may have been shown once it is on record. Raises
        Conflict for a seat that another person has got meanwhile."""

        def is_shown() -> bool:
            match = self._sessions.on_record(match_id)
            return match.over or key_wanted.id in match.keys.issued

        issue = self._keyring.issue_later
        key = await in_store_thread(issue, match_id, key_wanted, check, is_shown)
        if key is not None and not await self.completed(match_id, key):
            raise Conflict("seat_replaced")
        return key

    async def completed(self, match_id: UUID, key: str) -> bool:
        """Completes the record of a match; returns whether a key that is in its ring is valid."""
        await self.complete(match_id)
        valid = await in_store_thread(self._keyring.list_valid, match_id)
        return hash_key(key) in {valid_key.hash for valid_key in valid}

    async def issued(self, match_id: UUID) -> tuple[RingKey, ...]:
        """All keys that a match has had, in the order in which they were issued. Raises
        UnknownMatch and StoreUnavailable."""
        await self._match(match_id)
        return await in_store_thread(self._keyring.issued, match_id)

    async def valid(self, match_id: UUID, keys: Sequence[RingKey]) -> list[ListedKey]:
        """Those of these keys that are valid. Raises UnknownMatch and StoreUnavailable."""
        match = await self._match(match_id)
        last = await in_store_thread(self.uses.of, match_id)
        return [
            ListedKey(key, last.get(key.id))
            for key in keys
            if not key.ended and key.tenure == _tenure(match, key.slot)
        ]

    async def end(self, match_id: UUID, key_id: str, by: Actor) -> None:
        """Ends a key, at once here and on other instances within about a second. Does nothing to
        one that has ended. Raises UnknownMatch, UnknownKey, RecordAltered and StoreUnavailable."""
        await self._match(match_id)
        keys = await in_store_thread(self._keyring.issued, match_id)
        matching = [key for key in keys if key.id == key_id]
        if not matching:
            raise UnknownKey(key_id)
        for key in matching:
            if not key.ended:
                await in_store_thread(self._keyring.revoke, match_id, key.hash, by)
        await self.complete(match_id)

    async def complete(self, match_id: UUID) -> None:
        """Puts on the record of a match what was done to its keys and is not there yet, and ends
        those that may not be. Raises UnknownMatch, RecordAltered and StoreUnavailable."""
        # The keys are judged by the match by which they were ended: one whose holder is replaced
        # meanwhile is refused by the record.
        match = await self.end_of_predecessors(match_id)
        keys = await in_store_thread(self._keyring.issued, match_id)
        for key in keys:
            if match.over:
                continue
            is_holder = key.tenure == _tenure(match, key.slot)
            if is_holder and key.by and key.id not in match.keys.issued:
                await self._complete_issue(match_id, key, key.by)
            if key.ended_by is not None and key.id not in match.keys.ended:
                seat = grant_of(key.slot, match_id).seat
                await self._record(match_id, EndKey(key.id, seat, key.ended_by))

    async def complete_changed(self, properties: Properties) -> None:
        """Completes the record of every match of which keys were changed since it last did,
        whatever crashed in between and whichever process did it. The leader does this for all."""
        position = await in_store_thread(properties.get, CHANGES_ON_RECORD)
        upto, match_ids = await in_store_thread(self._keyring.changed, int(position or b"0"))
        for match_id in match_ids:
            # Reported when it was found; nothing is added to a damaged record.
            with suppress(UnknownMatch, RecordAltered):
                await self.complete(match_id)
        if match_ids:
            await in_store_thread(properties.set, CHANGES_ON_RECORD, b"%d" % upto)

    async def _complete_issue(self, match_id: UUID, key: RingKey, by: Actor) -> None:
        moderator, seat = key.slot == "mod", grant_of(key.slot, match_id).seat
        name, holder_number = (key.name or None, None) if moderator else (None, key.tenure)
        try:
            await self._record(
                match_id, IssueKey(key.id, seat, name, by, holder_number, key.renews)
            )
        except Conflict:
            await in_store_thread(self._keyring.revoke, match_id, key.hash)

    async def _record(self, match_id: UUID, command: Command) -> None:
        """Records what was done, unless it is on record already or the match is over."""
        try:
            await self._matches.execute(match_id, command, "public")
        except Conflict as conflict:
            if conflict.code not in ("key_on_record", "match_over"):
                raise

    async def _match(self, match_id: UUID) -> Match:
        return (await self._sessions.current(match_id)).match

    async def check_person(self, match_id: UUID, slot: Slot, name: str) -> None:
        """Raises Refused if the person would both play and moderate, by a key with this slot."""
        match = await self._match(match_id)
        others = _opposite(await in_store_thread(self._keyring.list_valid, match_id), slot)
        if slot == "mod":
            others |= set(names_had(match))
        else:
            others |= await self._tournament_moderators(match_id, match)
        if is_of(name, others):
            raise Refused("moderator_plays")

    async def _tournament_moderators(self, match_id: UUID, match: Match) -> set[str]:
        """Those to whom the tournament of the match has given it."""
        if match.created.tournament is None:
            return set()
        state = (await self._tournaments.current(UUID(match.created.tournament))).state
        entry = state.matches.get(str(match_id))
        numbers = () if entry is None else entry.moderators
        return {state.moderators[number] for number in numbers}


def _tenure(match: Match, slot: Slot) -> int:
    """The number of the holder of this slot's seat; 0 for moderators."""
    return 0 if slot == "mod" else tenure(match, int(slot[1:]))


def _opposite(keys: Sequence[RingKey], slot: Slot) -> set[str]:
    """Those who moderate by these keys, for the slot of a seat; else those who play."""
    opposite = (key for key in keys if (key.slot == "mod") != (slot == "mod"))
    return {key.name for key in opposite if key.name}


def _key_of_ruling(ruling: UUID) -> str:
    """The id of the key that a ruling gives. It does not tell the ruling's id."""
    return sha256(b"key " + ruling.bytes).hexdigest()[:16]
