"""The routes of the application, as its router has them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from service.app import api_description, route_handlers


@cache
def description() -> dict[str, Any]:
    """The description of the API. Made once a process; nobody changes it."""
    return api_description()


@cache
def routes() -> list[HTTPRoute]:
    """Made once a process, and without the description, which takes as long again."""
    app = Litestar(route_handlers=route_handlers(), openapi_config=None, logging_config=None)
    return [route for route in app.routes if isinstance(route, HTTPRoute)]


def handlers(method: str) -> Iterator[tuple[str, HTTPRouteHandler]]:
    for route in routes():
        for handler in route.route_handlers:
            if method in handler.http_methods:
                yield route.path_format, handler


def operation_ids() -> list[str]:
    """The operations that are described; `parameters` of a path are none."""
    items = description()["paths"].values()
    return sorted(
        operation["operationId"]
        for item in items
        for method, operation in item.items()
        if method != "parameters"
    )
