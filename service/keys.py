"""Keys: who may act for whom. Only their hashes are stored.

A key reads `arb_<slot>_<ring>_<secret>`: the slot is `org`, `mod` or `s<seat>`, the ring is the
match it belongs to (absent for organisers), the secret 256 bits. A ring is a stream of its own in
the store's `keys` table.
"""

import hmac
import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

ORGANISERS = UUID("6172622d-6f72-8a67-8000-000000000000")
"""The ring of the organisers' keys."""

FRESH = 2_000_000
"""How long, in microseconds, a ring once read is trusted: so soon a revoked key stops working."""

MOST_RINGS = 10_000

Slot = str


class Grant(Struct, frozen=True):
    """What a key allows: to organise, to moderate `match`, or to sit in its `seat`."""

    role: Literal["organiser", "moderator", "seat"]
    match: UUID | None = None
    seat: int | None = None


class KeyIssued(Struct, frozen=True, tag="key.issued.1"):
    at: int
    slot: Slot
    hash: bytes
    name: str = ""


class KeyRevoked(Struct, frozen=True, tag="key.revoked.1"):
    at: int
    hash: bytes


_decoder = msgspec.msgpack.Decoder(KeyIssued | KeyRevoked)
_encoder = msgspec.msgpack.Encoder()


def new_key(slot: Slot, ring: UUID) -> str:
    """A key nobody can guess: 256 bits from the system's generator."""
    subject = "" if ring == ORGANISERS else f"{ring.hex}_"
    return f"arb_{slot}_{subject}{secrets.token_hex(32)}"


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
        return parts[1], UUID(hex=parts[2])
    except ValueError:
        return None


def granted(slot: Slot, ring: UUID) -> Grant:
    """What a slot of a ring stands for."""
    if ring == ORGANISERS:
        return Grant("organiser")
    return Grant("moderator", ring) if slot == "mod" else Grant("seat", ring, int(slot[1:]))


def valid_keys(events: Sequence[KeyIssued | KeyRevoked]) -> tuple[KeyIssued, ...]:
    """The keys of a ring that have been issued and not revoked."""
    revoked = {event.hash for event in events if isinstance(event, KeyRevoked)}
    return tuple(e for e in events if isinstance(e, KeyIssued) and e.hash not in revoked)


class Keyring:
    """The keys in the store. `chosen` is an organiser's key set by the operator, if any."""

    def __init__(
        self, recorder: AggregateRecorder, clock: Callable[[], int], chosen: str | None = None
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._chosen = None if chosen is None else hashed(chosen)
        self._rings: dict[UUID, tuple[int, tuple[KeyIssued, ...]]] = {}

    def issue(self, ring: UUID, slots: Sequence[Slot], name: str = "") -> list[str]:
        """New keys for these slots of a ring, in order. Blocks."""
        keys = [new_key(slot, ring) for slot in slots]
        now = self._clock()
        issued = [
            KeyIssued(now, slot, hashed(key), name) for slot, key in zip(slots, keys, strict=True)
        ]
        self._append(ring, issued)
        return keys

    def revoke(self, ring: UUID, key_hash: bytes) -> None:
        """Makes a key worthless, within two seconds everywhere. Blocks."""
        self._append(ring, [KeyRevoked(self._clock(), key_hash)])

    def issued(self, ring: UUID) -> tuple[KeyIssued, ...]:
        """Every key a ring ever had. Blocks."""
        return tuple(event for event in self._read(ring) if isinstance(event, KeyIssued))

    def listed(self, ring: UUID) -> tuple[KeyIssued, ...]:
        """The valid keys of a ring, as far as they are known: their hashes. Blocks."""
        return valid_keys(self._read(ring))

    def known(self, key: str) -> Grant | None:
        """What the key allows, if its ring has been read lately; raises LookupError if not."""
        offered = hashed(key)
        if self._chosen is not None and hmac.compare_digest(offered, self._chosen):
            return Grant("organiser")
        place = placed(key)
        if place is None:
            return None
        slot, ring = place
        read_at, valid = self._rings[ring]
        if self._clock() - read_at > FRESH:
            raise LookupError(ring)
        found = [hmac.compare_digest(offered, k.hash) for k in valid if k.slot == slot]
        return granted(slot, ring) if any(found) else None

    def learn(self, key: str) -> Grant | None:
        """What the key allows, read from the store. Blocks."""
        place = placed(key)
        if place is None:
            return None
        while len(self._rings) >= MOST_RINGS:
            self._rings.pop(next(iter(self._rings)))
        self._rings[place[1]] = (self._clock(), self.listed(place[1]))
        return self.known(key)

    def _read(self, ring: UUID) -> list[KeyIssued | KeyRevoked]:
        return [_decoder.decode(stored.state) for stored in self._recorder.select_events(ring)]

    def _append(self, ring: UUID, events: Sequence[KeyIssued | KeyRevoked]) -> None:
        while True:
            version = len(self._recorder.select_events(ring))
            stored = [
                StoredEvent(ring, version + n, str(e.__struct_config__.tag), _encoder.encode(e))
                for n, e in enumerate(events, 1)
            ]
            try:
                self._recorder.insert_events(stored)
            except IntegrityError:
                continue
            self._rings.pop(ring, None)
            return
