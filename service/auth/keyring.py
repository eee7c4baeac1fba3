"""Keys: their form, and what happens to those of a ring and to the invitations to its seats. The
tags of events are the storage format.

A key is `arb_<slot>_<ring>_<secret>`. The slot is `org`, `mod` or `s<seat>`, in a tournament
`o<organiser>`, `p<player>` or `m<moderator>`. The ring is the match or tournament of the key
(absent for organisers). The secret has 256 bits.

A key's id is random. It says nothing about the key, so it may stand on a match's record. The token
of an invitation is not stored, only its hash.
"""

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, get_args
from uuid import UUID

import msgspec
from eventsourcing.persistence import StoredEvent
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import astuple

from domain.match.deadlines import SECOND
from domain.people import OPERATOR as OPERATOR
from domain.people import Actor, KeyOrigin
from service.event_store.integrity.digests import RowAltered
from service.event_store.stream_ids import MATCH, TOURNAMENT, stream_of

Slot = str


class KeyIssued(Struct, frozen=True, tag="key.issued.1"):
    """A key was issued for a slot. `name` is the person's, empty for a key without a name. `by` is
    who issued it to a match that existed already, or renewed it: that belongs on the match's
    record. `tenure` is the number of the seat's holder for whom it is
    (`domain.match.seat_holders`). `origin` is who issued it, or first issued the key with the id
    `renews`, in whose place it is.
    """

    at: int
    slot: Slot
    hash: bytes
    id: str
    name: str = ""
    by: Actor | UnsetType = UNSET
    tenure: int = 0
    origin: KeyOrigin = KeyOrigin(OPERATOR.by, OPERATOR.key_id)
    renews: str | UnsetType = UNSET


class WantedKey(NamedTuple):
    """A key to a match that exists, to be issued by someone to a person, for a seat its holder
    with the number `tenure`."""

    slot: Slot
    name: str
    id: str
    by: Actor
    tenure: int = 0


class Renewal(Struct, frozen=True):
    """A holder got a new key in place of theirs: by a request with an idempotency key that has the
    hash `request`, and with a salt that no one is shown."""

    request: bytes
    salt: bytes


class KeyRevoked(Struct, frozen=True, tag="key.revoked.1"):
    """A key was revoked, by its `renewal` or without one. `by` is who ended a key of a match: that
    belongs on its record."""

    at: int
    hash: bytes
    by: Actor | UnsetType = UNSET
    renewal: Renewal | UnsetType = UNSET


class ConfiguredKeyIdentified(Struct, frozen=True, tag="key.configured.1"):
    """The id of an organiser's key from the settings, of which only a MAC under that id is stored;
    its first one counts."""

    id: str
    mac: bytes


class InvitationMade(Struct, frozen=True, tag="invitation.made.1"):
    """`by` has made an invitation: until `expires` the token with this hash can be exchanged for a
    key to the seat. It is for `name` alone, its holder with the number `tenure`
    (`domain.match.seat_holders`). In a tournament it is for a `player`, and no seat."""

    at: int
    id: str
    hash: bytes
    seat: int
    name: str
    tenure: int
    by: Actor
    expires: int
    player: int | UnsetType = UNSET


class InvitationAccepted(Struct, frozen=True, tag="invitation.accepted.1"):
    """Someone has accepted an invitation, with an idempotency key that has the hash `request`, and
    got the key with the id `key_id`, which follows from the token, that key and `salt`."""

    at: int
    id: str
    request: bytes
    salt: bytes
    key_id: str


class InvitationRevoked(Struct, frozen=True, tag="invitation.revoked.1"):
    """An invitation was taken back."""

    at: int
    id: str
    by: Actor


class TableSecretSet(Struct, frozen=True, tag="table.secret-set.1"):
    """What opens an open table, by its hash: for the slot `link` the token of its link, for that of
    a seat the code with which its holder gets the seat's key anew."""

    at: int
    slot: Slot
    hash: bytes


InvitationEvent = InvitationMade | InvitationAccepted | InvitationRevoked
RingEvent = KeyIssued | KeyRevoked | TableSecretSet | InvitationEvent
Recorded = RingEvent | ConfiguredKeyIdentified

_TOPICS = [str(kind.__struct_config__.tag) for kind in get_args(Recorded)]
_decoder = msgspec.msgpack.Decoder(Recorded)
_encoder = msgspec.msgpack.Encoder()


def new_id() -> str:
    """A new id of a key: 16 random hexadecimal digits."""
    return secrets.token_hex(8)


def new_choice() -> UUID:
    """A new id of a key or an invitation, as it is recorded with a request for one."""
    return UUID(int=int(new_id(), 16))


