"""The key by which somebody asked for notices."""

from uuid import UUID

from msgspec import Struct


class Registrant(Struct, frozen=True):
    """A key, as it is stored with what it registered; when it ends, so does that."""

    slot: str
    ring: UUID
    key_hash: bytes
