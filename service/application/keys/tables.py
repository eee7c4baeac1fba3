"""Open tables: matches that anyone opens and plays with friends, without an organiser.

Whoever opens a table has its first seat and a link. Who takes another seat by the link gives a
name; the match starts when all are ready. Who had a seat of one that is over takes a seat of the
next by the key of that one. Neither the link's token nor a recovery code is stored:
both follow from the idempotency key of the request that is shown them, which is drawn at random, so
that the same request can be shown them again. Only their hashes are, in the ring of the keys of the
table.
"""

import hmac
from base64 import b32encode
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID, uuid4

from domain.match.commands import BeReady, Conflict, RenameSeat
from domain.match.seat_holders import free_seats, holders
from domain.match.state import Match
from domain.rulings.commands import Rule
from domain.rulings.kinds import VoidMatch
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR
from service.application.keys.invitations import GivenKey, Invitations, UnknownInvitation
from service.application.keys.match_keys import MatchKeys
from service.application.matches.creation import Creation, NewMatch
from service.application.matches.match_service import MatchService
from service.auth.keyring import (
    OPERATOR,
    KeyRevoked,
    Recorded,
    RingEvent,
    Slot,
    TableSecretSet,
    by_token,
    hash_key,
    keys_of,
    ring_row,
    valid_keys,
)
from service.auth.keys import Keyring
from service.auth.renewals import given_again, renewed
from service.event_store.integrity.digests import RecordAltered
from service.event_store.store_threads import in_store_thread
from service.read_models.index import Index
from service.read_models.match_projection import IDLE_TABLE


def set_secret(keyring: Keyring, ring: UUID, slot: Slot, secret: str, now: int) -> None:
    """Sets a secret, once: the first counts."""
    new = TableSecretSet(now, slot, hash_key(secret))

    def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
        slots = (event.slot for event in events if isinstance(event, TableSecretSet))
        return () if slot in slots else (new,)

    keyring.append(ring, decide, (ring_row(by_token(ring, new.hash), 1, new),))


def slot_of_secret(keyring: Keyring, ring: UUID, secret: str) -> Slot | None:
    """What a secret is for; None for an unknown one. It is found by itself, so that an unknown one
    costs the same whatever has happened at the table."""
    events = keyring.events(by_token(ring, hash_key(secret)))
    return next((event.slot for event in events if isinstance(event, TableSecretSet)), None)


def recover(
    keyring: Keyring, ring: UUID, slot: Slot, code: str, request: str, now: int
) -> tuple[str, bool] | None:
    """Ends the keys of a seat, and returns the one in their place, and whether this request had
    done so before; None for a seat whose keys the operator has ended."""

    def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
        if given_again(events, ring, slot, code, request) is not None:
            return ()
        valid = [seat_key for seat_key in valid_keys(keys_of(events)) if seat_key.slot == slot]
        revocations = [KeyRevoked(now, seat_key.hash) for seat_key in valid[:-1]]
        return [*revocations, *(renewed(valid[-1], ring, code, request, now) if valid else ())]

    has_appended = keyring.append(ring, decide)
    key = given_again(keyring.events(ring), ring, slot, code, request)
    return None if key is None else (key, not has_appended)


LINK = "link"
"""The slot of the token of a table's link."""

IDLE_REASON = "Nothing has happened at this open table for seven days."

CODE_LETTERS = 24
"""The letters of a recovery code, of five bits each."""


class TableFull(Exception):
    """There are as many open tables as the operator allows."""


class TakenSeat(NamedTuple):
    """A seat of an open table, with its holder's name, key, and recovery code."""

    seat: int
    name: str
    given: GivenKey
    recovery: str


class OpenedTable(NamedTuple):
    """A table with the seat of who opened it, and the token of the link to the others."""

    match: UUID
    first: TakenSeat
    token: str


class NextSeat(NamedTuple):
    """A seat of the table after another one. Who opened it has the token of its link."""

    match: UUID
    taken: TakenSeat
    token: str | None


