"""Keys, which authorise organisers, moderators, seats and players. Only their hashes are stored.

A key has the form `arb_<slot>_<ring>_<secret>`. The slot is `org`, `mod` or `s<seat>`, in a
tournament `p<player>` or `m<moderator>`. The ring is the match or tournament of the key (absent for
organisers). The secret has 256 bits. A ring is a stream of its own in the store's `keys` table.
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
"""A stream of all revocations, so that one query finds the new ones."""

MAX_SLOTS = 50_000
"""Maximum slots in memory; the oldest are dropped."""

CONFIGURED = ""
"""The slot of the organiser's key from the settings, which is in no ring."""

Slot = str


class Grant(Struct, frozen=True):
    """What a key allows: to organise, to moderate `match`, or to play in its `seat`. In a
    `tournament`: to be player or moderator `number`, with the rights of that role in each of its
    matches."""

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
    """A new key, with 256 random bits from the system's generator."""
    return f"{key_prefix(slot, ring)}_{secrets.token_hex(32)}"


def hashed(key: str) -> bytes:
    """The stored hash of a key. A plain SHA-256 is enough for 256 random bits."""
    return sha256(key.encode()).digest()


def parse_key(key: str) -> tuple[Slot, UUID] | None:
    """The slot and ring that a key claims; None if the text does not have the form of a key."""
    parts = key.split("_")
    if len(parts) not in (3, 4) or parts[0] != "arb":
        return None
    if len(parts) == 3:
        return (parts[1], ORGANISERS) if parts[1] == "org" else None
    try:
        ring = UUID(hex=parts[2])
    except ValueError:
        return None
    # Issued keys write the ring in one form only.
    return (parts[1], ring) if ring.hex == parts[2] else None


def key_prefix(slot: Slot, ring: UUID) -> str:
    """The beginning of all keys of a slot."""
    return f"arb_{slot}" if ring == ORGANISERS else f"arb_{slot}_{ring.hex}"


def grant_of(slot: Slot, ring: UUID) -> Grant:
    """What the keys of a slot allow."""
    if ring == ORGANISERS:
        return Grant("organiser")
    if slot == "mod":
        return Grant("moderator", ring)
    kind, number = slot[0], int(slot[1:])
    if kind == "s":
        return Grant("seat", ring, number)
    return Grant("player" if kind == "p" else "tournament_moderator", None, None, ring, number)


def valid_keys(events: Sequence[KeyIssued | KeyRevoked]) -> tuple[KeyIssued, ...]:
    """The keys of a ring that were issued and not revoked."""
    revoked = {event.hash for event in events if isinstance(event, KeyRevoked)}
    return tuple(e for e in events if isinstance(e, KeyIssued) and e.hash not in revoked)


class CachedSlot(Struct):
    """A slot of a ring in memory: its grant, and the hashes of its valid keys."""

    grant: Grant
    hashes: list[bytes]

    def grant_for(self, offered: bytes) -> Grant | None:
        """The grant of a key with this hash; None if it is not valid. Compares with all hashes, so
        that the time says nothing about them."""
        matches = [hmac.compare_digest(offered, valid) for valid in self.hashes]
        return self.grant if any(matches) else None


class KeyFinder(Protocol):
    """Looks up keys in whichever store they lie."""

    def known(self, key: str) -> Grant | None:
        """What the key allows, if that is cached; None does not mean that the key is invalid."""

    async def load(self, key: str) -> Grant | None:
        """What the key allows, read from the store of its ring; None if the key is invalid."""

    async def ring(self, ring: UUID) -> "Keyring":
        """The keyring in the store of a ring."""


