"""`/v1/matches/{id}/play`: a seat's WebSocket. Actions come in; their answers, and the lines of the
seat's stream, go out. Everything but the framing is that of `/actions` and `/stream`.
"""

from functools import partial
from typing import Annotated, Any, cast
from uuid import UUID

from limits import RateLimitItemPerMinute
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from websockets.datastructures import Headers
from websockets.http11 import Request as Handshake
from websockets.server import ServerProtocol

from service.auth.grants import Grant
from service.auth.key_form import hashed
from service.auth.request_guard import RequestGuard
from service.auth.tickets import Ticket
from service.http.access import only
from service.http.authentication import grant_of, key_in, required_grant
from service.http.context import context
from service.http.dependencies import MATCH_DEPENDENCIES, query
from service.http.head import is_head
from service.http.operation import declares
from service.http.own_origin import is_own_origin
from service.http.parameters import MatchId, QueryParameters, position
from service.http.play_session import WEB_SOCKET, Play, SeatAccess, Upgrade
from service.http.problems import AnyRequest, Failed
from service.http.rate_limiting import StreamSlots, reserve_stream
from service.http.request_body import value_of
from service.http.responses import READ_ERRORS, raises
from service.http.tickets import viewer_by_ticket
from service.instance import Instance

ONCE = RateLimitItemPerMinute(1)
"""How often a ticket may be used; it expires before the minute is over."""


class PlayQuery(QueryParameters, frozen=True):
    """From where on, and by which ticket."""

    after: Annotated[
        int | None, position("Behind this number of the seat's own events; default: now")
    ] = None
    ticket: Annotated[
        str | None,
        QueryParameter(description='A ticket made with `{"for":"play"}`, in place of a key'),
    ] = None


class PlayController(Controller):
    """Seats that play over a WebSocket."""

    path = "/v1/matches/{match_id:uuid}/play"
    tags = ("play",)
    dependencies = MATCH_DEPENDENCIES

    @get(
        operation_id="play",
        summary="Act and follow the match over a WebSocket",
        security=only("seat"),
        responses={
            101: ResponseSpec(None, description="The connection is a WebSocket now"),
            **raises(
                *READ_ERRORS,
                "key_missing",
                "ticket_unknown",
                "origin_not_named",
                "upgrade_required",
                "too_many_requests",
            ),
        },
        operation_class=declares(switches=True),
        middleware=[StreamSlots()],
        dependencies=query(PlayQuery),
    )
    async def play(
        self,
        request: AnyRequest,
        match_id: MatchId,
        parameters: NamedDependency[PlayQuery],
        instance: NamedDependency[Instance],
    ) -> ASGIResponse:
        """Needs a seat's key, or a ticket for it; the operator has to
        name the origins of others' pages.

        In: `{"id","action","if_match"?}`, where `id` is the idempotency key. Out:
        `{"answer":id,"status","body"}` as `POST .../actions` answers, `{"line":{...}}` for every
        event of the seat, and `{"end":{"seq"}}` when the match is over.
        """
        access = await _access(instance, request, match_id, parameters.ticket)
        seated = await access.seated()
        extensions = cast(dict[str, Any], request.scope.get("extensions") or {})
        upgrade: Upgrade | None = extensions.get(WEB_SOCKET)
        if upgrade is not None and not _is_allowed(request, upgrade):
            raise Failed("origin_not_named")
        switching = _handshake(request)
        if upgrade is None:
            raise Failed("upgrade_required")
        await _use_up(access.ticket, context(request).guard)
        reserve_stream(context(request).guard, request, access.key_hash)
        return Play(instance, request, match_id, access, seated, switching, parameters.after)


def _is_allowed(request: AnyRequest, upgrade: Upgrade) -> bool:
    """Whether the page that connects is of the host that is asked, so the service's own, or of an
    origin that the operator has named."""
    origin = value_of(request.scope["headers"], b"origin")
    own = origin is not None and is_own_origin(origin, request.scope["headers"])
    return own or upgrade.allows(origin)


def _handshake(request: AnyRequest) -> list[tuple[bytes, bytes]]:
    """The headers of the answer 101. Raises Failed for what is no handshake of a WebSocket."""
    scope = request.scope
    headers = Headers()
    for name, value in scope["headers"]:
        headers[name.decode("latin-1")] = value.decode("latin-1")
    protocol = ServerProtocol()
    answer = protocol.accept(Handshake(scope["path"], headers))
    if answer.status_code != 101 or scope["http_version"] != "1.1" or is_head(request):
        detail = None if protocol.handshake_exc is None else str(protocol.handshake_exc)
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        raise Failed("upgrade_required", detail, headers=upgrade)
    return [
        (name.lower().encode(), value.encode())
        for name, value in answer.headers.raw_items()
        if name != "Date"
    ]


async def _access(
    instance: Instance, request: AnyRequest, match_id: UUID, text: str | None
) -> SeatAccess:
    """How the seat may play: by a ticket or by a key. Raises Failed."""
    if text is None:
        await required_grant(instance, request)
        key = key_in(request.scope["headers"]) or ""
        return SeatAccess(instance, match_id, hashed(key), partial(grant_of, instance.keyring, key))
    tickets = context(request).guard.tickets
    ticket = tickets.read(text, match_id, instance.clock.now(), play=True)
    if ticket is None:
        raise Failed("ticket_unknown")

    async def by_ticket() -> Grant:
        return (await viewer_by_ticket(instance, tickets, ticket))[2]

    _, key_hash, _ = await viewer_by_ticket(instance, tickets, ticket)
    return SeatAccess(instance, match_id, key_hash, by_ticket, ticket)


async def _use_up(ticket: Ticket | None, guard: RequestGuard) -> None:
    """Uses the ticket, if there is one. Raises Failed if it was used before."""
    if ticket is not None and await guard.limiter.count(ONCE, f"play/{ticket.id.hex()}"):
        raise Failed("ticket_unknown")
