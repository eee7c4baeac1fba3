"""Keys of requests: what a request's key allows, wherever it is used."""

from collections.abc import Iterable

from litestar.di import NamedDependency

from service.auth.grants import Grant
from service.auth.key_form import parse_key
from service.auth.keys import Keyring
from service.event_store.store_threads import in_store_thread
from service.http.key_needed import GRANT
from service.http.problems import AnyRequest, Failed
from service.http.request_body import header
from service.instance import Instance


async def optional_grant(instance: Instance, request: AnyRequest) -> Grant | None:
    """What the request's key allows; None without a key. Raises Failed for an unknown key."""
    grant = await grant_by(instance.keyring, header(request, b"authorization"))
    request.scope["state"][GRANT] = grant
    return grant


async def grant_by(keyring: Keyring, authorization: str | None) -> Grant | None:
    """What the key in an `Authorization` header allows; None without the header. Raises Failed for
    an unknown key."""
    key = bearer_key(authorization)
    return None if key is None else await grant_of(keyring, key)


def bearer_key(authorization: str | None) -> str | None:
    """The key in an `Authorization` header, valid or not; None without the header. Raises Failed
    for another scheme."""
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise Failed("key_unknown")
    return key.strip()


async def grant_of(keyring: Keyring, key: str) -> Grant:
    """What a key allows. Raises Failed for an unknown one."""
    grant = await known_grant(keyring, key)
    if grant is None:
        raise Failed("key_unknown")
    return grant


async def known_grant(keyring: Keyring, key: str) -> Grant | None:
    """The same; None for an unknown key."""
    grant = keyring.known(key)
    if grant is None and parse_key(key) is not None:
        grant = await in_store_thread(keyring.load, key)
    return grant


async def required_grant(instance: NamedDependency[Instance], request: AnyRequest) -> Grant:
    """What the request's key allows. Raises Failed without a key and for an unknown one."""
    grant = await optional_grant(instance, request)
    if grant is None:
        raise Failed("key_missing")
    return grant


async def organiser_of(instance: Instance, request: AnyRequest) -> Grant:
    """What the request's key allows, if it is an organiser's. Raises Failed."""
    grant = await required_grant(instance, request)
    if grant.role != "organiser":
        raise Failed("not_allowed")
    return grant


def key_in(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The key in a request's headers, valid or not."""
    for name, value in headers:
        if name == b"authorization":
            return value.decode("latin-1").partition(" ")[2].strip()
    return None
