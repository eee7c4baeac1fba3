"""`/v1/keys`: what a key's holder does with it, whatever it is for."""

import secrets

from litestar import Controller
from litestar.response.base import ASGIResponse
from msgspec import Struct

from service.auth.key_form import CONFIGURED
from service.http.access import ANY_KEY
from service.http.authentication import bearer_key, known_grant
from service.http.context import context
from service.http.idempotency import idempotency_key
from service.http.invitations import SHORTEST_REQUEST_KEY
from service.http.operation import Header, post
from service.http.parameters import QueryParameters, check_names
from service.http.problems import AnyRequest, Failed
from service.http.request_body import check_no_body, header
from service.http.responses import SHOWN_ONCE, created

RENEWAL_KEY = Header(
    "Idempotency-Key",
    f"{SHORTEST_REQUEST_KEY} to 255 visible ASCII characters, drawn at random and told nobody. For "
    "ten minutes the same request is shown the same key; without it a lost answer is a lost key",
    f"^[!-~]{{{SHORTEST_REQUEST_KEY},255}}$",
    errors=("bad_idempotency_key", "idempotency_key_needed"),
)


class RenewedKey(Struct, frozen=True):
    """The key in place of the one that came with the request."""

    key: str


class KeysController(Controller):
    """Renewing."""

    path = "/v1/keys"
    tags = ("moderation",)

    @post(
        "/renew",
        operation_id="renewKey",
        summary="Get a new key in place of one's own",
        security=ANY_KEY,
        answer=RenewedKey,
        headers=[RENEWAL_KEY],
        errors="bad_request no_such_match key_in_settings record_altered",
        checks_key=True,
    )
    async def renew(self, request: AnyRequest) -> ASGIResponse:
        """For every key, by itself. It ends at once, with its streams, tickets, webhooks and
        calendars; the new one opens the same for the same person, and nobody else is shown it. From
        then on the key is its holder's, whoever issued it, and seconds what that person has ruled
        (`key_not_renewed`).
        """
        instance = context(request).instance
        key = bearer_key(header(request, b"authorization"))
        if key is None:
            raise Failed("key_missing")
        grant = await known_grant(instance.keyring, key)
        try:
            chosen = idempotency_key(request)
        except Failed:
            if grant is not None:
                raise
            chosen = None
        # One that has ended may have been renewed by this very request.
        if grant is None and chosen is None:
            raise Failed("key_unknown")
        check_names(request, QueryParameters())
        await check_no_body(request)
        if chosen is not None and len(chosen) < SHORTEST_REQUEST_KEY:
            raise Failed("idempotency_key_needed")
        if grant is not None and instance.keyring.slot_of(key)[0] == CONFIGURED:
            raise Failed("key_in_settings")
        new = await instance.match_keys.renew(key, chosen or secrets.token_urlsafe())
        if new is None:
            raise Failed("key_unknown")
        return created(RenewedKey(new), repeated=grant is None, headers=SHOWN_ONCE)
