"""401 before any 400: the key of a request is checked before its parameters are.

A client without a valid key learns nothing about the parameters of a route.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec.structs import replace

from service.auth.keys import Keyring
from service.auth.tickets import Tickets
from service.http.authentication import grant_by
from service.http.caching import reads_public_address
from service.http.key_needed import key_mistakes, key_needed
from service.http.operation import declaration_of
from service.http.problems import MEDIA_TYPE, Failed, document
from service.http.rate_limiting import KEY_KNOWN, is_stream, ticket_in
from service.http.request_body import value_of
from service.http.responses import json_bytes, private_headers


class KeysFirst(ASGIMiddleware):
    """Answers 401 for an unknown key, and for none where the route needs one.

    Routes that need no key do not look at it, and neither do the public's addresses; one declares
    that it checks keys by itself. A stream reads its ticket instead of a key if it has one.
    """

    scopes = (ScopeType.HTTP,)

    def __init__(self, keyring: Keyring, tickets: Tickets) -> None:
        self._keyring = keyring
        self._tickets = tickets

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers 401, or lets the request through."""
        handler = scope["route_handler"]
        assert isinstance(handler, HTTPRouteHandler), "no other routes"
        checks_key = declaration_of(handler).checks_key or reads_public_address(scope)
        if handler.security and not checks_key:
            try:
                await self._check(scope, handler.security)
            except Failed as refused:
                await _refuse(refused.code, scope, receive, send)
                return
        await next_app(scope, receive, send)

    async def _check(self, scope: Scope, security: Sequence[dict[str, Any]]) -> None:
        """Raises Failed for a worthless key or ticket, and for none where one is needed."""
        ticket = ticket_in(scope) if is_stream(scope["path"]) else None
        if ticket is not None:
            if self._tickets.known(ticket) is None:
                raise Failed("ticket_unknown")
            return
        sent = value_of(scope["headers"], b"authorization")
        if sent is not None and sent[:7].lower() == b"bearer " and KEY_KNOWN in scope["state"]:
            return
        grant = await grant_by(self._keyring, None if sent is None else sent.decode("latin-1"))
        if grant is None and {} not in security:
            raise Failed("key_missing")


async def _refuse(code: str, scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"WWW-Authenticate": "Bearer", **private_headers()}
    key, wrong = key_needed(scope, code), key_mistakes(scope, code)
    body = msgspec.json.encode(replace(document(code), key=key, errors=wrong))
    await json_bytes(body, 401, headers, MEDIA_TYPE)(scope, receive, send)
