"""The schema of every type that a route receives or answers, and of every notice, by the name of
its component.

They come from the Structs themselves, so that tagged unions have their discriminators and request
bodies are closed. What differs from game to game is told apart by the game, or by the type of an
action or an event.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from msgspec import Struct
from msgspec.inspect import StructType, multi_type_info
from msgspec.structs import astuple

from domain.events import PUBLIC, Event, stored_name
from domain.games import GAMES, OLDER, RULES
from domain.match.events import ActionReceived, MatchCreated, MatchEvent, NameSalted
from domain.requirements import kinds
from domain.rulings.kinds import Ruling
from domain.tournament.events import TournamentEvent
from projections.audience.lines import Line
from projections.audience.menu import Entry
from projections.boards import BOARDS
from projections.rulings.match_rulings import EFFECTS, Effect, RulingShown
from service.http.description.described import answered_types, body_of
from service.http.description.game_schemas import (
    GameSchemas,
    any_action,
    by_value,
    game_schemas,
    in_one_document,
    line_name,
    lines_of,
    variant,
    with_notes,
)
from service.http.description.notice_schemas import NOTICES
from service.http.description.schema_form import (
    ANY_ACTION,
    COMPONENTS,
    EXTENSIBLE,
    Schema,
    component,
    constant,
    nullable,
    readable,
    reference,
    sent_whole,
    tagged,
    union,
    words_of,
)
from service.http.errors.problems import Problem, Receipt
from service.http.requests.request_form import options_of

EXACTLY_ONE = "exactly_one"
"""What a Struct calls those of its fields of which exactly one is given."""

NOTHING = {
    "description": "It orders nothing more", "type": "object", "maxProperties": 0,
    "additionalProperties": False,
}  # fmt: skip

UNKNOWN_LINES = (
    "One event as one audience sees it, by its `type`. Ignore lines of a type that you do not "
    "know: a new one breaks nothing."
)


def components(app: Litestar) -> dict[str, Schema]:
    """The components of the description of an application."""
    games = [
        game_schemas(
            game, BOARDS[name].view, [part for (id_, _), part in OLDER.items() if id_ == name]
        )
        for name, game in GAMES.items()
    ]
    house, lines = _house([handler for _, handler in described_handlers(app)])
    lines |= {kind: line for game in games for kind, line in game.lines.items()}
    house |= {
        ANY_ACTION: any_action(games),
        Line.__name__: {"description": UNKNOWN_LINES, **tagged("type", lines)},
        Receipt.__name__: with_notes(house[Receipt.__name__], _notes()),
        **_entries(house[Entry.__name__], games),
        **_views(house["View"], games),
        **_new_matches(house["NewMatch"], games),
        **_effects(house[Effect.__name__], house),
        **_orders(house[RulingShown.__name__], house),
    }
    every = {name: part for game in games for name, part in game.components.items()} | house
    whole = in_one_document(_fill(every, _of_a_game(games)), games)
    return {name: {**schema, "title": name} for name, schema in whole.items()}


def _house(handlers: Sequence[HTTPRouteHandler]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The components that are the same for all games; and references to the lines of events, by
    their stored names."""
    every = {kind for handler in handlers for kind in _types(handler)}
    structs: set[type[Struct]] = {Problem, *NOTICES}
    structs |= {kind for kind in every if isinstance(kind, type) and issubclass(kind, Struct)}
    roots = sorted(structs, key=lambda struct: struct.__name__)
    unions = dict(_unions(handlers))
    # Only the public events of a tournament are answered.
    of_tournaments = (kind for kind in get_args(TournamentEvent) if kind.audience == PUBLIC)
    events = (*get_args(MatchEvent), *of_tournaments)
    schemas, parts = msgspec.json.schema_components(
        [*roots, *unions.values(), *events], ref_template=f"{COMPONENTS}{{name}}"
    )
    lines = lines_of(dict(zip(events, schemas[-len(events) :], strict=True)), parts)
    salted = _line_fields(parts, NameSalted)
    salted["salt"] = nullable(salted["salt"])  # For the person who has taken over the seat.
    _line_fields(parts, MatchCreated)["options"] = {"x-of-a-game": "options"}
    _line_fields(parts, ActionReceived)["action"] = {"x-of-a-game": "action"}
    by_name = {
        kind.__name__: kind for kind in _structs(multi_type_info([*roots, *unions.values()]))
    }
    parts = {name: _whole(schema, by_name.get(name)) for name, schema in parts.items()}
    parts |= zip(unions, map(_alternatives, schemas[len(roots) :]), strict=False)
    return {name: readable(schema) for name, schema in parts.items()}, lines


def _line_fields(parts: Mapping[str, Schema], kind: type[Event]) -> dict[str, Schema]:
    """The fields of an event in its line."""
    line = parts[line_name(stored_name(kind))]
    fields: dict[str, Schema] = line["properties"]["data"]["properties"]
    return fields


def _whole(schema: Schema, kind: type[Struct] | None) -> Schema:
    """The schema of a Struct, with what its class says next to its fields."""
    one_of: Sequence[str] = getattr(kind, EXACTLY_ONE, ())
    if one_of:
        return {**schema, "oneOf": [_presence(schema, name) for name in one_of]}
    short = kind is not None and kind.__struct_config__.omit_defaults
    return schema if short else sent_whole(schema)


