"""Rate limits at the edge of the API: 429 before anything is read or looked up."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from hashlib import sha256
from urllib.parse import parse_qsl

import msgspec
from limits import RateLimitItem
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.access.keys import label, placed
from service.access.limiting import Full, Limiter, OpenStreams, Rates, TooMany, rate
from service.access.senders import Address, Senders
from service.http.problems import MEDIA_TYPE, AnyRequest, Failed, document
from service.http.responses import json_bytes
from service.instances.link import Link

API = "/v1/"

STREAM_WAIT = 5
"""In how many seconds to ask again for a stream: nobody knows when one of them ends."""

HELD = "held"

_REFUSED = msgspec.json.encode(document("too_many_requests"))


class Gate:
    """What the requests to one instance are measured by: together with others, but for `guesses`.
    A slot that another instance has looked up is not known here."""

    def __init__(
        self, rates: Rates | None = None, senders: Senders | None = None, link: Link | None = None
    ) -> None:
        """Raises ValueError with a sentence for the operator when a rate is none."""
        self.rates = rates or Rates()
        self.senders = senders or Senders()
        self.limiter = Limiter(link)
        self.guesses = Limiter()
        self.open_streams = OpenStreams(self.rates.streams)
        self.by_key = rate(self.rates.by_key)
        self.by_address = rate(self.rates.by_address)
        self.failures = rate(self.rates.failures)


class Limiting(ASGIMiddleware):
    """Counts every request to the API by its key if that is `known`, one for a stream by its ticket
    if that is a `known_ticket`; otherwise by its address.

    A key that is known is counted alone: what else comes from its address, other seats at the same
    table say, neither slows it down nor can be told from how it is answered. So is a ticket; being
    good for one stream, it opens nothing else and has few tries, and who has seen one that is used
    up can do nothing to its holder's next.

    So that others can hardly keep it from becoming known, a key that may be one is counted apart
    from what brings none, and by its slot if it is worthless: the first of a slot, whoever brings
    it, makes the valid ones of that slot known here, and so only guesses are refused.
    Other keys, and tickets, that turn out to be worthless are counted by address; who has brought
    too many is refused without a look at the next.
    """

    scopes = (ScopeType.HTTP,)

    def __init__(
        self, gate: Gate, known: Callable[[str], bool], known_ticket: Callable[[str], bytes | None]
    ) -> None:
        self._gate = gate
        self._known = known
        self._known_ticket = known_ticket

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers 429, or lets the request through."""
        address = sender(self._gate, scope) if scope["path"].startswith(API) else None
        if address is None:
            await next_app(scope, receive, send)
            return
        key, gate = offered(scope["headers"]), self._gate
        place = None if key is None else placed(key)
        ticket = shown(scope["query_string"]) if key is None else None
        if key is not None and self._known(key):
            wait = await self._counted(gate.by_key, named(key))
        elif place is not None:
            name = f"{address}/{named(label(*place))}"
            wait = await self._claiming(gate.guesses, name, f"claims/{address}")
            send = self._watched(send, gate.guesses, name)
        elif key is not None or ticket is not None:
            sent_by = self._ticket_named(scope["path"], ticket) or f"address/{address}"
            name = f"failures/{sent_by}"
            wait = await self._claiming(gate.limiter, name, sent_by)
            send = self._watched(send, gate.limiter, name)
        else:
            wait = await self._counted(gate.by_address, f"address/{address}")
        if wait is None:
            await next_app(scope, receive, send)
        else:
            await _refuse(wait, scope, receive, send)

    def _ticket_named(self, path: str, ticket: str | None) -> str | None:
        """What a ticket to a stream is counted under; None if it is none, or not for a stream."""
        if ticket is None or not path.rstrip("/").endswith("/stream"):
            return None
        ticket_id = self._known_ticket(ticket)
        return None if ticket_id is None else f"ticket/{ticket_id.hex()}"

    async def _claiming(self, limiter: Limiter, failed: str, name: str) -> int | None:
        """How long somebody has to wait who claims to be known: if as many have failed as may, or
        by his address."""
        failures = self._gate.failures
        wait = None if failures is None else await limiter.used_up(failures, failed)
        return wait or await self._counted(self._gate.by_address, name)

    async def _counted(self, limit: RateLimitItem | None, name: str) -> int | None:
        return None if limit is None else await self._gate.limiter.count(limit, name)

    def _watched(self, send: Send, limiter: Limiter, name: str) -> Send:
        """Counts an answer that says that a key or a ticket is not known."""
        failures = self._gate.failures

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401 and failures:
                await limiter.count(failures, name)
            await send(message)

        return watched


class HoldingStreams(ASGIMiddleware):
    """Keeps what a request for a stream holds until the stream has ended, however it ends."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Passes the request on, and lets go of what it held."""
        with ExitStack() as held:
            scope["state"][HELD] = held
            await next_app(scope, receive, send)


def hold_stream(gate: Gate, request: AnyRequest, key: bytes | None) -> None:
    """Counts the stream that the request opens, by the hash of the sender's key if there is one.

    Raises Failed if there are too many.
    """
    held: ExitStack = request.scope["state"][HELD]
    rates, address = gate.rates, sender(gate, request.scope)
    name, most = (
        (address, rates.streams_by_address) if key is None else (key.hex(), rates.streams_by_key)
    )
    counted = None if address is None else name
    try:
        held.enter_context(gate.open_streams.one_more(counted, most))
    except TooMany:
        raise Failed("too_many_requests", wait=STREAM_WAIT) from None
    except Full:
        raise Failed("try_again", wait=STREAM_WAIT) from None


def sender(gate: Gate, scope: Scope) -> Address | None:
    """The address that counts for a request; None if it is not counted."""
    client = scope["client"]
    peer = None if client is None else client[0]
    if not gate.senders.trusted:
        return gate.senders.address(peer)
    hops = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return gate.senders.address(peer, b",".join(hops).decode("latin-1"))


def offered(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The key that a request brings, whether or not it is one."""
    for name, value in headers:
        if name == b"authorization":
            return value.decode("latin-1").partition(" ")[2].strip()
    return None


def shown(query: bytes) -> str | None:
    """The ticket that a request shows, whether or not it is one."""
    if b"ticket" not in query:
        return None
    return dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)).get("ticket")


def named(key: str) -> str:
    """What a key is counted under: a hash, and not that by which it could be found in the store."""
    return "key/" + sha256(b"limit " + key.encode()).hexdigest()


async def _refuse(wait: int, scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"Retry-After": str(wait)}
    await json_bytes(_REFUSED, 429, headers, MEDIA_TYPE)(scope, receive, send)
