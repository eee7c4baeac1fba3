"""The `Idempotency-Key` of a request, and the fingerprint of what is sent under it."""

from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.commands import REUSED_KEY
from domain.tournament_state import Request
from service.http.operation import IDEMPOTENT, Header
from service.http.problems import AnyRequest, Failed
from service.http.request_body import Body, header, misshapen
from service.http.usual_mistakes import IDEMPOTENCY_KEY_PATTERN

T = TypeVar("T")

MAX_KEY_LENGTH = 255

IDEMPOTENCY_KEY = Header(
    IDEMPOTENT,
    "1 to 255 visible ASCII characters; the same key and request again changes nothing more, and "
    "does not show a key again",
    IDEMPOTENCY_KEY_PATTERN,
    errors=("bad_idempotency_key", REUSED_KEY),
)

_encoder = msgspec.json.Encoder(order="deterministic")


def idempotency_key(request: AnyRequest) -> str | None:
    """The request's idempotency key, if it has one. Raises Failed for a malformed key."""
    key = header(request, b"idempotency-key")
    # Not by a regular expression, whose `$` lets a final line break through.
    if key is not None and not (
        0 < len(key) <= MAX_KEY_LENGTH and all("!" <= each <= "~" for each in key)
    ):
        raise Failed("bad_idempotency_key")
    return key


def request_of(key: str | None, body: object) -> Request | None:
    """The request under this key; None without a key.

    The fingerprint is of the decoded body: neither the order of fields nor whether a default is
    written out makes a difference. The key is in it, which is stored nowhere: from the fingerprint
    of a registered address, which every copy of a store has, nobody finds the address by trying.
    """
    if key is None:
        return None
    try:
        canonical = _encoder.encode([type(body).__name__, body])
    except RecursionError:
        raise misshapen("nested too deeply") from None
    return Request(key, sha256(key.encode() + b"\0" + canonical).digest())


class _Once(Struct, frozen=True):
    """What an idempotency key stands for that is its sender's for all matches."""

    match: str
    new: Any


async def read_once(
    request: AnyRequest, body: Body[T], match_id: UUID | None = None
) -> tuple[T, Request | None]:
    """The body of a request, perhaps for this match, and that request under its idempotency key, if
    it has one. Raises Failed."""
    key = idempotency_key(request)
    read = await body.read(request)
    return read, request_of(key, read if match_id is None else _Once(str(match_id), read))
