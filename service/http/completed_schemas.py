"""Says in the description what the classes of answers leave open: `dict`s whose shape depends on
the game, on the event or on the ruling."""

from collections.abc import Iterable, Mapping
from typing import Any

from domain.events import Event, stored_name
from domain.match_events import ActionReceived, MatchCreated, NameSalted
from domain.requirements import kinds
from domain.ruling_kinds import Ruling
from projections.rulings import EFFECTS, Effect, RulingShown
from service.http.game_schemas import GameSchemas
from service.http.line_schemas import line_name
from service.http.schema_form import (
    ANY_ACTION,
    EXTENSIBLE,
    Schema,
    nullable,
    reference,
    tagged,
    union,
)


def completed(schemas: Mapping[str, Schema], games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """The schemas, complete."""
    games = list(games)
    options = [one for game in games for one in (game.options, *game.older_options)]
    older = [action for game in games for action in game.older_actions]
    shown = {"action": union([reference(ANY_ACTION), *older]), "options": union(options)}
    whole: dict[str, Schema] = {name: _filled(one, shown) for name, one in schemas.items()}
    _complete_lines(whole, shown)
    return whole | _effects(whole) | _orders(whole)


def _filled(schema: Any, shown: Mapping[str, Schema]) -> Any:
    """The schema with actions and options of all games where it shows one of any game."""
    match schema:
        case {"x-of-a-game": str(kind), **rest}:
            said = {word: rest[word] for word in ("description",) if word in rest}
            return {**said, **shown[kind]}
        case dict():
            return {word: _filled(value, shown) for word, value in schema.items()}
        case list():
            return [_filled(value, shown) for value in schema]
    return schema


def _complete_lines(schemas: dict[str, Schema], shown: Mapping[str, Schema]) -> None:
    """The options and actions of the games, which are any on disk, and the salt of a name, which is
    null for whoever has taken over the seat."""
    _fields(schemas, MatchCreated)["options"] = shown["options"]
    _fields(schemas, ActionReceived)["action"] = shown["action"]
    salted = _fields(schemas, NameSalted)
    salted["salt"] = nullable(salted["salt"])


def _effects(schemas: Mapping[str, Schema]) -> dict[str, Schema]:
    """What a ruling has effected, by the type of the event: its line without number and time."""
    effects, references = {}, {}
    for kind in EFFECTS:
        stored = stored_name(kind)
        line = schemas[line_name(stored)]
        name = line_name(stored).removesuffix("Line") + "Effect"
        fields = {field: line["properties"][field] for field in ("type", "data")}
        effects[name] = {**line, "properties": fields, "required": list(fields)}
        references[stored] = reference(name)
    said = {"description": schemas[Effect.__name__]["description"]}
    return {**effects, Effect.__name__: {**said, **tagged("type", references)}}


def _orders(schemas: Mapping[str, Schema]) -> dict[str, Schema]:
    """What a ruling orders: all its fields but its kind, which stands beside them."""
    orders: dict[str, Schema] = {}
    for kind in kinds(Ruling):
        whole = schemas[kind.__name__]
        fields = {name: one for name, one in whole["properties"].items() if name != "kind"}
        if fields:
            order = {**whole, "properties": fields, "required": list(fields)}
            orders[f"{kind.__name__}Order"] = order
    nothing = {"description": "It orders nothing more", "type": "object", "maxProperties": 0}
    orders["NothingOrdered"] = {**nothing, "additionalProperties": False}
    shown = schemas[RulingShown.__name__]
    ordered = {**EXTENSIBLE, "anyOf": [reference(name) for name in orders]}
    properties = {**shown["properties"], "ordered": ordered}
    return orders | {RulingShown.__name__: {**shown, "properties": properties}}


def _fields(schemas: Mapping[str, Schema], kind: type[Event]) -> dict[str, Schema]:
    """The fields of an event in its line."""
    line = schemas[line_name(stored_name(kind))]
    fields: dict[str, Schema] = line["properties"]["data"]["properties"]
    return fields
