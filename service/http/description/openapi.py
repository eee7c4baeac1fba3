"""The API's description, from what the routes declare.

`service/http/description/components.py` has the schemas.
"""

from importlib.metadata import version
from typing import Any

from litestar import Litestar

from service.http.description.components import components, described_handlers
from service.http.description.described import operation
from service.http.description.notice_schemas import webhooks
from service.http.errors.route_mistakes import NAMED_ID

DESCRIPTION = """Arbiter runs and referees hidden-information games.

Each audience (the public, a seat, the moderators) sees a match through its own events, counted
1, 2, 3 without gaps. Nothing is needed to read what is public; everything else takes a key.
Errors are RFC 9457 documents with a stable `code`.

The [documentation](/docs) shows how it is used, endpoint by endpoint."""


TAGS = {
    "games": "What can be played",
    "matches": "Creating, starting and listing matches",
    "play": "What seats do",
    "reading": "What audiences see",
    "moderation": "What moderators do",
    "evidence": "What proves a match to a stranger",
    "tables": "Matches that anyone opens and plays with friends, without an organiser",
    "tournaments": "Rosters, standings, and the ledger of garnets",
    "notices": "What is sent to those who do not watch",
    "operation": "How the service is",
}

KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key of an organiser, of a match's moderator, of a seat, or of a tournament's "
    "player or moderator. Where an operation names roles, it needs a key of one of them; where it "
    "needs a key without a role, any valid key will do",
}


def description(app: Litestar) -> dict[str, Any]:
    """The description of an application's routes."""
    paths: dict[str, dict[str, Any]] = {}
    for path, handler in described_handlers(app):
        for method in handler.http_methods:
            operations = paths.setdefault(NAMED_ID.sub("{id}", path), {})
            operations[method.lower()] = operation(path, handler)
    # The framework has the methods of a path in no order.
    paths = {path: dict(sorted(operations.items())) for path, operations in paths.items()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Arbiter",
            "version": version("arbiter"),
            "description": DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "webhooks": webhooks(),
        "components": {
            "securitySchemes": {"key": KEY},
            "schemas": dict(sorted(components(app).items())),
        },
    }
