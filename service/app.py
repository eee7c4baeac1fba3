"""The application: every route of one instance."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import msgspec
from litestar import Controller, Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.types import ControllerRouterHandler

from service import http
from service.auth.request_guard import RequestGuard
from service.http import people
from service.http.description import openapi
from service.http.description.described import Declared
from service.http.description.routing import Part
from service.http.errors.handlers import HANDLERS
from service.http.middleware.head import AllowedMethods, Application
from service.http.middleware.limits import BODY_LIMIT
from service.http.middleware.page_security import DATA, POLICY
from service.http.middleware.rate_limiting import RateLimiting
from service.http.people.documentation import DocumentationController, PagesController
from service.http.people.pages import page_or_problem
from service.http.requests.context import AppContext, StartDemo
from service.http.requests.dependencies import DEPENDENCIES
from service.http.requests.request_form import StrictRequest, check_form
from service.instance import Instance
from service.observability.readiness import CachedReadiness, Probe
from service.web.first_use import made_at_first_use


def _controllers(package: ModuleType) -> list[type[Controller]]:
    """The controllers that the modules of a package and of its folders define, by name, but not
    those of which others are made."""
    modules = walk_packages(package.__path__, f"{package.__name__}.")
    controllers = [
        kind
        for module in map(import_module, [module.name for module in modules])
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Controller)
        and kind.__module__ == module.__name__
        and not kind.__subclasses__()
    ]
    return sorted(controllers, key=lambda kind: kind.__name__)


PAGES = (PagesController, DocumentationController)
PEOPLE = [kind for kind in _controllers(people) if kind not in PAGES]
CONTROLLERS = [kind for kind in _controllers(http) if kind not in (*PAGES, *PEOPLE)]


def api() -> Part:
    """The API: what each route declares is read strictly, and its handlers are given services."""
    return Part(
        "/",
        route_handlers=CONTROLLERS,
        before_request=check_form,
        request_class=StrictRequest,
        dependencies=DEPENDENCIES,
    )


def create_app(
    instance: Instance,
    more: Sequence[HTTPRouteHandler] = (),
    probes: Mapping[str, Probe] | None = None,
    guard: RequestGuard | None = None,
    demo: StartDemo | None = None,
) -> Litestar:
    """The ASGI application of an instance, which runs from its startup to its shutdown.

    `probes` check the parts that it depends on. `guard` counts requests and issues tickets, by
    default in the memory of this process. `demo` starts matches between bots.
    Raises AccessNotDeclared for a route that does not say who may use it.
    """
    guard = guard or RequestGuard()

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with instance.running():
            yield

    async def serving() -> bool:
        return not instance.broken.is_set()

    readiness = CachedReadiness({"service": serving, **(probes or {})})
    describe = partial(_description, instance.settings.server.root)
    context = AppContext(instance, guard, readiness, describe, demo)
    handlers: dict[type[Exception] | int, Any] = {
        kind: partial(page_or_problem, handler) for kind, handler in HANDLERS.items()
    }
    return Application(
        route_handlers=[*route_handlers(), *more],
        state=context.state(),
        lifespan=[lifespan],
        middleware=[
            RateLimiting(guard, lambda key: instance.keyring.find_cached(key) is not None),
            AllowedMethods(),
        ],
        exception_handlers=handlers,
        request_max_body_size=BODY_LIMIT,
        response_headers={POLICY: DATA},
        logging_config=None,
        openapi_config=None,
        plugins=[Declared()],
    )


@made_at_first_use
def _description(root: str) -> bytes:
    """The same for every application of a process whose paths begin with `root`."""
    return msgspec.json.encode({**api_description(), "servers": [{"url": root or "/"}]})


def route_handlers() -> list[ControllerRouterHandler]:
    """Everything that the application serves: the API, and the pages."""
    return [api(), *PAGES, Part("/", route_handlers=PEOPLE, include_in_schema=False)]


def api_description() -> dict[str, Any]:
    """The OpenAPI document."""
    app = Litestar([api()], openapi_config=None, logging_config=None, plugins=[Declared()])
    return openapi.description(app)