def _presence(schema: Schema, name: str) -> Schema:
    """That this field is there, and not null."""
    choices = schema["properties"][name].get("anyOf", ())
    kind = [choice["type"] for choice in choices if choice != {"type": "null"}]
    types: Schema = {"properties": {name: {"type": kind[0]}}} if kind else {}
    return {"required": [name], **types}


def _structs(part: Any) -> Iterator[type[Struct]]:
    """The Structs in this description of types."""
    if isinstance(part, StructType):
        yield part.cls
    inner = astuple(part) if isinstance(part, Struct) else part
    if isinstance(inner, Sequence) and not isinstance(inner, str | bytes):
        for item in inner:
            yield from _structs(item)


def _alternatives(union: Schema) -> Schema:
    """A union that a route receives."""
    return {"description": f"By its `{union['discriminator']['propertyName']}`", **union}


def _notes() -> Iterator[type[Struct]]:
    """The notes that games put into receipts."""
    return (rules.Note for rules in RULES if rules.Note is not None)


def _entries(entry: Schema, games: Sequence[GameSchemas]) -> dict[str, Schema]:
    """An entry of the menu, by the type of its action."""
    examples = entry["properties"]["examples"]
    return _by(
        "type", Entry.__name__, entry,
        {
            f"{component(action)}Entry": (
                kind, variant(entry, type=constant(kind), examples={**examples, "items": action})
            )
            for game in games
            for kind, action in game.actions.items()
        },
    )  # fmt: skip


def _views(view: Schema, games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """The view of a match, by its game: the game's own is null before the start."""
    board = {"description": "Null before the start"}
    return _by(
        "game", "View", view,
        {
            f"{game.prefix}View": (
                game.game.id,
                variant(view, game=constant(game.game.id), view=board | nullable(game.board)),
            )
            for game in games
        },
    )  # fmt: skip


def _new_matches(new: Schema, games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """A match to create, by its game."""
    # Their examples are of two seats.
    seats = {k: v for k, v in new["properties"]["seats"].items() if k != "examples"}
    options: dict[str, tuple[str, Schema]] = {}
    for game in games:
        own = seats | {"minItems": min(game.game.seats), "maxItems": max(game.game.seats)}
        match = variant(new, game=constant(game.game.id), options=game.options, seats=own)
        options[f"New{game.prefix}Match"] = game.game.id, match
    return _by("game", "NewMatch", new, options)


def _effects(effect: Schema, house: Mapping[str, Schema]) -> dict[str, Schema]:
    """What a ruling has effected, by the type of the event: its line without number and time."""
    effects = {}
    for event_name in map(stored_name, EFFECTS):
        line, name = (
            house[line_name(event_name)],
            line_name(event_name).removesuffix("Line") + "Effect",
        )
        fields = {field: line["properties"][field] for field in ("type", "data")}
        effects[name] = event_name, {**line, "properties": fields, "required": list(fields)}
    return _by("type", Effect.__name__, effect, effects)


def _by(
    field: str, name: str, whole: Schema, options: Mapping[str, tuple[str, Schema]]
) -> dict[str, Schema]:
    """A component that is one of several, told apart by this field, and these by their names, each
    with the value that the field has there."""
    one_of = by_value(field, [(value, reference(option)) for option, (value, _) in options.items()])
    return {name: words_of(whole) | one_of} | {
        option: schema for option, (_, schema) in options.items()
    }


def _orders(ruling: Schema, house: Mapping[str, Schema]) -> dict[str, Schema]:
    """What a ruling orders: all its fields but its kind, which stands next to them."""
    orders = {"NothingOrdered": NOTHING}
    for kind in kinds(Ruling):
        whole = house[kind.__name__]
        fields = {name: field for name, field in whole["properties"].items() if name != "kind"}
        if fields:
            order = {**whole, "properties": fields, "required": list(fields)}
            orders[f"{kind.__name__}Order"] = order
    ordered = {**EXTENSIBLE, "anyOf": [reference(name) for name in orders]}
    return {RulingShown.__name__: variant(ruling, ordered=ordered), **orders}


def _of_a_game(games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """What stands where an action, or the options, of any match are shown."""
    games = list(games)
    options = [item for game in games for item in (game.options, *(own for own, _ in game.older))]
    actions = [item for game in games for _, older in game.older for item in older]
    return {"action": union([reference(ANY_ACTION), *actions]), "options": union(options)}


def _fill(schema: Any, replacements: Mapping[str, Schema]) -> Any:
    """The schema with actions and options of all games where it shows one of any game."""
    match schema:
        case {"x-of-a-game": str(kind)}:
            return words_of(schema) | replacements[kind]
        case dict():
            return {word: _fill(value, replacements) for word, value in schema.items()}
        case list():
            return [_fill(value, replacements) for value in schema]
    return schema


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
    for kind in options_of(handler).content.values():
        yield from get_args(kind) or (kind,)
    yield from options_of(handler).bodies.values()
    data = handler.parsed_fn_signature.parameters.get("data")
    if data is not None:
        yield data.annotation


def _unions(handlers: Iterable[HTTPRouteHandler]) -> Iterator[tuple[str, Any]]:
    """The unions that handlers receive, by the names of their components."""
    for handler in handlers:
        body, data = body_of(handler), handler.parsed_fn_signature.parameters.get("data")
        if body is not None and body.title is not None and data is not None:
            yield body.title, data.annotation
