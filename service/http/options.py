"""OPTIONS (RFC 9110, 9.3.7): which methods an address has.

The framework's own answer names only the methods of the handler that was registered first.
"""

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, Receive, Scope, Send

from service.http.page_security import DATA_HEADER
from service.http.responses import EncodedResponse


class AllowedMethods(ASGIMiddleware):
    """Answers OPTIONS with all methods of the address."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Answers OPTIONS, or passes the request on."""
        if str(scope.get("method")) != "OPTIONS":
            await next_app(scope, receive, send)
            return
        template = scope["path_template"]
        methods: set[str] = {
            method
            for route in scope["litestar_app"].routes
            if isinstance(route, HTTPRoute) and route.path_format == template
            for method in route.methods
        }
        methods |= {"HEAD"} if "GET" in methods else set()
        allow = ", ".join(sorted(methods)).encode()
        answer = EncodedResponse(b"", 204, [(b"allow", allow), DATA_HEADER])
        await answer(scope, receive, send)
