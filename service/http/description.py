"""The description of the API: what the framework derives, with what it cannot know put right.

Schemas come from the Structs themselves, so that tagged unions have their discriminators and
request bodies are closed; the bodies that handlers read by themselves, and the views of each game,
are put in.
"""

from functools import reduce
from operator import or_
from typing import Any

import msgspec

from domain.games import GAMES
from projections.boards import BOARDS
from projections.lines import Line
from projections.menu import Entry, MenuAnswer
from projections.sight import View
from service.http import bodies, tickets, tournament_bodies
from service.http.limiting import API
from service.http.problems import MEDIA_TYPE, TITLES, Problem
from service.storage.index import MatchPage, TournamentPage

REFERENCE = "#/components/schemas/{name}"
ACTION = reduce(or_, (game.Action for game in GAMES.values()))
VIEWS = [BOARDS[game].View for game in GAMES]

COMPONENTS: tuple[Any, ...] = (
    bodies.NewMatch, bodies.CreatedMatch, bodies.EnteredDraw, bodies.Taken, bodies.EventPage,
    bodies.GameList, bodies.GameAnswer, bodies.Health, Line, Entry, MenuAnswer, View, MatchPage,
    tournament_bodies.NewTournament, tournament_bodies.CreatedTournament,
    tournament_bodies.NewPlayer, tournament_bodies.PlayerKey, tournament_bodies.NewModerator,
    tournament_bodies.ModeratorKey, tournament_bodies.Assignment, tournament_bodies.GivenMatch,
    tournament_bodies.Garnets, tournament_bodies.TournamentAnswer, tournament_bodies.Ledger,
    TournamentPage, tickets.NewTicket, tickets.GivenTicket, Problem, ACTION, *VIEWS,
)  # fmt: skip

ACTION_EXAMPLES = {
    "choose_side": {"type": "choose_side", "side": "heads"},
    "place": {"type": "place", "coin": "penny"},
    "play": {"type": "play", "chip": 12},
}

BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "createMatch": (
        "NewMatch",
        {"dollar_prize": {"value": {"game": "dollar-prize", "seats": ["Ann", "Ben"]}}},
    ),
    "enterDraw": (
        "EnteredDraw",
        {
            "flips": {
                "value": {
                    "id": "setup",
                    "outcome": ["heads", "tails", "heads", "heads", "tails"],
                }
            }
        },
    ),
    "createTournament": (
        "NewTournament",
        {
            "cup": {
                "value": {
                    "name": "Spring Cup",
                    "players": ["Ann", "Ben"],
                    "moderators": ["Mo"],
                    "garnets": {"Ann": 3},
                }
            }
        },
    ),
    "enterPlayer": ("NewPlayer", {"cy": {"value": {"name": "Cy", "garnets": 2}}}),
    "appointModerator": ("NewModerator", {"mia": {"value": {"name": "Mia"}}}),
    "giveMatch": ("Assignment", {"first": {"value": {"moderator": 0}}}),
    "postGarnets": (
        "Garnets",
        {"prize": {"value": {"player": 0, "amount": 2, "reason": "best of the day"}}},
    ),
    "giveStreamTicket": ("NewTicket", {"own": {"value": {}}, "seat": {"value": {"as": "seat:0"}}}),
    "act": ("Action", {name: {"value": value} for name, value in ACTION_EXAMPLES.items()}),
}
"""The request bodies: operation, component, examples."""

OPTIONAL = ("giveStreamTicket",)
"""What may be asked for without a body."""


ONCE = (
    "1 to 255 visible ASCII characters; the same key and request again changes nothing more, and "
    "does not show a key again"
)

HEADERS = {
    "createMatch": {"Idempotency-Key": ONCE},
    "createTournament": {"Idempotency-Key": ONCE},
    "enterPlayer": {"Idempotency-Key": ONCE},
    "appointModerator": {"Idempotency-Key": ONCE},
    "postGarnets": {"Idempotency-Key": ONCE},
    "act": {
        "Idempotency-Key": "1 to 255 visible ASCII characters; the same key and action again is "
        "answered as it was the first time",
        "If-Match": "The `ETag` of the view that the action is meant for",
    },
    "viewMatch": {"If-None-Match": "The `ETag` of the view that is known already"},
}
"""The headers that handlers read by themselves."""


KEY: list[dict[str, list[str]]] = [{"key": []}]
KEYED = (
    "createMatch", "startMatch", "listActions", "act", "enterDraw", "closePhase",
    "createTournament", "enterPlayer", "appointModerator", "giveMatch", "postGarnets",
    "showLedger", "giveStreamTicket",
)  # fmt: skip
"""What takes a key; reading what is public takes none, and more with one."""
READING = ("viewMatch", "listEvents", "streamEvents")

REPEATED = (
    "createMatch", "act", "createTournament", "enterPlayer", "appointModerator", "giveMatch",
    "postGarnets",
)  # fmt: skip
"""What is answered 200 when it has been done before."""

