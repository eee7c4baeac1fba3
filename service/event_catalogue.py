"""The catalogue of events on the wire, `events.md`, made from the API's description by
`python -m service.event_catalogue`.

`FORMAT.md` has the tables of what is stored.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import service.web
from domain.events import Event, stored_name
from domain.games import GAMES, RULES
from domain.match.events import MatchEvent
from domain.requirements import kinds
from service.app import api_description
from service.http.description.game_schemas import line_name

DOCUMENT = Path(service.web.__path__[0], "docs", "events.md")

INTRODUCTION = """# Every event

For authors of clients: what `GET …/events` and the streams send, one line for each event,
`{"seq","public_seq","at","type","data"}`. `seq` is the audience's own count; `public_seq` is the
event's number in the public's count, the one to cite, or null if the public has not got it; `at` is
when the event was recorded. A field with `?` may be left out, `[…]` is a list, `time` an instant in
RFC 3339, `base64` bytes. An event for *one seat* goes to the seat in its field `seat`. Moderators
get every event, and everyone does once a record is opened. `make tables` makes this page.

`GET /schema/openapi.json` has a schema of each; `Line` is the union of all. **Ignore lines of an
unknown type**: releases and games [add new ones](versions.md), and never change an existing one.
"""

AUDIENCES = {"public": "public", "own seat": "one seat", "sealed": "moderators"}

HEAD = "| type | for | meaning | data |\n|---|---|---|---|\n"


def catalogue() -> str:
    """The page."""
    schemas: dict[str, Any] = api_description()["components"]["schemas"]
    parts = [INTRODUCTION, "\n## A match of any game\n\n", _table(get_args(MatchEvent), schemas)]
    for game in GAMES.values():
        every = (kind for rules in RULES if rules.id == game.id for kind in kinds(rules.Event))
        parts += [f"\n## {game.title}\n\n", _table(dict.fromkeys(every), schemas)]
    return "".join(parts)


def _table(events: Iterable[type[Event]], schemas: dict[str, Any]) -> str:
    return HEAD + "".join(_row(kind, schemas) for kind in events)


def _row(kind: type[Event], schemas: dict[str, Any]) -> str:
    stored = stored_name(kind)
    line = schemas[line_name(stored)]
    data = line["properties"]["data"]
    fields = (
        f"`{name}{'' if name in data['required'] else '?'}` {_type(schema)}"
        for name, schema in data.get("properties", {}).items()
    )
    meaning = " ".join(line.get("description", "").split("\n\n")[0].split())
    return (
        f"| `{stored}` | {AUDIENCES[kind.audience]} | {meaning} | {', '.join(fields) or 'none'} |\n"
    )


def _type(schema: dict[str, Any]) -> str:
    """A schema in words."""
    match schema:
        case {"$ref": str(target)}:
            return f"*{target.rsplit('/', 1)[1]}*"
        case {"anyOf": options} | {"oneOf": options}:
            return " or ".join(dict.fromkeys(map(_type, options)))
        case {"const": value}:
            return f'"{value}"'
        case {"enum": values}:
            return " or ".join(f'"{value}"' for value in values)
        case {"prefixItems": parts}:
            return f"[{', '.join(map(_type, parts))}]"
        case {"items": item, "minItems": int(least), "maxItems": most} if least == most:
            return f"[{', '.join([_type(item)] * least)}]"
        case {"type": "array", "items": item}:
            return f"[{_type(item)} …]"
        case {"format": "date-time"}:
            return "time"
        case {"contentEncoding": "base64"}:
            return "base64"
    return WORDS.get(schema.get("type", ""), "anything")


WORDS = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "object",
}


if __name__ == "__main__":
    DOCUMENT.write_text(catalogue(), encoding="utf-8")
