"""What the handlers of one application share: its state, since it is no global; and the query of a
request, parsed once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any
from uuid import UUID

from litestar.connection import ASGIConnection
from litestar.datastructures import MultiDict, State
from litestar.types import Scope

from service.auth.request_guard import RequestGuard
from service.instance import Instance
from service.notices.public_address import parse_address
from service.observability.readiness import CachedReadiness

Connection = ASGIConnection[Any, Any, Any, Any]

KEY = "context"

StartDemo = Callable[[str], Awaitable[UUID]]
"""Starts a match of a game between bots. Raises DemoFull if there are too many."""


@dataclass(frozen=True)
class AppContext:
    """The instance, the guard of requests, the readiness of the parts, the description of the API
    as it is served, which blocks at first use, and what starts matches between bots."""

    instance: Instance
    guard: RequestGuard
    readiness: CachedReadiness
    description: Callable[[], bytes]
    demo: StartDemo | None = None

    def state(self) -> State:
        """The application's state."""
        return State({KEY: self}, deep_copy=False)


def context(request: Connection) -> AppContext:
    """What the handlers of the request's application share."""
    shared: AppContext = request.app.state[KEY]
    return shared


def root_of(request: Connection) -> str:
    """What the addresses of the service begin with, below its host: "" or as "/arbiter"."""
    return context(request).instance.settings.server.root


def base_url(public_url: str | None, request: Connection) -> str:
    """How links to the service begin: with its public address, or without that with the address at
    which it listens. Never with the `Host` of the request, whose sender may write anything in
    it."""
    if public_url is not None:
        return public_url
    host, port = request.scope["server"] or ("127.0.0.1", None)
    listening = parse_address(host)
    if isinstance(listening, IPv6Address):
        host = str(listening.ipv4_mapped or f"[{listening}]")
    return f"http://{host}" if port in (None, 80) else f"http://{host}:{port}"


def query_of(scope: Scope) -> MultiDict[str]:
    """The parameters in a request's address, in order. They are parsed once a request: the
    framework keeps them in the request's state."""
    return ASGIConnection(scope).query_params


def link_to(request: Connection, page: str, secret: str | None) -> str | None:
    """The address of a page, with a secret that its script reads; None without one."""
    base = base_url(context(request).instance.settings.server.public_url, request)
    return None if secret is None else f"{base}{page}#{secret}"