class OpenTables:
    """The open tables of one store. At most `most` are not over."""

    def __init__(
        self,
        creation: Creation,
        invitations: Invitations,
        keyring: Keyring,
        matches: MatchService,
        index: Index,
        most: int,
    ) -> None:
        self._creation = creation
        self._invitations = invitations
        self._keyring = keyring
        self._matches = matches
        self._index = index
        self.most = most

    async def open(self, new: NewMatch, request: KeyedRequest, key: str) -> OpenedTable:
        """Opens a table; the same request is shown the same for ten minutes.

        Raises TableFull, and as `Creation.match` and `Invitations.accept` do.
        """
        match_id = await self._creation.table(new, request, self._check_room)
        token = _derive(key, f"link {match_id}").hex()
        await self._set(match_id, LINK, token)
        return OpenedTable(match_id, await self._give(match_id, 0, token, key), token)

    async def next_of(self, match_id: UUID) -> UUID | None:
        """The table at which the players of another play on, if one of them has opened it. Raises
        StoreUnavailable."""
        return await self._creation.made_table(_again(match_id))

    async def again(self, match_id: UUID, seat: int, key: str) -> NextSeat:
        """Gives the holder of a seat of a table that is over a seat of the next, and opens it if
        nobody else has: the one after their own, so that seats rotate, or another if somebody has
        taken it by the link. The same request is shown the same for ten minutes.

        Raises Conflict (`no_open_table`, `match_not_over`) and as `open` and `take` do.
        """
        match = await self._match(match_id)
        created = match.created
        if not created.table:
            raise Conflict("no_open_table")
        if not match.over:
            raise Conflict("match_not_over")
        names = tuple(f"Seat {number}" for number in range(1, created.seats + 1))
        new = NewMatch(created.game, names, created.options, clock=created.clock, rulings="single")
        after = await self._creation.table(new, _again(match_id), self._check_room, match_id)
        key = f"again {match_id} {seat} {key}"  # Another seat may have drawn the same.
        token = _derive(key, f"link {after}").hex()
        await self._set(after, LINK, token)
        is_opener = await in_store_thread(slot_of_secret, self._keyring, after, token) == LINK
        wish, name = (seat + 1) % created.seats, holders(match)[seat]
        own = await self._seat(after, name, wish)
        taken_seat = await self._give(after, own, "", key)
        return NextSeat(after, taken_seat, token if is_opener else None)

    async def _check_room(self) -> None:
        if await in_store_thread(self._index.open_tables) >= self.most:
            raise TableFull

    async def take(self, match_id: UUID, token: str, name: str, key: str) -> TakenSeat:
        """Takes the next free seat of a table by the token of its link; the same request is shown
        the same for ten minutes.

        Raises UnknownMatch, UnknownInvitation, Conflict (`table_full`, `name_not_allowed`,
        `invitation_accepted`), RecordAltered and StoreUnavailable.
        """
        if await in_store_thread(slot_of_secret, self._keyring, match_id, token) != LINK:
            raise UnknownInvitation
        return await self._give(match_id, await self._seat(match_id, name), token, key)

    async def _seat(self, match_id: UUID, name: str, wish: int | None = None) -> int:
        """The seat of the one with this name, who takes the one of their `wish` or the next that
        is free, or has it."""
        while True:
            match = await self._match(match_id)
            names, free = holders(match), free_seats(match)
            first = 0 if match.created.again else 1
            had = [
                seat
                for seat in range(first, len(names))
                if seat not in free and names[seat] == name
            ]
            if had:
                return had[0]
            if not free:
                raise Conflict("table_full")
            seat_chosen = wish if wish in free else free[0]
            try:
                await self._matches.execute(match_id, RenameSeat(seat_chosen, name), "public")
            except Conflict as conflict:
                if conflict.code != "seat_taken":
                    raise

    async def _give(self, match_id: UUID, seat: int, token: str, key: str) -> TakenSeat:
        """Gives the holder of a seat their key and recovery code, once."""
        own = _derive(key, f"seat {match_id} {seat} {token}").hex()
        try:
            given_key = await self._invitations.give(match_id, seat, own, key)
        except UnknownInvitation:
            raise Conflict("invitation_accepted") from None
        code = _code(_derive(key, f"recovery {match_id} {seat} {token}"))
        await self._set(match_id, f"s{seat}", _plain(code))
        return TakenSeat(seat, given_key.made.name, given_key, code)

    async def recover(
        self, match_id: UUID, code: str, key: str, keys: MatchKeys
    ) -> tuple[str, bool]:
        """A new key for the holder of a seat, by their recovery code, and whether it had been given
        to the same request before; the old one ends. Raises UnknownMatch and UnknownInvitation."""
        plain = _plain(code)
        slot = await in_store_thread(slot_of_secret, self._keyring, match_id, plain)
        if slot is None or slot == LINK:
            raise UnknownInvitation
        now = self._matches.clock.now()
        new_key = await in_store_thread(recover, self._keyring, match_id, slot, plain, key, now)
        if new_key is None:
            raise UnknownInvitation
        await keys.complete(match_id)
        return new_key

    async def ready(self, match_id: UUID, seat: int) -> tuple[tuple[int, ...], bool]:
        """A seat is ready: the match starts when all are. Returns which are, and whether it was
        before. Raises Conflict (`no_open_table`, `already_started`)."""
        try:
            await self._matches.execute(match_id, BeReady(seat), seat)
        except Conflict as conflict:
            if conflict.code != "already_ready":
                raise
            return (await self._match(match_id)).ready, True
        return (await self._match(match_id)).ready, False

    async def void_idle(self) -> None:
        """Voids the tables at which nothing has happened for too long."""
        now = self._matches.clock.now()
        for match_id in await in_store_thread(self._index.idle_tables, now):
            with suppress(RecordAltered):  # Reported when it was found: the others still end.
                await self._void_if_idle(match_id, now)

    async def _void_if_idle(self, match_id: UUID, now: int) -> None:
        """Voids a table, unless something has happened that not everyone sees."""
        loaded = await self._matches.sessions.current(match_id)
        if loaded.match.over or now < loaded.at + IDLE_TABLE:
            return
        rule = Rule(str(uuid4()), VoidMatch(None), IDLE_REASON, OPERATOR)
        with suppress(Conflict):  # It has just ended by itself.
            await self._matches.execute(match_id, rule, MODERATOR)

    async def _set(self, match_id: UUID, slot: Slot, secret: str) -> None:
        now = self._matches.clock.now()
        await in_store_thread(set_secret, self._keyring, match_id, slot, secret, now)

    async def _match(self, match_id: UUID) -> Match:
        return (await self._matches.sessions.current(match_id)).match


def _again(match_id: UUID) -> KeyedRequest:
    """The request that opens the next table: the same for every seat, so it opens one alone."""
    scope = f"again\0{match_id}".encode()
    return KeyedRequest(sha256(scope).hexdigest(), sha256(b"table\0" + scope).digest())


def _derive(key: str, what: str) -> bytes:
    return hmac.digest(key.encode(), what.encode(), "sha256")


def _code(digest: bytes) -> str:
    """A recovery code that people can write down: groups of four letters and digits."""
    letters = b32encode(digest).decode()[:CODE_LETTERS]
    return "-".join(letters[at : at + 4] for at in range(0, CODE_LETTERS, 4))


def _plain(code: str) -> str:
    """A code as people type it, without what may be between its letters."""
    return "".join(code.split()).replace("-", "").upper()
