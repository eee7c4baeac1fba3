"""Records everything that goes over the wire, so that a test can search it for secrets."""

import json
from typing import Any

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

SHORTEST = 8
"""Shorter words may occur anywhere by chance."""


class RecordedTraffic:
    """The application; every text that it received or sent is in `said`."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def around(self, app: ASGIApp) -> ASGIApp:
        async def overheard(scope: Scope, receive: Receive, send: Send) -> None:
            bodies = bytearray(), bytearray()

            async def received() -> Any:
                message = await receive()
                bodies[0].extend(message.get("body", b""))  # type: ignore[arg-type]
                return message

            async def sent(message: Message) -> None:
                bodies[1].extend(message.get("body", b""))  # type: ignore[arg-type]
                await send(message)

            await app(scope, received, sent)
            if scope["type"] == ScopeType.HTTP:
                self._record_head(scope)
                for body in bodies:
                    self._record_body(bytes(body))

        return overheard

    def _record_head(self, scope: Scope) -> None:
        self._record(scope["query_string"].decode())
        for part in scope["path"].split("/"):
            if part not in TEMPLATES:
                self._record(part)
        for name, value in scope["headers"]:
            if name in (b"authorization", b"idempotency-key"):
                self._record(value.decode().removeprefix("Bearer "))

    def _record_body(self, body: bytes) -> None:
        for text in (body, *body.splitlines()):
            try:
                self._record_leaves(json.loads(text.removeprefix(b"data: ")))
            except ValueError:
                self._record(text.decode(errors="replace"))

    def _record_leaves(self, value: Any) -> None:
        if isinstance(value, dict):
            for each in value.values():
                self._record_leaves(each)
        elif isinstance(value, list):
            for each in value:
                self._record_leaves(each)
        elif isinstance(value, str):
            self._record(value)

    def _record(self, text: str) -> None:
        if len(text) >= SHORTEST:
            self.said.add(text)


TEMPLATES = {"matches", "tournaments", "client-seeds", "close-phase", "openapi.json"}
"""The text of route templates, too."""