def id_of(id_: UUID) -> str:
    """The id that was chosen so."""
    return f"{id_.int:016x}"


class KeysChanged(Struct, frozen=True, tag="key.changed.1"):
    """Keys of the match `ring` were issued or ended by someone: its record has to say so. In a
    stream of its own, of all matches."""

    at: int
    ring: bytes


_changed_decoder = msgspec.msgpack.Decoder(KeysChanged)


def decode_rows(rows: Sequence[StoredEvent]) -> list[Recorded]:
    """The events of a ring. Raises RowAltered."""
    try:
        # The same table has idempotent requests.
        return [_decoder.decode(row.state) for row in rows if row.topic in _TOPICS]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RowAltered(f"a row of the table of keys cannot be read: {error}") from None


def ring_row(stream: UUID, version: int, event: Struct) -> StoredEvent:
    """The event as it is stored, at this version of a stream."""
    return StoredEvent(stream, version, str(event.__struct_config__.tag), _encoder.encode(event))


def changed_rings(rows: Sequence[StoredEvent]) -> list[UUID]:
    """The rings that changed, each once, in order."""
    changes = (_changed_decoder.decode(row.state) for row in rows)
    return list(dict.fromkeys(UUID(bytes=change.ring) for change in changes))


def by_token(ring: UUID, token_hash: bytes) -> UUID:
    """The stream by which an invitation is found: its making alone, once more."""
    return stream_of("invitation by token", f"{ring.hex} {token_hash.hex()}")


class RingKey(KeyIssued, frozen=True):
    """A key of a ring, and whether it has ended; `ended_by` is who ended it, as far as that belongs
    on a match's record."""

    ended: bool = False
    ended_by: Actor | None = None


def keys_of(events: Sequence[Recorded]) -> tuple[RingKey, ...]:
    """All keys that the ring ever had, in the order in which they were issued."""
    ended: dict[bytes, Actor | None] = {}
    for event in events:
        if isinstance(event, KeyRevoked):
            ended.setdefault(event.hash, event.by or None)
    issued = [event for event in events if isinstance(event, KeyIssued)]
    return tuple(
        RingKey(*(*astuple(key), key.hash in ended, ended.get(key.hash))) for key in issued
    )


def valid_keys(keys: Sequence[RingKey]) -> tuple[RingKey, ...]:
    """Those that were not revoked."""
    return tuple(key for key in keys if not key.ended)


ORGANISERS = UUID("6172622d-6f72-fa67-8000-000000000000")
"""The ring of the organisers' keys."""

REPEAT_SECONDS = 600
"""For how long a derived key is given again to the person who got it."""

SALT_BYTES = 32

CONFIGURED = ""
"""The slot of the organiser's key from the settings, which is in no ring."""


class KeyReference(Struct, frozen=True):
    """A key, as it is stored with what came of it: a webhook, a calendar, a ticket. When it ends,
    so do they."""

    slot: Slot
    ring: UUID
    key_hash: bytes

    @property
    def owner(self) -> str:
        """Whose key it is: the seat, player or moderator; of organisers each key is one's own."""
        own = f" {self.key_hash.hex()}" if self.ring == ORGANISERS else ""
        return f"{self.ring} {self.slot}{own}"


def new_key(slot: Slot, ring: UUID) -> str:
    """A new key, with 256 random bits from the system's generator."""
    return f"{key_prefix(slot, ring)}_{secrets.token_hex(32)}"


def derived_key(slot: Slot, ring: UUID, salt: bytes, secret: str, request: str) -> str:
    """The key for the person who has a secret and sends this idempotency key with it."""
    both = f"{secret}\0{request}".encode()
    return f"{key_prefix(slot, ring)}_{hmac.digest(salt, both, 'sha256').hex()}"


def is_repeated(request: bytes, at: int, key: str, now: int) -> bool:
    """Whether an idempotency key is that of the request, with this hash and of this time, that got
    a derived key, and comes in time to be given it again."""
    return hmac.compare_digest(request, hash_key(key)) and now < at + REPEAT_SECONDS * SECOND


def is_of_match(slot: Slot) -> bool:
    """Whether keys of this slot are for one match, whose record says what becomes of them."""
    return slot == "mod" or slot[0] == "s"


def hash_key(key: str) -> bytes:
    """The stored hash of a key, a token or an idempotency key. A plain SHA-256 is enough for 256
    random bits."""
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
    is_canonical = ring.hex == parts[2] and ring.version in (MATCH, TOURNAMENT)
    return (parts[1], ring) if is_canonical else None


def key_prefix(slot: Slot, ring: UUID) -> str:
    """The beginning of all keys of a slot."""
    return f"arb_{slot}" if ring == ORGANISERS else f"arb_{slot}_{ring.hex}"
