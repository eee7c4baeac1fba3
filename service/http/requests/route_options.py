"""What a route says of itself where the framework has no words for it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from litestar.datastructures import ResponseHeader
from litestar.handlers import BaseRouteHandler
from litestar.params import BodyKwarg
from msgspec import Struct

OPTIONS = "options"
"""Where the `opt` of a route has its `RouteOptions`."""


class RouteOptions(Struct, frozen=True):
    """The `codes` of the problems by a route's own rules; the types of its answer, or of each line
    of it, by media type (`content`); and headers of its problems by their status.

    If its handler decodes its body: the examples of one, and its types by media type (`bodies`). A
    `conditional` one reads `If-None-Match`, without what the framework's own way of reading a
    header costs. One for `any_query` ignores parameters that it does not know. What changes
    something is `remembered` under an idempotency key, unless its handler looks after those without
    taking `once`; a handler that `looks_back` looks for the first try of a request on record.

    Requests that are not `counted` are answered however busy the service is: orchestrators ask
    there, and busy is not dead. What is `urgent` is answered while others are refused because the
    event loop is behind. What is not `stored` can always be answered. With `as=public` the
    address of a route that is `public` is the same for everyone; without it, too, if it is that
    `alone`.
    """

    codes: tuple[str, ...] = ()
    content: Mapping[str, Any] = {}
    problem_headers: Mapping[str, Sequence[ResponseHeader]] = {}
    body: BodyKwarg | None = None
    bodies: Mapping[str, Any] = {}
    conditional: bool = False
    any_query: bool = False
    remembered: bool = True
    looks_back: bool = False
    counted: bool = True
    urgent: bool = False
    stored: bool = True
    public: Literal["as", "alone"] | None = None


NO_OPTIONS = RouteOptions()


def options_of(handler: BaseRouteHandler) -> RouteOptions:
    """What a route says of itself."""
    options: RouteOptions = handler.opt.get(OPTIONS, NO_OPTIONS)
    return options
