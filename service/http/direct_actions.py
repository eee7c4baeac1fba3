"""The route of actions without the framework's layers: what players do most has the shortest way.

It takes requests as clients send them in play: to the plain path, with a key that is known already.
Everything else goes through the framework, whose route calls the same function and answers with the
same bytes.
"""

from typing import cast
from uuid import UUID

from litestar import Request, Response
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from service.http.actions import take_action
from service.http.authentication import key_in
from service.http.caching import error_handlers
from service.http.context import AppContext
from service.http.problems import AnyRequest
from service.http.rate_limiting import RateLimiting

BEFORE, AFTER = "/v1/matches/", "/actions"
UUID_SIZE = 36
PATH_SIZE = len(BEFORE) + UUID_SIZE + len(AFTER)

TEMPLATE = "/v1/matches/{match_id}/actions"
"""The name of the route in the log and the metrics."""


class DirectActions:
    """Answers actions; everything else is passed to the application."""

    def __init__(self, app: ASGIApp, context: AppContext, limits: RateLimiting) -> None:
        self._app = app
        self._context = context
        self._limits = limits
        self._handlers = error_handlers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        match_id = _match_of(cast(HTTPScope, scope))
        key = None if match_id is None else key_in(scope["headers"])
        if match_id is None or key is None or self._context.instance.keyring.known(key) is None:
            await self._app(scope, receive, send)
            return
        scope["path_template"] = TEMPLATE
        scope.setdefault("state", {})

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            request: AnyRequest = Request(scope, receive, send)
            try:
                response = await take_action(self._context, request, match_id)
            except Exception as error:  # noqa: BLE001  the framework's route answers all of them
                response = self._problem(request, error).to_asgi_response(None, request)
            await response(scope, receive, send)

        await self._limits.handle(scope, receive, send, answer)

    def _problem(self, request: AnyRequest, error: Exception) -> Response[bytes]:
        kind = next(kind for kind in type(error).__mro__ if kind in self._handlers)
        problem: Response[bytes] = self._handlers[kind](request, error)
        return problem


def _match_of(scope: HTTPScope) -> UUID | None:
    """The match to which an action is sent; None for any other request."""
    path = scope["path"]
    if scope["method"] != "POST" or len(path) != PATH_SIZE or scope["query_string"]:
        return None
    if not (path.startswith(BEFORE) and path.endswith(AFTER)):
        return None
    try:
        return UUID(path[len(BEFORE) : -len(AFTER)])
    except ValueError:
        return None
