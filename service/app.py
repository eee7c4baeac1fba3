"""The application: every route of one instance."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

import msgspec
from litestar import Litestar, Router
from litestar.handlers import HTTPRouteHandler
from litestar.types import (
    ControllerRouterHandler,
    HTTPScope,
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Receive,
    Scope,
    Send,
)

from service.auth.request_guard import RequestGuard
from service.http import docs, openapi
from service.http.actions import ActionsController
from service.http.caching import with_cache_headers
from service.http.calendars import CalendarsController, FeedController
from service.http.cases import CasesController
from service.http.compression import CompressedPages
from service.http.context import AppContext
from service.http.demo import StartsDemos
from service.http.dependencies import DEPENDENCIES
from service.http.described import Declared, check_declared
from service.http.evidence import EvidenceController, SigningKeysController
from service.http.exports import ExportController
from service.http.games import GamesController
from service.http.head import answer_head
from service.http.health import HealthController
from service.http.invitations import InvitationsController
from service.http.keys import KeysController, MatchKeysController
from service.http.limits import BODY_LIMIT
from service.http.matches import MatchesController, ModerationController
from service.http.options import AllowedMethods
from service.http.page_security import DATA, POLICY
from service.http.pages import PagesController
from service.http.people import PEOPLE
from service.http.people.errors import page_or_problem
from service.http.problems import HANDLERS
from service.http.rate_limiting import RateLimiting
from service.http.reads import ReadsController
from service.http.request_form import StrictRequest, check_form
from service.http.rulings import RulingsController, TournamentRulingsController
from service.http.streams import StreamsController
from service.http.timelines import TimelinesController
from service.http.tournaments import TournamentsController
from service.http.views import ViewsController
from service.http.webhooks import WebhooksController
from service.instance import Instance
from service.observability.readiness import CachedReadiness, Probe
from service.web.first_use import made_at_first_use

CONTROLLERS = (
    HealthController,
    GamesController,
    MatchesController,
    ModerationController,
    ExportController,
    CasesController,
    MatchKeysController,
    KeysController,
    InvitationsController,
    ViewsController,
    TimelinesController,
    ActionsController,
    RulingsController,
    EvidenceController,
    SigningKeysController,
    ReadsController,
    TournamentsController,
    TournamentRulingsController,
    StreamsController,
    WebhooksController,
    CalendarsController,
    FeedController,
)


def api() -> Router:
    """The API: what each route declares is read strictly, and its handlers are given services."""
    return Router(
        "/",
        route_handlers=CONTROLLERS,
        before_request=check_form,
        request_class=StrictRequest,
        dependencies=DEPENDENCIES,
    )


class Application(Litestar):
    """The application, which answers HEAD wherever it answers GET."""

    async def __call__(
        self,
        scope: Scope | LifeSpanScope,
        receive: Receive | LifeSpanReceive,
        send: Send | LifeSpanSend,
    ) -> None:
        """Answers a request."""
        if scope.get("method") == "HEAD":
            request = cast(HTTPScope, scope)
            await answer_head(super().__call__, request, cast(Receive, receive), cast(Send, send))
        else:
            await super().__call__(scope, receive, send)


def create_app(
    instance: Instance,
    more: Sequence[HTTPRouteHandler] = (),
    probes: Mapping[str, Probe] | None = None,
    guard: RequestGuard | None = None,
    demo: StartsDemos | None = None,
) -> Litestar:
    """The ASGI application of an instance, which runs from its startup to its shutdown.

    `probes` check the parts that it depends on. `guard` counts requests and issues tickets, by
    default in the memory of this process. `demo` starts matches between bots.
    Raises AccessNotDeclared for a route that does not say who may use it.
    """
    guard = guard or RequestGuard()

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        try:
            async with instance.running():
                yield
        finally:
            await guard.close()

    async def serving() -> bool:
        return not instance.broken.is_set()

    readiness = CachedReadiness({"service": serving, **(probes or {})})
    describe = partial(_description, instance.settings.server.root)
    context = AppContext(instance, guard, readiness, describe, demo)
    app = Application(
        route_handlers=[*route_handlers(), *more],
        state=context.state(),
        lifespan=[lifespan],
        middleware=[
            RateLimiting(guard, lambda key: instance.keyring.known(key) is not None),
            AllowedMethods(),
        ],
        exception_handlers={
            kind: partial(page_or_problem, partial(with_cache_headers, handler))
            for kind, handler in HANDLERS.items()
        },
        request_max_body_size=BODY_LIMIT,
        response_headers={POLICY: DATA},
        logging_config=None,
        openapi_config=None,
        plugins=[Declared()],
    )
    check_declared(app.routes)
    return app


@made_at_first_use
def _description(root: str) -> bytes:
    """The same for every application of a process whose paths begin with `root`."""
    return msgspec.json.encode({**api_description(), "servers": [{"url": root or "/"}]})


def route_handlers() -> list[ControllerRouterHandler]:
    """Everything that the application serves: the API, and the pages."""
    pages: list[ControllerRouterHandler] = [PagesController, *PEOPLE, *docs.routes()]
    # The pages are the same for everybody. The API's answers may have secrets: never compressed.
    return [api(), Router("/", route_handlers=pages, middleware=[CompressedPages()])]


def api_description() -> dict[str, Any]:
    """The OpenAPI document. An application of its own derives it, so that the framework serves
    none of its own pages."""
    app = Litestar(
        route_handlers=[api()],
        openapi_config=openapi.CONFIG,
        logging_config=None,
        plugins=[Declared()],
    )
    return openapi.description(app)
