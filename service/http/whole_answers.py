"""Middleware that changes answers which are sent as a whole."""

from collections.abc import Container

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import (
    ASGIApp,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Message,
    Receive,
    Scope,
    Send,
)

Answered = tuple[HTTPResponseStartEvent, HTTPResponseBodyEvent]


class WholeAnswers(ASGIMiddleware):
    """Sends an answer when its start and its body are known, as `answer` changes them."""

    scopes = (ScopeType.HTTP,)
    statuses: Container[int] = range(600)

    async def answer(
        self, scope: Scope, start: HTTPResponseStartEvent, body: HTTPResponseBodyEvent
    ) -> Answered:
        """What is sent instead."""
        raise NotImplementedError

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers as the application does, but for what is changed."""
        started: HTTPResponseStartEvent | None = None

        async def changing(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and message["status"] in self.statuses:
                started = message
            elif message["type"] == "http.response.body" and started is not None:
                answered = await self.answer(scope, started, message)
                started = None
                for part in answered:
                    await send(part)
            else:
                await send(message)

        await next_app(scope, receive, changing)
