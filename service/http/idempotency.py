"""Requests under an `Idempotency-Key`: whose key it is, what is sent under it, and the answer to a
request that comes again.

A key is its sender's: a seat's in its match, everywhere else its holder's, whom the name on their
key names, or else the key. Under one key a sender sends one request, to one address.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from litestar import Response

from domain.tournament_state import Request
from projections.disclosure import Viewer, viewer
from service.application.idempotency import Answered, ViewThen
from service.auth.grants import Grant
from service.event_store.errors import StoreUnavailable
from service.http.accounting import account, holder_of
from service.http.authentication import required_grant
from service.http.context import context
from service.http.key_needed import GRANT
from service.http.problems import HANDLERS, AnyRequest, Failed
from service.http.request_body import Body, check_no_body, header
from service.http.responses import EncodedResponse, json_bytes

T = TypeVar("T")

MAX_KEY_LENGTH = 255

FIRST_TRY = "first_try"

IN_DOUBT = (StoreUnavailable, Exception)

REFUSALS = tuple(kind for kind in HANDLERS if isinstance(kind, type) and kind not in IN_DOUBT)
"""Errors after which nothing of what was asked has been done."""

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


async def read_once(request: AnyRequest, body: Body[T]) -> tuple[T, Request | None]:
    """The body of a request whose key was found, and that request under its idempotency key, if it
    has one. Raises Failed."""
    key = idempotency_key(request)
    read = await body.read(request)
    return read, request_of(request, key, read)


def request_of(request: AnyRequest, key: str | None, body: object) -> Request | None:
    """The request with this body under its sender's idempotency key; None without one. Raises
    StoreUnavailable.

    The fingerprint is of the decoded body: neither the order of fields nor whether a default is
    written out makes a difference. The key is in it, which is stored nowhere: from the fingerprint
    of a registered address, which every copy of a store has, nobody finds the address by trying.
    """
    if key is None:
        return None
    grant: Grant = request.scope["state"][GRANT]
    own = sha256(f"{_sender(grant)}\0{key}".encode()).hexdigest()
    address = [request.method, request.scope["path"].rstrip("/")]
    canonical = _encoder.encode([key, *address, type(body).__name__, body])
    return Request(own, sha256(canonical).digest())


def _sender(grant: Grant) -> str:
    """Whose idempotency keys these are."""
    if grant.role == "seat":
        return f"seat {grant.match} {grant.seat} {grant.tenure}"
    if grant.tournament is not None:
        return f"{grant.role} {grant.tournament} {grant.number}"
    return f"{grant.role} {grant.match} {holder_of(grant).person}"


def remembering(
    handler: Callable[..., Awaitable[Any]], body: Body[Any] | None, status: int, *, looks_back: bool
) -> Callable[..., Awaitable[Any]]:
    """The handler of a route that changes something, whose answer under an idempotency key is
    remembered: the same request again is given that one, and does nothing.

    Where it is unknown what became of a request, as after a crash, it is carried out again: twice
    does what once does, or the handler `looks_back` for the first try, from `first_try` on.
    """

    @wraps(handler)
    async def once(*args: Any, **given: Any) -> Any:
        request: AnyRequest = given["request"] if "request" in given else given["call"].request
        key = idempotency_key(request)
        if key is None:
            return await handler(*args, **given)
        instance = context(request).instance
        await required_grant(instance, request)
        sent = await (check_no_body(request) if body is None else body.read(request))
        asked = request_of(request, key, sent)
        assert asked is not None, "it has a key"
        made: list[Any] = []

        async def execute(begun: int | None) -> Answered:
            request.scope["state"][FIRST_TRY] = begun
            made.append(await handler(*args, **given))
            return _answered(made[0], status)

        async def length() -> int:
            """How much is on record of the match in which the first try may have to be found."""
            if not looks_back:
                return 0
            return (await instance.sessions.current(given["call"].id)).length

        answered = await instance.idempotency.remembered(asked, execute, REFUSALS, length)
        return made[0] if made else await _again(request, answered)

    return once


def first_try(request: AnyRequest) -> int | None:
    """The number of events on record before the first try of this request, if it is unknown what
    became of that; None for the first."""
    begun: int | None = request.scope["state"].get(FIRST_TRY)
    return begun


def _answered(response: EncodedResponse | None, status: int) -> Answered:
    if response is None:
        return Answered(status, {}, b"")
    then = response.view
    if then is None:
        return Answered(response.status, response.own_headers, response.content)
    head, _, tail = response.content.partition(then.body)
    named = ViewThen(str(then.match), then.audience, then.seq, tail)
    return Answered(response.status, response.own_headers, head, named)


async def _again(request: AnyRequest, answered: Answered) -> EncodedResponse | Response[None]:
    """The first answer once more. Its view is made again: a name in it may be withheld since."""
    body, then = answered.body, answered.view
    if then is not None:
        instance, of = context(request).instance, then.match_id
        reader: Viewer | None = viewer(then.audience)
        assert reader is not None, "it has been answered so"
        body += await instance.sessions.body_at(of, reader, then.seq) + then.behind
        await account(instance, request, of, reader, then.seq)
    headers = {**answered.headers, "Idempotent-Replayed": "true"}
    status = 200 if answered.status == 201 else answered.status
    if not body:
        return Response(None, status_code=status, headers=headers)
    return json_bytes(body, status, headers)
