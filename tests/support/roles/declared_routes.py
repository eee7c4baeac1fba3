"""Every route of an application, and what it declares of its users."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from service.http.description.described import body_of, operation_id
from tests.support.http.routes import description
from tests.support.roles.key_holders import NOWHERE, Place

BROKEN = b"{"
"""A body that every route refuses with 400, once it has let the key in."""


@dataclass(frozen=True)
class Route:
    """A method of a path. `names_audience` says where a request names the audience that it wants to
    read as, if it can; `examples` are bodies that the route takes."""

    method: str
    path: str
    parameters: frozenset[str]
    security: tuple[dict[str, list[str]], ...]
    names_audience: Literal["query", "body"] | None
    examples: tuple[bytes, ...]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def at(self, place: Place) -> str:
        """The path to a place. What the place has no value for is missing there."""
        return self.path.format(**(dict.fromkeys(self.parameters, NOWHERE) | place.values))

    @property
    def roles(self) -> set[str]:
        """The roles that are named; none where every key, or everyone, is let in."""
        return {role for requirement in self.security for role in requirement.get("key", ())}

    @property
    def takes_no_key(self) -> bool:
        """Whether one may come without a key, at least once the match is over."""
        return {} in self.security

    @property
    def has_public_address(self) -> bool:
        """Whether with `as=public` no key is read: the address is the same for all."""
        return self.path.endswith(("/view", "/events"))


def routes(app: Litestar) -> Iterator[Route]:
    """The routes of an application, with its pages, without the framework's OPTIONS."""
    paths: dict[str, Any] = description()["paths"]
    declared = {
        operation.get("operationId"): operation
        for operations in paths.values()
        for operation in operations.values()
    }
    for route in app.routes:
        assert isinstance(route, HTTPRoute), f"no cells for {route.path}"
        for handler in route.route_handlers:
            for method in sorted(handler.http_methods - {"OPTIONS"}):
                operation = declared.get(operation_id(handler), {})
                yield _route(method, route, handler, operation)


def _route(
    method: str, route: HTTPRoute, handler: HTTPRouteHandler, operation: dict[str, Any]
) -> Route:
    body, data = body_of(handler), handler.parsed_fn_signature.parameters.get("data")
    named: Literal["query", "body"] | None = None
    if any(one["name"] == "as" for one in operation.get("parameters", ())):
        named = "query"
    elif data is not None and "as" in _fields(data.annotation):
        named = "body"
    examples = (None,) if body is None else [one.value for one in body.examples or ()]
    return Route(
        method,
        route.path_format,
        frozenset(route.path_parameters),
        tuple(handler.security or ()),
        named,
        tuple(b"" if one is None else msgspec.json.encode(one) for one in examples),
    )


def _fields(kind: Any) -> set[str]:
    """The fields of a body that is one Struct."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {field.encode_name for field in msgspec.structs.fields(kind)}
    return set()
