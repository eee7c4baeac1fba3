"""Decorators that make handlers of routes, as the framework's; and what a route says of itself
where the framework has no words for it.

Most of a route's problems follow from its guard, its path and the parameters of its handler. Only
the codes of its own rules are listed, by `problems`.
"""

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from inspect import cleandoc, signature
from typing import Any, Self

from litestar import Controller, Router
from litestar.connection import ASGIConnection
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.params import Body, BodyKwarg

from service.http.requests.idempotency import remembering
from service.http.requests.request_form import OPTIONS, RouteOptions, options_of

INSTEAD = "instead"
"""In the `opt` of a controller that has routes in common with another one: words of their names
and summaries, and those that stand there instead."""


class Handler(HTTPRouteHandler):
    """A handler that is not copied for each guard of each request: the framework's copy takes a
    tenth of a short answer's time, and our guards change nothing of it. Nor is what it declares
    copied for each application: half of the time of making one.

    What changes something is remembered under an idempotency key, unless it takes `once`."""

    def __call__(self, fn: Callable[..., Any]) -> Self:
        """Makes the function this handler's."""
        changes = "GET" not in self.http_methods and options_of(self).remembered
        if changes and "once" not in signature(fn).parameters:
            fn = remembering(fn, self.status_code, looks_back=options_of(self).looks_back)
        super().__call__(fn)
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy(self)

    async def authorize_connection(self, connection: ASGIConnection[Any, Any, Any, Any]) -> None:
        """Asks the guards in turn. Raises what they raise."""
        for guard in self.resolve_guards():
            await guard(connection, self)  # type: ignore[misc]  # the framework makes it awaitable


class Part(Router):
    """Routes that are made for one application, which takes them as they are."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


get = partial(Handler, http_method="GET")
post = partial(Handler, http_method="POST")
patch = partial(Handler, http_method="PATCH")
delete = partial(Handler, http_method="DELETE")


class OfTournament(Controller):
    """Routes of one tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("tournaments",)


def problems(codes: str = "", **more: Any) -> dict[str, Any]:
    """The `opt` of a route whose own rules refuse with these codes, with spaces between; `more` are
    its other options."""
    return {OPTIONS: RouteOptions(tuple(codes.split()), **more)}


def examples(values: Mapping[str, Any], component: str = "") -> BodyKwarg:
    """Examples of a body by their names; `component` is the schema of one that has no class."""
    example_list = [Example(summary=name, value=value) for name, value in values.items()]
    body: BodyKwarg = Body(examples=example_list, title=component or None)
    return body


def answer_of(kind: type[Any]) -> ResponseSpec:
    """One more answer of this type, which says first what it is."""
    return ResponseSpec(kind, generate_examples=False, description=said_of(kind))


def said_of(kind: type[Any]) -> str:
    """What a type says first of itself."""
    return " ".join(cleandoc(kind.__doc__ or "").partition("\n\n")[0].split())
