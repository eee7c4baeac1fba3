"""What organisers ask for, once: the idempotency key of a request, and what is sent under it."""

from hashlib import sha256

import msgspec

from domain.tournament_state import Request
from service.http.problems import AnyRequest, Failed
from service.http.reading import header

_encoder = msgspec.json.Encoder(order="deterministic")


def idempotency_key(request: AnyRequest) -> str | None:
    """The request's idempotency key, if it has one. Raises Failed unless it is short and plain."""
    key = header(request, b"idempotency-key")
    if key is not None:
        check_key(key)
    return key


def check_key(key: str) -> None:
    """Raises Failed unless the idempotency key is short and plain."""
    if not 0 < len(key) <= 255 or not all("!" <= character <= "~" for character in key):
        raise Failed("bad_idempotency_key")


def requested(key: str | None, body: object) -> Request | None:
    """The request that has this key. Its fingerprint is that of the body as it was understood: the
    order of its fields, and whether one has its default or is left out, make no difference."""
    if key is None:
        return None
    try:
        canonical = _encoder.encode([type(body).__name__, body])
    except RecursionError:
        raise Failed("wrong_shape", "nested too deeply") from None
    return Request(key, sha256(canonical).digest())
