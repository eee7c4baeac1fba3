"""Rate limits in front of the service: 429 before anything is read or looked up."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import msgspec
from limits import RateLimitItem
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.response.base import ASGIResponse
from litestar.types import (
    ASGIApp,
    HTTPReceiveMessage,
    Message,
    Receive,
    Scope,
    Send,
    WebSocketReceiveMessage,
)
from msgspec.structs import replace

from service.auth.client_address import Address
from service.auth.key_form import hashed, key_prefix, parse_key
from service.auth.rate_limiter import Limiter, StreamsFull, TooManyStreams
from service.auth.request_guard import RequestGuard
from service.http.caching import reads_public_address
from service.http.grants import key_in
from service.http.problems import MEDIA_TYPE, RETRY_AFTER, AnyRequest, Failed, Problem, document
from service.http.query import query_of
from service.http.responses import json_bytes, private_headers
from service.observability.work import (
    FRAME_RECEIVED,
    FRAME_SENT,
    KIB_RECEIVED,
    KIB_SENT,
    Work,
    begin,
)

HEALTH = ("/healthz", "/readyz")
"""Paths that are not counted, and answered however busy the service is: orchestrators ask there,
and busy is not dead."""

MOST_REQUESTS = 2_048
"""Maximum number of requests being answered, not counting streams; others are answered 503."""

STREAM_RETRY_SECONDS = 5
"""`Retry-After` for a stream: nobody knows when one of the open streams ends."""

KIB = 1024

STREAM_SLOTS = "stream_slots"

KEY_KNOWN = "key_known"
"""In the state of a request with a valid key: it need not be looked up once more."""

_TOO_MANY = document("too_many_requests")
_BUSY = document("try_again")


class Guesses(NamedTuple):
    """The worthless keys, tickets or tokens of one client; after too many of them the next one is
    refused unseen."""

    limiter: Limiter
    limit: RateLimitItem | None
    counter: str

    async def used_up(self) -> int | None:
        """The seconds to wait if too many have failed already."""
        return await self.limiter.used_up(self.limit, self.counter)

    async def failed(self) -> None:
        """Counts one more."""
        await self.limiter.count(self.limit, self.counter)

    def counting(self, send: Send) -> Send:
        """Sends, and counts a 401: the key or ticket was worthless."""

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                await self.failed()
            await send(message)

        return counting


_Counted = tuple[RateLimitItem | None, str, Guesses | None]


class RateLimiting(ASGIMiddleware):
    """Counts every request but those for health, and as several those that take much work: by its
    key if `is_known` says that the key is valid, a request for a stream by its ticket if the
    service issued that; otherwise by its address. At the public's addresses nobody's key is read.

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
        if is_health(scope["path"]):
            await next_app(scope, receive, send)
            return
        guard = self._guard
        if guard.requests >= MOST_REQUESTS:
            guard.turned_away += 1
            await _refusal(_BUSY, int(RETRY_AFTER))(scope, receive, send)
            return
        guard.under_way += 1
        try:
            await self._count_and_answer(scope, receive, send, next_app)
        finally:
            guard.under_way -= 1

    async def _count_and_answer(
        self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        guard = self._guard
        address = client_address(guard, scope)
        if address is None:
            await next_app(scope, receive, send)
            return
        limit, counter, guesses = self._counted(scope, address)
        wait = None if guesses is None else await guesses.used_up()
        if wait is None:
            wait = await guard.limiter.count(limit, counter)
        if wait is not None:
            await _refusal(_TOO_MANY, wait)(scope, receive, send)
            return
        work = Work(partial(guard.limiter.charge, limit, counter))
        begin(work)
        sending = (
            _sending(send, work) if guesses is None else guesses.counting(_sending(send, work))
        )
        await next_app(scope, _receiving(receive, work), sending)

    def _counted(self, scope: Scope, address: Address) -> _Counted:
        """By which limit and counter a request is counted, and how its failure is."""
        guard = self._guard
        key = None if reads_public_address(scope) else key_in(scope["headers"])
        slot = None if key is None else parse_key(key)
        ticket = ticket_in(scope) if key is None else None
        if key is not None and self._is_known(key):
            scope["state"][KEY_KNOWN] = True
            return guard.by_key, key_counter(key), None
        if slot is not None:
            failures = f"{address}/{key_counter(key_prefix(*slot))}"
            guesses = Guesses(guard.guesses, guard.failures, failures)
            return guard.by_address, f"claims/{address}", guesses
        counter = self._ticket_counter(scope["path"], ticket) or f"address/{address}"
        if key is None and ticket is None:
            return guard.by_address, counter, None
        guesses = Guesses(guard.limiter, guard.failures, f"failures/{counter}")
        return guard.by_address, counter, guesses

    def _ticket_counter(self, path: str, ticket: str | None) -> str | None:
        """The counter of a ticket; None without a ticket that the service issued."""
        if ticket is None or not is_stream(path):
            return None
        ticket_id = self._guard.tickets.known(ticket)
        return None if ticket_id is None else f"ticket/{ticket_id.hex()}"


def _receiving(receive: Receive, work: Work) -> Receive:
    """Receives, and counts the work that a body is."""

    async def counting() -> HTTPReceiveMessage | WebSocketReceiveMessage:
        message = await receive()
        if message["type"] == "http.request":
            work.spend(FRAME_RECEIVED)
            work.spend(KIB_RECEIVED, len(message["body"]) / KIB)
        return message

    return counting


def _sending(send: Send, work: Work) -> Send:
    """Sends, and counts the work that an answer is."""

    async def counting(message: Message) -> None:
        if message["type"] == "http.response.body":
            work.spend(FRAME_SENT)
            work.spend(KIB_SENT, len(message["body"]) / KIB)
        await send(message)

    return counting


class StreamSlots(ASGIMiddleware):
    """Releases what a request for a stream has reserved when the stream ends, however it ends."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Passes the request on, then releases its slot."""
        with ExitStack() as slots:
            scope["state"][STREAM_SLOTS] = slots
            await next_app(scope, receive, send)


def stream_slots(request: AnyRequest) -> ExitStack:
    """What is released when the request ends. Its route needs the middleware `StreamSlots`."""
    slots: ExitStack = request.scope["state"][STREAM_SLOTS]
    return slots


def reserve_stream(guard: RequestGuard, request: AnyRequest, key_hash: bytes | None) -> None:
    """Counts the stream that the request opens: by the hash of its key, or else by its address.

    The route needs the middleware `StreamSlots`. Raises Failed if too many are open.
    """
    rates, address = guard.rates, client_address(guard, request.scope)
    counter, limit = (
        (address, rates.streams_by_address)
        if key_hash is None
        else (key_hash.hex(), rates.streams_by_key)
    )
    counted = None if address is None else counter
    retry = {"Retry-After": str(STREAM_RETRY_SECONDS)}
    try:
        stream_slots(request).enter_context(guard.open_streams.acquire(counted, limit))
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


def is_health(path: str) -> bool:
    """Whether a path, spelt as the router takes it, is one that orchestrators ask for."""
    return f"/{path.strip('/')}" in HEALTH


def is_stream(path: str) -> bool:
    """Whether a path is that of a stream."""
    return path.rstrip("/").endswith("/stream")


def ticket_in(scope: Scope) -> str | None:
    """The ticket in a request's address, valid or not."""
    tickets = query_of(scope).getall("ticket", []) if scope["query_string"] else []
    return tickets[-1] if tickets else None


def key_counter(key: str) -> str:
    """The counter of a key: a hash other than the one by which the store finds the key."""
    return "key/" + sha256(b"limit " + hashed(key)).hexdigest()


def _refusal(problem: Problem, wait: int) -> ASGIResponse:
    headers = {"Retry-After": str(wait), **private_headers()}
    body = msgspec.json.encode(replace(problem, retry_after=wait))
    return json_bytes(body, problem.status, headers, MEDIA_TYPE)
