"""The application: every route of one instance."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from litestar import Litestar, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme, Tag

from service.arbiter import Arbiter
from service.http import (
    actions,
    evidence,
    games,
    ledger,
    matches,
    schema,
    seeds,
    streams,
    tournaments,
    views,
)
from service.http.bodies import Health
from service.http.problems import HANDLERS, Failed
from service.http.reading import BODY_LIMIT
from service.http.responses import raises

DESCRIPTION = """Arbiter runs and referees hidden-information games.

Each audience (the public, a seat, the moderators) sees a match through its own events, counted
1, 2, 3 without gaps. Nothing is needed to read what is public; everything else takes a key.
Errors are RFC 9457 documents with a stable `code`."""

MADE = (matches, views, actions, seeds, streams, evidence, tournaments, ledger)
"""The parts of the API whose routes need an instance."""


def create_app(arbiter: Arbiter, more: Sequence[HTTPRouteHandler] = ()) -> Litestar:
    """The ASGI application of an instance, which runs from its startup to its shutdown."""

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with arbiter.running():
            yield

    @get(
        "/healthz",
        operation_id="health",
        summary="Whether the service is up",
        tags=["operation"],
        responses=raises("try_again"),
    )
    async def health() -> Health:
        """Up, as long as it can judge, commit and keep deadlines."""
        if arbiter.broken.is_set():
            raise Failed("try_again")
        return Health("up")

    handlers = [
        health,
        *games.ROUTES,
        *(route for made in MADE for route in made.routes(arbiter)),
    ]
    # The framework describes the routes; it serves none of its own pages.
    described = Litestar(route_handlers=handlers, openapi_config=_openapi(), logging_config=None)
    return Litestar(
        route_handlers=[*handlers, *schema.routes(described.openapi_schema.to_schema()), *more],
        lifespan=[lifespan],
        exception_handlers=HANDLERS,
        request_max_body_size=BODY_LIMIT,
        logging_config=None,
        openapi_config=None,
    )


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
