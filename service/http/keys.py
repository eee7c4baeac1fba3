"""`/v1/keys`: what a key's holder does with it, whatever it is for."""

import re
import secrets
from typing import Annotated

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from msgspec import Struct

from service.application.match_keys import MatchKeys
from service.auth.key_form import CONFIGURED
from service.auth.keys import Keyring
from service.http.context import Connection, context
from service.http.described import problems
from service.http.grants import found_grant, key_in, known_grant
from service.http.guards import ANY_KEY, Guard
from service.http.headers import SHORTEST_SECRET, idempotency_key
from service.http.key_needed import GRANT
from service.http.problems import AnyRequest, Failed
from service.http.request_body import value_of
from service.http.responses import SHOWN_ONCE, Answer, created

RenewalKey = Annotated[
    str | None,
    idempotency_key(
        f"{SHORTEST_SECRET} to 255 visible ASCII characters, drawn at random and told nobody. For "
        "ten minutes the same request is shown the same key; without it a lost answer is a lost "
        "key",
        SHORTEST_SECRET,
    ),
]


WELL_FORMED = re.compile(rb"[!-~]{1,255}")
"""An idempotency key."""


class RenewedKey(Struct, frozen=True):
    """The key in place of the one that came with the request."""

    key: str


class Renewable(Guard):
    """For every valid key, and under an idempotency key for one that has ended: this very request
    may have renewed it."""

    security = ANY_KEY.security

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:  # noqa: ARG002
        """Finds the key. Raises Failed."""
        headers, keyring = connection.scope["headers"], context(connection).instance.keyring
        key = key_in(headers, bearer=True)
        if key is None:
            raise Failed("key_missing")
        grant = connection.scope["state"][GRANT] = await known_grant(keyring, key)
        sent = value_of(headers, b"idempotency-key") or b""
        if grant is None and WELL_FORMED.fullmatch(sent) is None:
            raise Failed("key_unknown")


class KeysController(Controller):
    """Renewing."""

    path = "/v1/keys"
    tags = ("moderation",)

    @post(
        "/renew",
        operation_id="renewKey",
        summary="Get a new key in place of one's own",
        guards=[Renewable()],
        opt=problems("no_such_match key_in_settings idempotency_key_needed record_altered"),
    )
    async def renew(
        self,
        request: AnyRequest,
        keyring: NamedDependency[Keyring],
        match_keys: NamedDependency[MatchKeys],
        chosen: RenewalKey = None,
    ) -> Answer[RenewedKey]:
        """For every key, by itself. It ends at once, with its streams, tickets, webhooks and
        calendars; the new one opens the same for the same person, and nobody else is shown it. From
        then on the key is its holder's, whoever issued it, and seconds what that person has ruled
        (`key_not_renewed`).
        """
        key = key_in(request.scope["headers"], bearer=True)
        grant = found_grant(request)
        assert key is not None, "the route's guard needs one"
        if grant is not None and keyring.reference(key).slot == CONFIGURED:
            raise Failed("key_in_settings")
        new = await match_keys.renew(key, chosen or secrets.token_urlsafe())
        if new is None:
            raise Failed("key_unknown")
        return created(RenewedKey(new), repeated=grant is None, headers=SHOWN_ONCE)
