"""The form of a key: `arb_<slot>_<ring>_<secret>`.

The slot is `org`, `mod` or `s<seat>`, in a tournament `o<organiser>`, `p<player>` or
`m<moderator>`. The ring is
the match or tournament of the key (absent for organisers). The secret has 256 bits.
"""

import hmac
import secrets
from hashlib import sha256
from uuid import UUID

from msgspec import Struct

from domain.match.deadlines import SECOND
from service.auth.key_events import Slot
from service.event_store.stream_ids import MATCH, TOURNAMENT

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
        """Whose key it is: the seat, player, moderator or organiser."""
        return f"{self.ring} {self.slot}"


def new_key(slot: Slot, ring: UUID) -> str:
    """A new key, with 256 random bits from the system's generator."""
    return f"{key_prefix(slot, ring)}_{secrets.token_hex(32)}"


def derived_key(slot: Slot, ring: UUID, salt: bytes, secret: str, request: str) -> str:
    """The key for the person who has a secret and sends this idempotency key with it."""
    both = f"{secret}\0{request}".encode()
    return f"{key_prefix(slot, ring)}_{hmac.digest(salt, both, 'sha256').hex()}"


def is_repeated(request: bytes, at: int, sent: str, now: int) -> bool:
    """Whether an idempotency key is that of the request, with this hash and of this time, that got
    a derived key, and comes in time to be given it again."""
    return hmac.compare_digest(request, hashed(sent)) and now < at + REPEAT_SECONDS * SECOND


def is_of_match(slot: Slot) -> bool:
    """Whether keys of this slot are for one match, whose record says what becomes of them."""
    return slot == "mod" or slot[0] == "s"


def hashed(key: str) -> bytes:
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
    known = ring.hex == parts[2] and ring.version in (MATCH, TOURNAMENT)
    return (parts[1], ring) if known else None


def key_prefix(slot: Slot, ring: UUID) -> str:
    """The beginning of all keys of a slot."""
    return f"arb_{slot}" if ring == ORGANISERS else f"arb_{slot}_{ring.hex}"
