"""The API's description, from what the framework derives and what the routes declare.

Schemas come from the Structs themselves, so that tagged unions have their discriminators and
request bodies are closed. The views of the games are added to the view of a match.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme, Tag
from litestar.routes import HTTPRoute
from msgspec import Struct

from domain.games import GAMES
from projections.boards import BOARDS
from service.http.game_schemas import ANY_ACTION, GameTypes, game_schemas
from service.http.operation import Header, declaration_of, described_headers, reference
from service.http.problems import MEDIA_TYPE, TITLES, Problem
from service.http.rate_limiting import HEALTH

DESCRIPTION = """Arbiter runs and referees hidden-information games.

Each audience (the public, a seat, the moderators) sees a match through its own events, counted
1, 2, 3 without gaps. Nothing is needed to read what is public; everything else takes a key.
Errors are RFC 9457 documents with a stable `code`.

The [documentation](/docs) shows how it is used, endpoint by endpoint."""

CONFIG = OpenAPIConfig(
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
                "a tournament's player or moderator. Where an operation names roles, it needs a "
                "key of one of them; where it needs a key without a role, any valid key will do",
            )
        }
    ),
    use_handler_docstrings=True,
    render_plugins=[JsonRenderPlugin()],
)

NAMED_ID = re.compile(r"\{\w+_id\}")
"""A path parameter that handlers cannot call `id`, as the description does."""

RATE_LIMITED: dict[str, Any] = {
    "description": f"`too_many_requests`: {TITLES['too_many_requests'][1]}",
    "content": {MEDIA_TYPE: {"schema": reference(Problem.__name__)}},
}
"""An answer of every route that is counted."""

ERROR_HEADERS = {
    "401": Header("WWW-Authenticate", "`Bearer`"),
    "429": Header("Retry-After", "Seconds until the next attempt"),
    "503": Header("Retry-After", "Seconds until the next attempt"),
}


def description(app: Litestar) -> dict[str, Any]:
    """The description of an application's routes."""
    document = app.openapi_schema.to_schema()
    components = document["components"]
    components["schemas"] = {**components.get("schemas", {}), **_components(app)}
    document["paths"] = {
        NAMED_ID.sub("{id}", path): operations for path, operations in document["paths"].items()
    }
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _complete(operation, counted=path not in HEALTH)
    return document


def _complete(operation: dict[str, Any], *, counted: bool) -> None:
    """Adds what follows for every operation: its errors, and the absence of a key."""
    responses: dict[str, Any] = operation["responses"]
    for status in [status for status in responses if status >= "400"]:
        # Errors are problems: others are the framework's own guesses.
        if MEDIA_TYPE not in responses[status].get("content", {}):
            del responses[status]
    if counted:
        own = responses.get("429", {}).get("description")
        said = "; ".join(filter(None, (RATE_LIMITED["description"], own)))
        responses["429"] = {**RATE_LIMITED, "description": said}
    for status, header in ERROR_HEADERS.items():
        if status in responses:
            responses[status]["headers"] = described_headers([header])
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path" and parameter["name"].endswith("_id"):
            parameter["name"] = "id"
    operation.setdefault("security", [])


def _components(app: Litestar) -> dict[str, Any]:
    """The schema of every type that a route receives or answers, by its name."""
    handlers = list(_handlers(app))
    structs = {kind for handler in handlers for kind in _types(handler) if _is_struct(kind)}
    unions = dict(_unions(handlers))
    ordered = sorted(structs, key=lambda struct: struct.__name__)
    each, schemas = _schemas([*ordered, *unions.values()])
    schemas |= dict(zip(unions, each[len(ordered) :], strict=True))
    types = (GameTypes(game.id, game.Action, BOARDS[game.id].View) for game in GAMES.values())
    games = game_schemas(types, schemas)
    schemas["View"]["properties"]["view"] = {
        "description": "Null before the start; otherwise the game's own view",
        "anyOf": [{"type": "null"}, *games.views],
    }
    return schemas | games.components | {ANY_ACTION: games.action}


def _schemas(types: Sequence[Any]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    return msgspec.json.schema_components(types, ref_template=reference("{name}")["$ref"])


def _handlers(app: Litestar) -> Iterator[HTTPRouteHandler]:
    """The handlers that are described."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            yield from (one for one in route.route_handlers if one.resolve_include_in_schema())


def _types(handler: HTTPRouteHandler) -> Iterator[Any]:
    """What a handler receives and answers."""
    yield handler.parsed_fn_signature.return_type.annotation
    yield from (response.data_container for response in (handler.responses or {}).values())
    declared = declaration_of(handler)
    yield from declared.content.values()
    if declared.body is not None:
        yield declared.body.kind


def _unions(handlers: Iterable[HTTPRouteHandler]) -> Iterator[tuple[str, Any]]:
    """The unions that handlers receive, by the names of their components."""
    for handler in handlers:
        body = declaration_of(handler).body
        if body is not None and body.component and body.kind is not None:
            yield body.component, body.kind


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
