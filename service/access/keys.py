"""Keys: who may act for whom. Only their hashes are stored.

A key reads `arb_<slot>_<ring>_<secret>`: the slot is `org`, `mod` or `s<seat>`, in a tournament
`p<player>` or `m<moderator>`; the ring is the match or the tournament it belongs to (absent for
organisers), the secret 256 bits. A ring is a stream of its own in the store's `keys` table.
"""

import hmac
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Literal, Protocol
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

ORGANISERS = UUID("6172622d-6f72-8a67-8000-000000000000")
"""The ring of the organisers' keys."""

REVOCATIONS = UUID("6172622d-7265-8676-8000-000000000000")
"""A stream of all revocations, so that one look tells whether there is a new one."""

MOST_SLOTS = 50_000

CHOSEN = ""
"""The slot of the organiser's key that the operator has set, which is in no ring."""

Slot = str


class Grant(Struct, frozen=True):
    """What a key allows: to organise, to moderate `match`, or to sit in its `seat`; or to be the
    player or the moderator `number` of `tournament`, whatever that gives in each of its matches."""

    role: Literal["organiser", "moderator", "seat", "player", "tournament_moderator"]
    match: UUID | None = None
    seat: int | None = None
    tournament: UUID | None = None
    number: int = 0


class KeyIssued(Struct, frozen=True, tag="key.issued.1"):
    at: int
    slot: Slot
    hash: bytes
    name: str = ""


class KeyRevoked(Struct, frozen=True, tag="key.revoked.1"):
    at: int
    hash: bytes


_TOPICS = [str(kind.__struct_config__.tag) for kind in (KeyIssued, KeyRevoked)]
_decoder = msgspec.msgpack.Decoder(KeyIssued | KeyRevoked)
_encoder = msgspec.msgpack.Encoder()


def new_key(slot: Slot, ring: UUID) -> str:
    """A key nobody can guess: 256 bits from the system's generator."""
    return f"{label(slot, ring)}_{secrets.token_hex(32)}"


def hashed(key: str) -> bytes:
    """What is stored of a key. A plain hash is enough for 256 random bits."""
    return sha256(key.encode()).digest()


def placed(key: str) -> tuple[Slot, UUID] | None:
    """The slot and ring a key claims to be of, or None if it does not look like one."""
    parts = key.split("_")
    if len(parts) not in (3, 4) or parts[0] != "arb":
        return None
    if len(parts) == 3:
        return (parts[1], ORGANISERS) if parts[1] == "org" else None
    try:
        ring = UUID(hex=parts[2])
    except ValueError:
        return None
    # A ring's name spelt otherwise is in no key that was ever issued.
    return (parts[1], ring) if ring.hex == parts[2] else None


def label(slot: Slot, ring: UUID) -> str:
    """What the keys of a slot begin with."""
    return f"arb_{slot}" if ring == ORGANISERS else f"arb_{slot}_{ring.hex}"


def granted(slot: Slot, ring: UUID) -> Grant:
    """What a slot of a ring stands for."""
    if ring == ORGANISERS:
        return Grant("organiser")
    if slot == "mod":
        return Grant("moderator", ring)
    kind, number = slot[0], int(slot[1:])
    if kind == "s":
        return Grant("seat", ring, number)
    return Grant("player" if kind == "p" else "tournament_moderator", None, None, ring, number)


def valid_keys(events: Sequence[KeyIssued | KeyRevoked]) -> tuple[KeyIssued, ...]:
    """The keys of a ring that have been issued and not revoked."""
    revoked = {event.hash for event in events if isinstance(event, KeyRevoked)}
    return tuple(e for e in events if isinstance(e, KeyIssued) and e.hash not in revoked)


class Slots(Struct):
    """One slot of a ring in memory: what it grants, and the hashes of its valid keys."""

    grant: Grant
    hashes: list[bytes]

    def fits(self, offered: bytes) -> Grant | None:
        """What a key with this hash is granted."""
        fits = [hmac.compare_digest(offered, valid) for valid in self.hashes]
        return self.grant if any(fits) else None


class KeyFinder(Protocol):
    """Where keys are looked up, whichever store they lie in."""

    def known(self, key: str) -> Grant | None:
        """What the key allows, as far as is remembered; None does not mean that it is worthless."""

    async def learn(self, key: str) -> Grant | None:
        """What the key allows, read from the store that has its ring."""

    async def ring(self, ring: UUID) -> "Keyring":
        """The keyring that has a ring."""


