"""Rows of the lists with a digest: one that is not as it was written is found when it is read. The
log has digests of its own; `arbiter rebuild` makes the lists anew from it."""

from collections.abc import Callable
from hashlib import blake2b
from typing import TypeVar

import msgspec

from service.event_store.integrity.digests import RowAltered

T = TypeVar("T")

SIZE = 8
"""Bytes of the digest before the content: against damage, not against someone who can write."""


_encode = msgspec.json.Encoder().encode


def sealed(content: object) -> bytes:
    """A row with this content: bytes, or what is encoded as JSON."""
    encoded = content if isinstance(content, bytes) else _encode(content)
    return _digest(encoded) + encoded


def content_of(row: bytes) -> bytes:
    """The content of a row. Raises RowAltered."""
    content = row[SIZE:]
    if _digest(content) != row[:SIZE]:
        raise RowAltered("a row of the lists is damaged: run `arbiter rebuild`")
    return content


def decoder_of(kind: type[T]) -> Callable[[bytes], T]:
    """Decodes rows with content of this type; the decoder raises RowAltered."""
    decode = msgspec.json.Decoder(kind).decode
    return lambda row: decode(content_of(row))


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=SIZE).digest()
