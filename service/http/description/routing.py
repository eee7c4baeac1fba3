"""Decorators that make handlers of routes, as the framework's."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, Self

from litestar.connection import ASGIConnection
from litestar.handlers import HTTPRouteHandler

from service.http.requests.idempotency import remembering
from service.http.requests.route_options import options_of


class Handler(HTTPRouteHandler):
    """A handler that is not copied for each guard of each request: the framework's copy takes a
    tenth of a short answer's time, and our guards change nothing of it.

    What changes something is remembered under an idempotency key, unless it takes `once`."""

    def __call__(self, fn: Callable[..., Any]) -> Self:
        """Makes the function this handler's."""
        changes = "GET" not in self.http_methods and options_of(self).remembered
        if changes and "once" not in signature(fn).parameters:
            fn = remembering(fn, self.status_code, looks_back=options_of(self).looks_back)
        super().__call__(fn)
        return self

    async def authorize_connection(self, connection: ASGIConnection[Any, Any, Any, Any]) -> None:
        """Raises what the guards raise."""
        for guard in self.resolve_guards():
            await guard(connection, self)  # type: ignore[misc]  # the framework makes it awaitable


get = partial(Handler, http_method="GET")
post = partial(Handler, http_method="POST")
patch = partial(Handler, http_method="PATCH")
delete = partial(Handler, http_method="DELETE")