class Keyring:
    """The keys in the store. `chosen` is an organiser's key set by the operator, if any.

    Slots are remembered, and of each the keys that are not revoked: `refresh` reads the revocations
    that have come.
    """

    def __init__(
        self, recorder: AggregateRecorder, clock: Callable[[], int], chosen: str | None = None
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._chosen = None if chosen is None else hashed(chosen)
        self._slots: dict[str, Slots] = {}
        self._forgotten = 0
        self._lock = threading.Lock()
        self._heard = 0

    def issue(self, ring: UUID, slots: Sequence[Slot], name: str = "") -> list[str]:
        """New keys for these slots of a ring, in order. Blocks."""
        keys = [new_key(slot, ring) for slot in slots]
        now = self._clock()
        issued = [
            KeyIssued(now, slot, hashed(key), name) for slot, key in zip(slots, keys, strict=True)
        ]
        self._append({ring: issued})
        return keys

    def issue_first(self, ring: UUID, slot: Slot, name: str = "") -> str | None:
        """A new key for a slot of a ring that has no valid one; None if it has, though somebody has
        only just issued that. Blocks."""
        key = new_key(slot, ring)
        issued = KeyIssued(self._clock(), slot, hashed(key), name)
        while True:
            found = self._recorder.select_events(ring)
            if valid_keys(_decoded(found)):
                return None
            # Behind what has been looked at, or not at all.
            with suppress(IntegrityError):
                self._recorder.insert_events([_stored(ring, len(found) + 1, issued)])
                return key

    def revoke(self, ring: UUID, key_hash: bytes) -> None:
        """Makes a key worthless: here at once, elsewhere at the next `refresh`. Blocks."""
        revoked = [KeyRevoked(self._clock(), key_hash)]
        self._append({ring: revoked, REVOCATIONS: revoked})
        self._forget({key_hash})

    def refresh(self) -> None:
        """Forgets the keys that have been revoked since, and no others. Blocks."""
        news = self._recorder.select_events(REVOCATIONS, gt=self._heard)
        if news:
            self._forget({event.hash for event in _decoded(news)})
            self._heard = news[-1].originator_version

    def issued(self, ring: UUID) -> tuple[KeyIssued, ...]:
        """Every key a ring ever had. Blocks."""
        return tuple(event for event in self._read(ring) if isinstance(event, KeyIssued))

    def listed(self, ring: UUID) -> tuple[KeyIssued, ...]:
        """The valid keys of a ring, as far as they are known: their hashes. Blocks."""
        return valid_keys(self._read(ring))

    def known(self, key: str) -> Grant | None:
        """What the key allows, as far as is remembered; None does not mean that it is worthless."""
        offered = hashed(key)
        if self._chosen is not None and hmac.compare_digest(offered, self._chosen):
            return Grant("organiser")
        slot = self._slots.get(key.rpartition("_")[0])
        return None if slot is None else slot.fits(offered)

    def learn(self, key: str) -> Grant | None:
        """What the key allows, read from the store. Blocks."""
        place = placed(key)
        learnt = None if place is None else self._learn(key.rpartition("_")[0], *place)
        return None if learnt is None else learnt.fits(hashed(key))

    def place(self, key: str) -> tuple[Slot, UUID]:
        """The slot and ring of a valid key."""
        if self._chosen is not None and hmac.compare_digest(hashed(key), self._chosen):
            return CHOSEN, ORGANISERS
        found = placed(key)
        assert found is not None, "a valid key says where it belongs"
        return found

    def hashes(self, slot: Slot, ring: UUID) -> list[bytes] | None:
        """Those of a slot's valid keys, as far as is remembered; None if it is not."""
        if slot == CHOSEN:
            return [] if self._chosen is None else [self._chosen]
        known = self._slots.get(label(slot, ring))
        return None if known is None else known.hashes

    def learn_hashes(self, slot: Slot, ring: UUID) -> list[bytes]:
        """Those of a slot's valid keys, read from the store. Blocks."""
        learnt = self._learn(label(slot, ring), slot, ring)
        return [] if learnt is None else learnt.hashes

    def _learn(self, name: str, slot: Slot, ring: UUID) -> Slots | None:
        forgotten = self._forgotten
        hashes = [valid.hash for valid in self.listed(ring) if valid.slot == slot]
        if not hashes:
            return None
        learnt = Slots(granted(slot, ring), hashes)
        with self._lock:
            # What was read before a revocation was heard of is not to be remembered after it.
            if forgotten == self._forgotten:
                while len(self._slots) >= MOST_SLOTS:
                    self._slots.pop(next(iter(self._slots)))
                self._slots[name] = learnt
        return learnt

    def _read(self, ring: UUID) -> list[KeyIssued | KeyRevoked]:
        return _decoded(self._recorder.select_events(ring))

    def _forget(self, revoked: set[bytes]) -> None:
        with self._lock:
            for name, slot in list(self._slots.items()):
                if revoked.isdisjoint(slot.hashes):
                    continue
                left = [valid for valid in slot.hashes if valid not in revoked]
                if left:
                    self._slots[name] = Slots(slot.grant, left)
                else:
                    del self._slots[name]
            self._forgotten += 1

    def _append(self, rings: Mapping[UUID, Sequence[KeyIssued | KeyRevoked]]) -> None:
        """Adds to several rings in one transaction."""
        while True:
            stored = [
                _stored(ring, version, event)
                for ring, events in rings.items()
                for version, event in enumerate(events, len(self._recorder.select_events(ring)) + 1)
            ]
            try:
                self._recorder.insert_events(stored)
            except IntegrityError:
                continue
            return


def _decoded(found: Sequence[StoredEvent]) -> list[KeyIssued | KeyRevoked]:
    # Requests lie in the same table.
    return [_decoder.decode(stored.state) for stored in found if stored.topic in _TOPICS]


def _stored(ring: UUID, version: int, event: KeyIssued | KeyRevoked) -> StoredEvent:
    return StoredEvent(ring, version, str(event.__struct_config__.tag), _encoder.encode(event))
