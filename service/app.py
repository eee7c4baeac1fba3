"""The application: every route of one instance."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from litestar import Litestar, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme, Tag
from litestar.response.base import ASGIResponse

from service.access.edge import Edge
from service.http import (
    actions,
    evidence,
    games,
    ledger,
    matches,
    schema,
    seeds,
    streams,
    tickets,
    tournaments,
    views,
)
from service.http.bodies import Health
from service.http.limiting import Limiting
from service.http.problems import HANDLERS, RETRY_AFTER, Failed
from service.http.reading import BODY_LIMIT
from service.http.responses import json, raises, returns
from service.operation.readiness import Probe, Readiness, Readings
from service.stores import Stores

DESCRIPTION = """Arbiter runs and referees hidden-information games.

Each audience (the public, a seat, the moderators) sees a match through its own events, counted
1, 2, 3 without gaps. Nothing is needed to read what is public; everything else takes a key.
Errors are RFC 9457 documents with a stable `code`."""

MADE = (matches, views, actions, seeds, evidence, tournaments, ledger)
"""The parts of the API whose routes need an instance."""


def create_app(
    stores: Stores,
    more: Sequence[HTTPRouteHandler] = (),
    probes: Mapping[str, Probe] | None = None,
    edge: Edge | None = None,
) -> Litestar:
    """The ASGI application of an instance, which runs from its startup to its shutdown.

    `probes` say of the parts that it depends on whether they are up; `edge` measures requests
    and gives tickets, in the memory of this process if nothing else is said.
    """
    edge = edge or Edge()

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        try:
            async with stores.running():
                yield
        finally:
            await edge.close()

    @get(
        "/healthz",
        operation_id="health",
        summary="Whether the service is up",
        tags=["operation"],
        responses=raises("try_again"),
    )
    async def health() -> Health:
        """Up, as long as it can judge, commit and keep deadlines."""
        if stores.broken.is_set():
            raise Failed("try_again")
        return Health("up")

    handlers = [
        health,
        _readiness(stores, probes or {}),
        *games.ROUTES,
        *(route for made in MADE for route in made.routes(stores)),
        *streams.routes(stores, edge),
        *tickets.routes(stores, edge.tickets),
    ]
    # The framework describes the routes; it serves none of its own pages.
    described = Litestar(route_handlers=handlers, openapi_config=_openapi(), logging_config=None)
    return Litestar(
        route_handlers=[*handlers, *schema.routes(described.openapi_schema.to_schema()), *more],
        lifespan=[lifespan],
        middleware=[Limiting(edge.gate, lambda key: stores.knows(key), edge.tickets.known)],
        exception_handlers=HANDLERS,
        request_max_body_size=BODY_LIMIT,
        logging_config=None,
        openapi_config=None,
    )


def _readiness(stores: Stores, probes: Mapping[str, Probe]) -> HTTPRouteHandler:
    async def serving() -> bool:
        return not stores.broken.is_set()

    readings = Readings({"service": serving, **probes})

    @get(
        "/readyz",
        operation_id="readiness",
        summary="Whether the service can do its work now",
        tags=["operation"],
        responses={**returns(200, Readiness), **returns(503, Readiness)},
    )
    async def ready() -> ASGIResponse:
        """For who sends requests here or elsewhere: not while the service is stopping."""
        if stores.stopping.is_set():
            readiness = Readiness(ready=False, checks={"service": "down"})
        else:
            readiness = await readings.now()
        headers = {"Cache-Control": "no-store"}
        if readiness.ready:
            return json(readiness, 200, headers)
        return json(readiness, 503, {**headers, "Retry-After": RETRY_AFTER})

    return ready


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Arbiter",
        version=version("arbiter"),
        description=DESCRIPTION,
        license=License(name="MIT", identifier="MIT"),
        tags=[
            Tag(name="games", description="What can be played"),
            Tag(name="matches", description="Creating, starting and listing matches"),
            Tag(name="play", description="What seats do"),
            Tag(name="reading", description="What audiences see"),
            Tag(name="moderation", description="What moderators do"),
            Tag(name="evidence", description="What proves a match to a stranger"),
            Tag(name="tournaments", description="Rosters, standings, and the ledger of garnets"),
            Tag(name="operation", description="How the service is"),
        ],
        components=Components(
            security_schemes={
                "key": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="A key of an organiser, of a match's moderator, of a seat, or of "
                    "a tournament's player or moderator",
                )
            }
        ),
        use_handler_docstrings=True,
        render_plugins=[JsonRenderPlugin()],
    )
