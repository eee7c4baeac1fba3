"""Routes and parameters that will go, said to programs: in the description, and in every answer.

A route declares it once, `middleware=[Deprecated(...)]`. `versions.md` says how long what is
deprecated stays. Most actions are answered by `direct_actions.py`, outside of their route: it has
to go before that route can be deprecated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any

from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, HTTPResponseStartEvent, Message, Receive, Scope, Send

from service.http.caching import parameters
from service.http.operation import Header, described_headers

SHORTEST = timedelta(days=180)
"""For how long at least what is deprecated stays."""

POLICY = "/docs/versions#deprecation"
"""Where people read what deprecation means."""

HEADERS = (
    Header("Deprecation", "Since when it is deprecated (RFC 9745)"),
    Header("Sunset", "When it will go (RFC 8594)"),
    Header("Link", "What deprecation means, and what comes in its place"),
)

RawHeaders = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Deprecated(ASGIMiddleware):
    """A route is deprecated `since` a day (UTC) and goes at the end of its time, on the day `goes`;
    `successor` is the address of what comes in its place. With `only` these parameters of the
    query are deprecated, and not the route. Raises ValueError if it would go too early."""

    since: date
    goes: date
    successor: str | None = None
    only: tuple[str, ...] = ()

    scopes = (ScopeType.HTTP,)

    def __post_init__(self) -> None:
        if self.goes - self.since < SHORTEST:
            raise ValueError(f"what is deprecated stays for {SHORTEST.days} days")

    @property
    def headers(self) -> RawHeaders:
        """The headers of its answers."""
        links = [f'<{POLICY}>; rel="deprecation"; type="text/html"']
        if self.successor is not None:
            links.append(f'<{self.successor}>; rel="successor-version"')
        return [
            (b"deprecation", b"@%d" % _midnight(self.since).timestamp()),
            (b"sunset", format_datetime(_midnight(self.goes), usegmt=True).encode()),
            (b"link", ", ".join(links).encode()),
        ]

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Says so in the answer to a request that uses what is deprecated."""
        if self.only and not self._uses(scope["query_string"]):
            await next_app(scope, receive, send)
            return

        async def saying_so(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(self._saying_so(message))
            else:
                await send(message)

        await next_app(scope, receive, saying_so)

    def describe(self, operation: dict[str, Any]) -> None:
        """Marks what is deprecated in the description of the route. Raises ValueError for a
        parameter that it does not have."""
        if not self.only:
            operation["deprecated"] = True
        found = [one for one in operation.get("parameters", ()) if one["name"] in self.only]
        if len(found) != len(self.only):
            raise ValueError(f"{operation['operationId']} lacks a parameter of {self.only}")
        for parameter in found:
            parameter["deprecated"] = True
        for status, response in operation["responses"].items():
            if status < "400":
                response["headers"] = {**response.get("headers", {}), **described_headers(HEADERS)}

    def _uses(self, query: bytes) -> bool:
        return any(name in self.only for name, _ in parameters(query))

    def _saying_so(self, started: HTTPResponseStartEvent) -> HTTPResponseStartEvent:
        return {**started, "headers": [*started["headers"], *self.headers]}


def describe_deprecated(
    handlers: Mapping[str, HTTPRouteHandler], operation: dict[str, Any]
) -> None:
    """Marks in an operation's description what its handler, found by its id, declares."""
    for one in handlers[operation["operationId"]].middleware or ():
        if isinstance(one, Deprecated):
            one.describe(operation)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
