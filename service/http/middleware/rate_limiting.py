"""Rate limits in front of the service: 429 before anything is read or looked up."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from math import inf
from typing import NamedTuple, cast

from limits import RateLimitItem
from litestar.enums import ScopeType
from litestar.handlers import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.response.base import ASGIResponse
from litestar.types import (
    ASGIApp,
    HTTPReceiveMessage,
    HTTPScope,
    Message,
    Receive,
    Scope,
    Send,
    WebSocketReceiveMessage,
)

from service.auth.keyring import hash_key, key_prefix, parse_key
from service.auth.rate_limiter import Limiter, StreamsFull, TooManyStreams
from service.auth.request_guard import Address, RequestGuard
from service.http.access.grants import key_in
from service.http.errors.problems import RETRY_AFTER, AnyRequest, Failed, problem
from service.http.errors.route_mistakes import FORM
from service.http.middleware.caching import reads_public_address
from service.http.requests.context import query_of
from service.http.requests.request_form import options_of
from service.http.requests.responses import private_headers
from service.observability.work import (
    FRAME_RECEIVED,
    FRAME_SENT,
    KIB_RECEIVED,
    KIB_SENT,
    Work,
    begin,
)

MOST_REQUESTS = 2_048
"""Maximum number of requests being answered, not counting streams; others are answered 503."""

PUBLIC_DELAY, READ_DELAY, CHANGE_DELAY = 0.25, 0.5, 1.0
"""Seconds by which the event loop may be behind: a read of what is public, any other read and any
other change is then refused at once, so that what seats do is answered in time."""

STREAM_RETRY_SECONDS = 5
"""`Retry-After` for a stream: no one knows when one of the open streams ends."""

KIB = 1024

STREAM_SLOTS = "stream_slots"


class Guesses(NamedTuple):
    """The worthless keys, tickets or tokens of one client; after too many of them the next one is
    refused unseen."""

    limiter: Limiter
    limit: RateLimitItem | None
    counter: str

    def used_up(self) -> int | None:
        """The seconds to wait if too many have failed already."""
        return self.limiter.used_up(self.limit, self.counter)

    def failed(self) -> None:
        """Counts one more."""
        self.limiter.count(self.limit, self.counter)


_Counted = tuple[RateLimitItem | None, str, Guesses | None]


class RateLimiting(ASGIMiddleware):
    """Counts every request but those for health, and as several those that take much work: by its
    key if `is_known` says that the key is valid, a request for a stream by its ticket if the
    service issued that; otherwise by its address. At the public's addresses no one's key is read.

    A known key is counted by itself: other requests from its address, such as those of other seats
    at the same table, neither slow it down nor change how it is answered. The same holds for a
    ticket: it is good for one stream and opens nothing else.

    A key that could be valid is counted apart from requests without one, and by its slot if it
    turns out to be worthless. The first key of a slot, valid or not, loads the valid keys of that
    slot, so only guesses are refused and others can hardly keep a valid key from being loaded.
    Other keys and tickets that turn out to be worthless are counted by address; after too many of
    them the next one is refused unseen.
    """

    scopes = (ScopeType.HTTP,)

    def __init__(self, guard: RequestGuard, is_known: Callable[[str], bool]) -> None:
        self._guard = guard
        self._is_known = is_known

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers 503 or 429, or lets the request through."""
        if not options_of(_route(scope)).counted:
            await next_app(scope, receive, send)
            return
        guard = self._guard
        late = guard.delay.seconds
        too_late = late > PUBLIC_DELAY and late > _longest_delay(scope)
        if guard.requests >= MOST_REQUESTS or too_late:
            guard.turned_away += 1
            await _refusal("try_again", RETRY_AFTER)(scope, receive, send)
            return
        guard.under_way += 1
        try:
            await self._count_and_answer(scope, receive, send, next_app)
        finally:
            if STREAM_SLOTS in scope["state"]:
                stream_slots(scope).close()
            guard.under_way -= 1

    async def _count_and_answer(
        self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        guard = self._guard
        address = client_address(guard, scope)
        if address is None:
            await next_app(scope, receive, send)
            return
        limit, counter, guesses = self._counter_of(scope, address)
        wait = None if guesses is None else guesses.used_up()
        if wait is None:
            wait = guard.limiter.count(limit, counter)
        if wait is not None:
            await _refusal("too_many_requests", str(wait))(scope, receive, send)
            return
        work = Work(partial(guard.limiter.charge, limit, counter))
        begin(work)

        async def receiving() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            message = await receive()
            if message["type"] == "http.request":
                work.spend(FRAME_RECEIVED)
                work.spend(KIB_RECEIVED, len(message["body"]) / KIB)
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.body":
                work.spend(FRAME_SENT)
                work.spend(KIB_SENT, len(message["body"]) / KIB)
            elif (
                message["type"] == "http.response.start"
                and message["status"] == 401
                and guesses is not None
            ):
                guesses.failed()
            await send(message)

        await next_app(scope, receiving, sending)

    def _counter_of(self, scope: Scope, address: Address) -> _Counted:
        """By which limit and counter a request is counted, and how its failure is."""
        guard = self._guard
        key = None if reads_public_address(scope) else key_in(scope["headers"])
        slot = None if key is None else parse_key(key)
        ticket = ticket_in(scope) if key is None else None
        if key is not None and self._is_known(key):
            return guard.by_key, key_counter(key), None
        if slot is not None:
            failures = f"{address}/{key_counter(key_prefix(*slot))}"
            guesses = Guesses(guard.limiter, guard.failures, failures)
            return guard.by_address, f"claims/{address}", guesses
        counter = self._ticket_counter(scope, ticket) or f"address/{address}"
        if key is None and ticket is None:
            return guard.by_address, counter, None
        guesses = Guesses(guard.limiter, guard.failures, f"failures/{counter}")
        return guard.by_address, counter, guesses

    def _ticket_counter(self, scope: Scope, ticket: str | None) -> str | None:
        """The counter of a ticket; None without one that the service issued, for a stream."""
        if ticket is None or "ticket" not in _route(scope).opt[FORM].query:
            return None
        ticket_id = self._guard.tickets.find_id(ticket)
        return None if ticket_id is None else f"ticket/{ticket_id.hex()}"


def _longest_delay(scope: Scope) -> float:
    """The seconds by which the event loop may be behind for a request to be answered."""
    if options_of(_route(scope)).urgent:
        return inf
    if cast(HTTPScope, scope)["method"] not in ("GET", "HEAD"):
        return CHANGE_DELAY
    public = reads_public_address(scope) or key_in(scope["headers"]) is None
    return PUBLIC_DELAY if public and ticket_in(scope) is None else READ_DELAY


def stream_slots(scope: Scope) -> ExitStack:
    """What is released when the request ends, however it ends."""
    slots: ExitStack = scope["state"].setdefault(STREAM_SLOTS, ExitStack())
    return slots


def reserve_stream(guard: RequestGuard, request: AnyRequest, key_hash: bytes | None) -> None:
    """Counts the stream that the request opens: by the hash of its key, or else by its address.
    Raises Failed if too many are open."""
    rates, address = guard.rates, client_address(guard, request.scope)
    counter, limit = (
        (address, rates.streams_by_address)
        if key_hash is None
        else (key_hash.hex(), rates.streams_by_key)
    )
    stream_counter = None if address is None else counter
    retry = {"Retry-After": str(STREAM_RETRY_SECONDS)}
    try:
        stream_slots(request.scope).enter_context(guard.open_streams.acquire(stream_counter, limit))
    except TooManyStreams:
        raise Failed("too_many_requests", headers=retry) from None
    except StreamsFull:
        raise Failed("try_again", headers=retry) from None


def client_address(guard: RequestGuard, scope: Scope) -> Address | None:
    """The address that a request is counted by; None if it is not counted."""
    client = scope["client"]
    peer = None if client is None else client[0]
    if not guard.client_addresses.trusted:
        return guard.client_addresses.address(peer)
    hops = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return guard.client_addresses.address(peer, b",".join(hops).decode("latin-1"))


def ticket_in(scope: Scope) -> str | None:
    """The ticket in a request's address, valid or not."""
    tickets = query_of(scope).getall("ticket", []) if scope["query_string"] else []
    return tickets[-1] if tickets else None


def key_counter(key: str) -> str:
    """The counter of a key."""
    return f"key/{hash_key(key).hex()}"


def _route(scope: Scope) -> BaseRouteHandler:
    route: BaseRouteHandler = cast(HTTPScope, scope)["route_handler"]
    return route


def _refusal(code: str, wait: str) -> ASGIResponse:
    return problem(code, headers={"Retry-After": wait, **private_headers()})
