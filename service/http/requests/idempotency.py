"""Requests under an `Idempotency-Key`: whose key it is, what is sent under it, and the answer to a
request that comes again.

A key is its sender's: a seat's in its match, everywhere else its holder's, whom the name on their
key names, or else the key. Under one key a sender sends one request, to one address.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from hashlib import sha256
from inspect import Parameter, signature
from typing import Annotated, Any

import msgspec
from litestar import Response
from litestar.di import Dependency

from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import Viewer, viewer
from service.application.idempotency import StoredAnswer, ViewThen
from service.auth.grants import Grant
from service.event_store.errors import StoreUnavailable
from service.http.access.grants import found_grant
from service.http.errors.handlers import HANDLERS
from service.http.errors.problems import AnyRequest
from service.http.requests.audiences import account_for, holder_of
from service.http.requests.context import context
from service.http.requests.request_form import DATA
from service.http.requests.responses import Answer, EncodedResponse, json_bytes

Once: Any = Annotated[KeyedRequest | None, Dependency(kind="named")]

Handler = Callable[..., Awaitable[Any]]

FIRST_TRY = "first_try"

IN_DOUBT = (StoreUnavailable, Exception)

REFUSALS = tuple(kind for kind in HANDLERS if isinstance(kind, type) and kind not in IN_DOUBT)
"""Errors after which nothing of what was asked has been done."""

_encoder = msgspec.json.Encoder(order="deterministic")


def request_of(request: AnyRequest, key: str | None) -> KeyedRequest | None:
    """The request under its sender's idempotency key; None without one. Raises StoreUnavailable.

    The fingerprint is of the decoded body: neither the order of fields nor whether a default is
    written out makes a difference. The key is in it, which is stored nowhere: from the fingerprint
    of a registered address, which every copy of a store has, no one finds the address by trying.
    """
    if key is None:
        return None
    grant, body = found_grant(request), request.scope["state"].get(DATA)
    assert grant is not None, "what changes something needs a key"
    own = sha256(f"{_sender(grant)}\0{key}".encode()).hexdigest()
    address = [request.method, request.scope["path"].rstrip("/")]
    canonical = _encoder.encode([key, *address, type(body).__name__, body])
    return KeyedRequest(own, sha256(canonical).digest())


def _sender(grant: Grant) -> str:
    """Whose idempotency keys these are."""
    if grant.role == "seat":
        return f"seat {grant.match} {grant.seat} {grant.tenure}"
    if grant.tournament is not None:
        return f"{grant.role} {grant.tournament} {grant.number}"
    return f"{grant.role} {grant.match} {holder_of(grant).person}"


def remembering(handler: Handler, status: int, *, looks_back: bool) -> Handler:
    """The handler of a route whose answer under an idempotency key is remembered: the same request
    again is given that one, and does nothing. `status` is that of an answer without a body.

    Where it is unknown what became of a request, as after a crash, it is carried out again: twice
    does what once does, or the handler `looks_back` for the first try, from `first_try` on.
    """
    takes_request = "request" in signature(handler).parameters

    @wraps(handler)
    async def remembered(
        *args: Any, once: KeyedRequest | None, request: AnyRequest, **parameters: Any
    ) -> Any:
        if takes_request:
            parameters["request"] = request
        if once is None:
            return await handler(*args, **parameters)
        responses: list[Any] = []

        async def execute(length_before: int) -> StoredAnswer:
            if looks_back:
                request.scope["state"][FIRST_TRY] = length_before
            responses.append(await handler(*args, **parameters))
            return _answered(responses[0], status)

        async def length() -> int:
            """How much is on record of the match in which a first try may have to be found."""
            if not looks_back:
                return 0
            return (await instance.sessions.current(request.path_params["match_id"])).length

        instance = context(request).instance
        answered = await instance.idempotency.remember(once, execute, REFUSALS, length)
        return responses[0] if responses else await _again(request, answered)

    return _with_parameters(remembered, handler, once=Once, request=AnyRequest)


def first_try(request: AnyRequest) -> int | None:
    """The number of events on record before the first try of this request; None for one without an
    idempotency key."""
    length_before: int | None = request.scope["state"].get(FIRST_TRY)
    return length_before


def _with_parameters(wrapper: Handler, handler: Handler, **more: Any) -> Handler:
    """The wrapper with the signature of the handler, and these parameters of its own: by it the
    framework knows what to give."""
    own = signature(handler)
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind)
        for name, kind in more.items()
        if name not in own.parameters
    ]
    parameters = [*own.parameters.values(), *added]
    wrapper.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=sorted(parameters, key=lambda parameter: parameter.kind)
    )
    wrapper.__annotations__ = {**handler.__annotations__, **more}
    return wrapper


def _answered(response: Answer[Any] | EncodedResponse | None, status: int) -> StoredAnswer:
    if response is None:
        return StoredAnswer(status, {}, b"")
    response_made = response.encoded() if isinstance(response, Answer) else response
    then = response_made.view
    if then is None:
        return StoredAnswer(response_made.status, response_made.own_headers, response_made.content)
    head, _, tail = response_made.content.partition(then.body)
    view_then = ViewThen(str(then.match), then.audience, then.seq, tail)
    return StoredAnswer(response_made.status, response_made.own_headers, head, view_then)


async def _again(request: AnyRequest, answered: StoredAnswer) -> EncodedResponse | Response[None]:
    """The first answer once more. Its view is made again: a name in it may be withheld since."""
    body, then = answered.body, answered.view
    if then is not None:
        instance, of = context(request).instance, then.match_id
        reader: Viewer | None = viewer(then.audience)
        assert reader is not None, "it has been answered so"
        body += await instance.sessions.body_at(of, reader, then.seq) + then.behind
        grant = found_grant(request)
        assert grant is not None, "what changes something needs a key"
        await account_for(instance, grant, of, reader, then.seq)
    headers = {**answered.headers, "Idempotent-Replayed": "true"}
    status = 200 if answered.status == 201 else answered.status
    if not body:
        return Response(None, status_code=status, headers=headers)
    return json_bytes(body, status, headers)