class Keyring:
    """The keys in one store. `configured` is the organiser's key from the settings, if any.

    Slots and the hashes of their valid keys are cached; `refresh` reads new revocations.
    `on_revoked` is called with the hashes of keys that are found to be revoked, in any thread.
    """

    def __init__(
        self, recorder: AggregateRecorder, clock: Callable[[], int], configured: str | None = None
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._configured = None if configured is None else hashed(configured)
        self._slots: dict[str, CachedSlot] = {}
        self._revocation_count = 0
        self._lock = threading.Lock()
        self._revocations_read = 0
        self.on_revoked: Callable[[frozenset[bytes]], None] = _nobody_asks

    def issue(self, ring: UUID, slots: Sequence[Slot], name: str = "") -> list[str]:
        """Issues a new key for each of these slots of a ring, in order. Blocks."""
        keys = [new_key(slot, ring) for slot in slots]
        now = self._clock()
        issued = [
            KeyIssued(now, slot, hashed(key), name) for slot, key in zip(slots, keys, strict=True)
        ]
        self._append({ring: issued})
        return keys

    def issue_first(self, ring: UUID, slot: Slot, name: str = "") -> str | None:
        """Issues a key for a slot if its ring has no valid key; otherwise returns None, also when
        another process issues one at the same moment. Blocks."""
        key = new_key(slot, ring)
        issued = KeyIssued(self._clock(), slot, hashed(key), name)
        while True:
            found = self._recorder.select_events(ring)
            if valid_keys(_decoded(found)):
                return None
            # Inserted directly after the events that were read; otherwise they are read again.
            with suppress(IntegrityError):
                self._recorder.insert_events([_stored(ring, len(found) + 1, issued)])
                return key

    def revoke(self, ring: UUID, key_hash: bytes) -> None:
        """Revokes a key: at once on this instance, on others at their next `refresh`. Blocks."""
        revoked = [KeyRevoked(self._clock(), key_hash)]
        self._append({ring: revoked, REVOCATIONS: revoked})
        self._forget(frozenset({key_hash}))

    def refresh(self) -> None:
        """Drops newly revoked keys from the cache, and no others. Blocks."""
        revocations = self._recorder.select_events(REVOCATIONS, gt=self._revocations_read)
        if revocations:
            self._forget(frozenset(event.hash for event in _decoded(revocations)))
            self._revocations_read = revocations[-1].originator_version

    def issued(self, ring: UUID) -> tuple[KeyIssued, ...]:
        """All keys that a ring ever had. Blocks."""
        return tuple(event for event in self._read(ring) if isinstance(event, KeyIssued))

    def listed(self, ring: UUID) -> tuple[KeyIssued, ...]:
        """The valid keys of a ring, by their hashes. Blocks."""
        return valid_keys(self._read(ring))

    def known(self, key: str) -> Grant | None:
        """What the key allows, if that is cached; None does not mean that the key is invalid."""
        offered = hashed(key)
        if self._configured is not None and hmac.compare_digest(offered, self._configured):
            return Grant("organiser")
        slot = self._slots.get(key.rpartition("_")[0])
        return None if slot is None else slot.grant_for(offered)

    def load(self, key: str) -> Grant | None:
        """What the key allows, read from the store; None if it is invalid. Blocks."""
        parsed = parse_key(key)
        loaded = None if parsed is None else self._load_slot(*parsed)
        return None if loaded is None else loaded.grant_for(hashed(key))

    def slot_of(self, key: str) -> tuple[Slot, UUID]:
        """The slot and ring of a valid key."""
        if self._configured is not None and hmac.compare_digest(hashed(key), self._configured):
            return CONFIGURED, ORGANISERS
        found = parse_key(key)
        assert found is not None, "every valid key can be parsed"
        return found

    def hashes(self, slot: Slot, ring: UUID) -> list[bytes] | None:
        """The hashes of a slot's valid keys, if the slot is cached; else None."""
        if slot == CONFIGURED:
            return [] if self._configured is None else [self._configured]
        known = self._slots.get(key_prefix(slot, ring))
        return None if known is None else known.hashes

    def load_hashes(self, slot: Slot, ring: UUID) -> list[bytes]:
        """The hashes of a slot's valid keys, read from the store. Blocks."""
        loaded = self._load_slot(slot, ring)
        return [] if loaded is None else loaded.hashes

    def _load_slot(self, slot: Slot, ring: UUID) -> CachedSlot | None:
        revocation_count = self._revocation_count
        hashes = [valid.hash for valid in self.listed(ring) if valid.slot == slot]
        if not hashes:
            return None
        loaded = CachedSlot(grant_of(slot, ring), hashes)
        with self._lock:
            # Keys that were read before a revocation must not enter the cache after it.
            if revocation_count == self._revocation_count:
                while len(self._slots) >= MAX_SLOTS:
                    self._slots.pop(next(iter(self._slots)))
                self._slots[key_prefix(slot, ring)] = loaded
        return loaded

    def _read(self, ring: UUID) -> list[KeyIssued | KeyRevoked]:
        return _decoded(self._recorder.select_events(ring))

    def _forget(self, revoked: frozenset[bytes]) -> None:
        with self._lock:
            for name, slot in list(self._slots.items()):
                if revoked.isdisjoint(slot.hashes):
                    continue
                valid_hashes = [valid for valid in slot.hashes if valid not in revoked]
                if valid_hashes:
                    self._slots[name] = CachedSlot(slot.grant, valid_hashes)
                else:
                    del self._slots[name]
            self._revocation_count += 1
        self.on_revoked(revoked)

    def _append(self, rings: Mapping[UUID, Sequence[KeyIssued | KeyRevoked]]) -> None:
        """Appends events to several rings in one transaction."""
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


def _nobody_asks(revoked: frozenset[bytes]) -> None:
    """No reader depends on a key."""


def _decoded(found: Sequence[StoredEvent]) -> list[KeyIssued | KeyRevoked]:
    # The same table has idempotent requests.
    return [_decoder.decode(stored.state) for stored in found if stored.topic in _TOPICS]


def _stored(ring: UUID, version: int, event: KeyIssued | KeyRevoked) -> StoredEvent:
    return StoredEvent(ring, version, str(event.__struct_config__.tag), _encoder.encode(event))