LOCATED = {"createMatch": "The view of the match", "createTournament": "The tournament"}
"""What is answered with a `Location`."""

PATHS = {"match_id": "The id of the match", "tournament_id": "The id of the tournament"}
"""What is called `id` in paths, and otherwise by handlers, where that is a function."""

TAGGED = ("act", "startMatch", "enterDraw", "closePhase", "listActions", "viewMatch", "listEvents")
"""What is answered with an `ETag`."""


MEASURED: dict[str, Any] = {
    "description": f"`too_many_requests`: {TITLES['too_many_requests'][1]}",
    "content": {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format(name="Problem")}}},
}
"""What everything may be answered that is measured."""


def described(document: dict[str, Any]) -> dict[str, Any]:
    """The framework's OpenAPI document, made true."""
    schemas, made = _components()
    schemas["View"]["properties"]["view"] = {
        "description": "Null before the start; otherwise the game's own view",
        "anyOf": [{"type": "null"}, *made],
    }
    document["components"]["schemas"] = {**document["components"].get("schemas", {}), **schemas}
    document["paths"] = {
        path.replace("{match_id}", "{id}").replace("{tournament_id}", "{id}"): operations
        for path, operations in document["paths"].items()
    }
    for path, operations in document["paths"].items():
        for operation in operations.values():
            if path.startswith(API):
                operation["responses"]["429"] = {**MEASURED}
            _describe(operation)
    return document


def _components() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Every component's schema, and references to the views of the games."""
    wanted = [kind for kind in COMPONENTS if kind is not ACTION and kind not in VIEWS]
    _, schemas = msgspec.json.schema_components(wanted, ref_template=REFERENCE)
    (action,), actions = msgspec.json.schema_components([ACTION], ref_template=REFERENCE)
    schemas |= actions | {"Action": action}
    references = []
    for game in GAMES.values():
        name = "".join(word.capitalize() for word in game.id.split("-")) + "View"
        (reference,), parts = msgspec.json.schema_components(
            [BOARDS[game.id].View], ref_template=REFERENCE
        )
        schemas[name] = parts.pop(reference["$ref"].rsplit("/", 1)[1])
        schemas |= parts
        references.append({"$ref": REFERENCE.format(name=name)})
    return schemas, references


def _describe(operation: dict[str, Any]) -> None:
    name = operation.get("operationId")
    if name in BODIES:
        component, examples = BODIES[name]
        operation["requestBody"] = {
            "required": name not in OPTIONAL,
            "content": {
                "application/json": {
                    "schema": {"$ref": REFERENCE.format(name=component)},
                    "examples": examples,
                }
            },
        }
    _answers(operation)
    for parameter in operation.get("parameters", []):
        if parameter["name"] in PATHS:
            parameter |= {"name": "id", "description": PATHS[parameter["name"]]}
        elif parameter["in"] == "path" and parameter["name"] == "match":
            parameter |= {"description": PATHS["match_id"]}
    for header, meaning in HEADERS.get(str(name), {}).items():
        operation.setdefault("parameters", []).append(
            {
                "name": header,
                "in": "header",
                "required": False,
                "schema": {"type": "string"},
                "description": meaning,
            }
        )
    operation["security"] = KEY if name in KEYED else [*KEY, {}] if name in READING else []
    _answer_headers(str(name), operation["responses"])
    if name in REPEATED:
        operation["responses"]["200"] = {
            **operation["responses"]["201"],
            "description": "The same request again; `Idempotent-Replayed: true`",
        }
    if name == "viewMatch":
        operation["responses"]["304"] = {"description": "The view that is known already"}
    if name == "streamEvents":
        operation["responses"]["200"]["content"] = {
            "text/event-stream": {"schema": {"type": "string"}},
            "application/x-ndjson": {"schema": {"$ref": REFERENCE.format(name="Line")}},
        }


def _answers(operation: dict[str, Any]) -> None:
    """Errors are problems: what the framework supposes of its own is left out."""
    responses: dict[str, Any] = operation["responses"]
    for status in [status for status in responses if status >= "400"]:
        if MEDIA_TYPE not in responses[status].get("content", {}):
            del responses[status]


def _answer_headers(name: str, responses: dict[str, Any]) -> None:
    for status, response in responses.items():
        meant = {}
        if status < "300" and name in TAGGED:
            meant["ETag"] = "The audience and the number of its last event"
        if status == "201" and name in LOCATED:
            meant["Location"] = LOCATED[name]
        if status == "401":
            meant["WWW-Authenticate"] = "`Bearer`"
        if status in ("429", "503"):
            meant["Retry-After"] = "In how many seconds to ask again"
        if meant:
            response["headers"] = {
                header: {"description": text, "schema": {"type": "string"}}
                for header, text in meant.items()
            }
