"""The schema of every type that a route receives or answers, and of every notice, by the name of
its component.

They come from the Structs themselves, so that tagged unions have their discriminators and request
bodies are closed. What differs from game to game is told apart by the game, or by the type of an
action or an event.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from msgspec import Struct
from msgspec.inspect import StructType, multi_type_info
from msgspec.structs import astuple

from domain.games import GAMES, OLDER, RULES
from domain.match_events import MatchEvent
from domain.requirements import kinds
from projections.boards import BOARDS
from projections.lines import Line
from projections.menu import Entry
from service.http.answer_examples import with_example
from service.http.completed_schemas import completed
from service.http.described import CONTENT, answered_types, body_of
from service.http.field_texts import with_field_texts
from service.http.game_schemas import (
    GameSchemas,
    GameTypes,
    any_action,
    boards,
    by_game,
    game_schemas,
    with_notes,
)
from service.http.line_schemas import LineSchemas, line_schemas
from service.http.notice_schemas import NOTICES
from service.http.problems import Problem
from service.http.schema_form import (
    ANY_ACTION,
    Schema,
    constant,
    readable,
    reference,
    referring,
    sent_whole,
    tagged,
)
from service.http.schemas import Receipt

UNKNOWN_LINES = (
    "One event as one audience sees it, by its `type`. Ignore lines of a type that you do not "
    "know: a new one breaks nothing."
)

NO_NAME = re.compile(r"[^A-Za-z0-9]+")


def components(app: Litestar) -> dict[str, Schema]:
    """The components of the description of an application."""
    handlers = [handler for _, handler in described_handlers(app)]
    kinds = (kind for handler in handlers for kind in _types(handler))
    structs = {kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Struct)}
    structs |= {Problem, *NOTICES}
    unions = dict(_unions(handlers))
    house, lines = _shared(sorted(structs, key=lambda struct: struct.__name__), unions)
    games = game_schemas(map(_game_types, GAMES), house)
    every = lines.references | {kind: one for game in games for kind, one in game.lines.items()}
    house |= {
        ANY_ACTION: any_action(games),
        Line.__name__: {"description": UNKNOWN_LINES, **tagged("type", every)},
        **_entries(house[Entry.__name__], games),
        **_views(house["View"], games),
        **_new_matches(house["NewMatch"], games),
        Receipt.__name__: with_notes(house[Receipt.__name__], _notes()),
    }
    of_games = {name: one for game in games for name, one in game.components.items()}
    whole = completed(of_games | house, games)
    explained = whole.keys() - (of_games.keys() - house.keys())
    texts = {name: with_example(name, with_field_texts(name, whole[name])) for name in explained}
    return _titled(whole | texts)


def _shared(
    structs: Sequence[type[Struct]], unions: dict[str, Any]
) -> tuple[dict[str, Schema], LineSchemas]:
    """The schemas of what is the same for all games."""
    events = get_args(MatchEvent)
    each, parts = msgspec.json.schema_components(
        [*structs, *unions.values(), *events], ref_template=reference("{name}")["$ref"]
    )
    own, of_events = each[len(structs) : -len(events)], each[-len(events) :]
    lines = line_schemas(dict(zip(events, of_events, strict=True)), parts)
    named = parts | dict(zip(unions, map(_alternatives, own), strict=True)) | lines.components
    short = set(_sent_short(multi_type_info([*structs, *unions.values()])))
    whole = {n: s if n in short else sent_whole(s) for n, s in named.items()}
    return {name: readable(schema) for name, schema in whole.items()}, lines


def _alternatives(union: Schema) -> Schema:
    """A union that a route receives."""
    return {"description": f"By its `{union['discriminator']['propertyName']}`", **union}


def _sent_short(part: Any) -> Iterator[str]:
    """The names of the types in this description of types that are sent without fields that have
    their default."""
    if isinstance(part, StructType) and part.cls.__struct_config__.omit_defaults:
        yield part.cls.__name__
    inner = astuple(part) if isinstance(part, Struct) else part
    if isinstance(inner, Sequence) and not isinstance(inner, str | bytes):
        for one in inner:
            yield from _sent_short(one)


def _game_types(game: str) -> GameTypes:
    """What of a game stands in the document."""
    rules, older = GAMES[game], [one for (name, _), one in OLDER.items() if name == game]
    every = (kind for one in RULES if one.id == game for kind in kinds(one.Event))
    return GameTypes(
        game,
        rules.Action,
        BOARDS[game].view,
        rules.Options,
        range(rules.seats[0], rules.seats[-1] + 1),
        tuple(dict.fromkeys(every)),
        {one.rules_version: (one.Options, *kinds(one.Action)) for one in older},
    )


def _views(view: Schema, games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """The view of a match, by its game."""
    fields = {
        one.types.prefix: {"game": constant(one.types.game), "view": boards(one)} for one in games
    }
    whole, views = by_game(view, fields, "{}View")
    return {"View": whole, **views}


def _notes() -> Iterator[type[Struct]]:
    """The notes that games put into receipts."""
    return (rules.Note for rules in RULES if rules.Note is not None)


def _new_matches(new: Schema, games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """A match to create, by its game."""
    fields = {}
    for one in games:
        # Their examples are of two seats.
        names = {k: v for k, v in new["properties"]["seats"].items() if k != "examples"}
        seats = {"minItems": one.types.seats[0], "maxItems": one.types.seats[-1]}
        fields[one.types.prefix] = {
            "game": constant(one.types.game),
            "options": one.options,
            "seats": {**names, **seats},
        }
    whole, matches = by_game(new, fields, "New{}Match")
    return {"NewMatch": whole, **matches}


def _entries(entry: Schema, games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """An entry of the menu, by the type of its action."""
    entries: dict[str, Schema] = {}
    for kind, action in ((k, a) for one in games for k, a in one.actions.items()):
        own = {
            "type": constant(kind),
            "examples": {**entry["properties"]["examples"], "items": action},
        }
        name = action["$ref"].rsplit("/", 1)[1] + "Entry"
        entries[name] = {**entry, "properties": entry["properties"] | own}
    by_type = {one["properties"]["type"]["const"]: reference(n) for n, one in entries.items()}
    distinct = len(by_type) == len(entries)
    any_entry = tagged("type", by_type) if distinct else {"anyOf": list(map(reference, entries))}
    return {Entry.__name__: {"description": entry["description"], **any_entry}, **entries}


def _titled(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """The schemas under names that all programming languages can have, which are their titles."""
    names = {name: "".join(_words(name)) for name in schemas}
    return {
        names[name]: {**referring(schema, names), "title": names[name]}
        for name, schema in schemas.items()
    }


def _words(name: str) -> Iterator[str]:
    return (word[0].upper() + word[1:] for word in NO_NAME.split(name) if word)


def described_handlers(app: Litestar) -> Iterator[tuple[str, HTTPRouteHandler]]:
    """The handlers that are described, with their paths."""
    for route in app.routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            if handler.resolve_include_in_schema():
                yield route.path_format, handler


def _types(handler: HTTPRouteHandler) -> Iterator[Any]:
    """What a handler receives and answers."""
    yield from answered_types(handler)
    yield from (answer.data_container for answer in (handler.responses or {}).values())
    for kind in handler.opt.get(CONTENT, {}).values():
        yield from get_args(kind) or (kind,)
    data = handler.parsed_fn_signature.parameters.get("data")
    if data is not None:
        yield data.annotation


def _unions(handlers: Iterable[HTTPRouteHandler]) -> Iterator[tuple[str, Any]]:
    """The unions that handlers receive, by the names of their components."""
    for handler in handlers:
        body, data = body_of(handler), handler.parsed_fn_signature.parameters.get("data")
        if body is not None and body.title is not None and data is not None:
            yield body.title, data.annotation
