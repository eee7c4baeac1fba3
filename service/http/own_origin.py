"""Whether a request comes from a page of the service itself (RFC 6454, section 7)."""

from collections.abc import Iterable

from service.http.request_body import value_of


def is_own_origin(origin: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the origin is the host that was asked. Encrypted or not is not compared: a proxy may
    have taken the encryption off."""
    host = value_of(headers, b"host")
    return bool(host) and origin.partition(b"://")[2] == host
