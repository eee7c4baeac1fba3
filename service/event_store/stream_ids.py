"""The ids of streams. Each kind has a form of its own, by its UUID version (RFC 9562): an id in an
address or a key is looked up only among things of the kind that belongs there.
"""

import hmac
import secrets
from hashlib import sha256
from uuid import UUID

MATCH, TOURNAMENT, INTERNAL = 7, 8, 15
"""The versions of the ids of matches and of tournaments, and of streams that no address names: no
UUID outside this service has the last one."""

NOWHERE = UUID(int=0)
"""A stream without rows."""

_VERSION = 0xF << 76
_VARIANT = 0b11 << 62


def time_ordered(milliseconds: int, kind: int = MATCH) -> UUID:
    """A new id of a match or tournament, ordered by time as in UUIDs of version 7: 48 bits of time,
    74 from the system's generator."""
    return make_id(milliseconds << 80 | secrets.randbits(80), kind)


def milliseconds_of(id_: UUID) -> int:
    """The time in an id that `time_ordered` has made."""
    return id_.int >> 80


def make_id(value: int, kind: int) -> UUID:
    """The id of this kind with these bits, but for the six that say the kind."""
    return UUID(int=value & ~(_VERSION | _VARIANT) | kind << 76 | 0b10 << 62)


def among(kind: int, stream: UUID) -> UUID:
    """The stream to read for an id that should be of this kind. An id of another kind has the work
    of an unknown one, whatever is stored under it."""
    return stream if stream.version == kind else NOWHERE


def hidden_id(secret: bytes, name: str) -> UUID:
    """The id of a stream that not everyone may know of, which no one can compute without the
    secret of its match."""
    mac = hmac.digest(secret, b"arbiter-stream/1\n" + name.encode(), "sha256")
    return make_id(int.from_bytes(mac[:16]), INTERNAL)


def stream_of(scope: str, key: str) -> UUID:
    """The stream of a request in the store's `keys` table, which it shares with the keyrings.

    Its id is of the first 128 bits of the SHA-256 of scope, a zero byte and key, with the last bit
    set: the streams that a store has once have it clear.
    """
    drawn = int.from_bytes(sha256(f"{scope}\0{key}".encode()).digest()[:16])
    return make_id(drawn | 1, INTERNAL)
