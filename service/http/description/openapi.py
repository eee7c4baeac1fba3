"""The API's description, from what the framework derives and what the routes declare.

`service/http/description/components.py` has the schemas.
"""

import re
from importlib.metadata import version
from typing import Any

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme, Tag

from service.http.description.components import components, described_handlers
from service.http.description.described import complete
from service.http.description.notice_schemas import webhooks
from service.http.description.schema_form import Schema, readable

DESCRIPTION = """Arbiter runs and referees hidden-information games.

Each audience (the public, a seat, the moderators) sees a match through its own events, counted
1, 2, 3 without gaps. Nothing is needed to read what is public; everything else takes a key.
Errors are RFC 9457 documents with a stable `code`.

The [documentation](/docs) shows how it is used, endpoint by endpoint."""


def operation_id(handler: HTTPRouteHandler, *_: Any) -> str:
    """The name of a handler as the description writes it."""
    first, *words = handler.handler_name.split("_")
    return first + "".join(map(str.capitalize, words))


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
        Tag(name="notices", description="What is sent to those who do not watch"),
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
    operation_id_creator=operation_id,
    render_plugins=[JsonRenderPlugin()],
)

NAMED_ID = re.compile(r"\{\w+_id\}")
"""A path parameter that handlers cannot call `id`, as the description does."""


def description(app: Litestar) -> dict[str, Any]:
    """The description of an application's routes."""
    document = app.openapi_schema.to_schema() | {"webhooks": webhooks()}
    schemas = document["components"].get("schemas", {})
    document["components"]["schemas"] = dict(sorted({**schemas, **components(app)}.items()))
    for path, handler in described_handlers(app):
        for method in handler.http_methods & {"GET", "POST", "DELETE"}:
            operation = document["paths"][path][method.lower()]
            complete(operation, path, handler)
            _complete(operation)
    document["paths"] = {
        NAMED_ID.sub("{id}", path): operations for path, operations in document["paths"].items()
    }
    return document


def _complete(operation: dict[str, Any]) -> None:
    """Puts the parameters of an operation into the form in which they are read, and says whether it
    needs no key."""
    # Those of the path first: a handler has some of them by what it depends on.
    operation.get("parameters", []).sort(key=lambda one: one["in"] != "path")
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path" and parameter["name"].endswith("_id"):
            parameter["name"] = "id"
        parameter["schema"] = readable(_parameter_schema(parameter["schema"]))
    operation.setdefault("security", [])


def _parameter_schema(schema: Schema) -> Schema:
    """The schema of a parameter as it is checked: without null, which no address can say, since a
    parameter that is left out has its default; and with whole limits for whole numbers."""
    own = {name: value for name, value in schema.items() if name != "oneOf"}
    for choice in schema.get("oneOf", ()):
        own |= {} if choice == {"type": "null"} else {**choice, **own}
    if "enum" in own:
        own["enum"] = [value for value in own["enum"] if value is not None]
    return own | {name: int(own[name]) for name in ("minimum", "maximum") if name in own}
