"""The schemas of all games in one document: actions and views, with names that do not clash.

Each game may call its types what it likes. A name that stands for several things in the document
is preceded by that of the game: `LiarsDiceBid`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

REFERENCE = "#/components/schemas/{name}"

ANY_ACTION = "Action"
"""The component of an action of any game."""

Schema = dict[str, Any]


class GameTypes(Struct, frozen=True):
    """What of a game stands in the document; `action` is one Struct or a tagged union."""

    game: str
    action: Any
    view: type[Struct]


class GameSchemas(Struct, frozen=True):
    """The schema of any action, references to the view of each game, and what they refer to."""

    action: Schema
    views: list[Schema]
    components: dict[str, Schema]


def game_schemas(games: Iterable[GameTypes], taken: Mapping[str, Schema]) -> GameSchemas:
    """The schemas of these games, in a document where the names `taken` stand for something."""
    described = [_described(types) for types in games]
    meanings: defaultdict[str, list[Schema]] = defaultdict(list)
    for parts in (taken, *(parts for _, _, _, parts in described)):
        for name, schema in parts.items():
            if schema not in meanings[name]:
                meanings[name].append(schema)
    clashing = {name for name, schemas in meanings.items() if len(schemas) > 1}
    actions: list[Schema] = []
    components: dict[str, Schema] = {}
    for prefix, action, _, parts in described:
        names = {name: prefix + name if name in clashing else name for name in parts}
        components |= {names[name]: _renamed(parts[name], names) for name in parts}
        actions += [_renamed(one, names) for one in action.get("anyOf", [action])]
    views = [view for _, _, view, _ in described]
    return GameSchemas(_any_of(actions, components), views, components)


def _described(types: GameTypes) -> tuple[str, Schema, Schema, dict[str, Schema]]:
    """The name of a game in types, its action, a reference to its view, and their parts."""
    prefix = "".join(word.capitalize() for word in types.game.split("-"))
    (action, view), parts = msgspec.json.schema_components(
        [types.action, types.view], ref_template=REFERENCE
    )
    shown = f"{prefix}View"
    parts[shown] = parts.pop(_name(view))
    return prefix, action, {"$ref": REFERENCE.format(name=shown)}, parts


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with references to the new names of what it refers to."""
    match schema:
        case {"$ref": str()}:
            name = _name(schema)
            return {**schema, "$ref": REFERENCE.format(name=names.get(name, name))}
        case {"mapping": dict(mapping), **rest}:
            own = {tag: _renamed({"$ref": ref}, names)["$ref"] for tag, ref in mapping.items()}
            return {**rest, "mapping": own}
        case dict():
            return {key: _renamed(value, names) for key, value in schema.items()}
        case list():
            return [_renamed(value, names) for value in schema]
    return schema


def _any_of(references: Sequence[Schema], components: Mapping[str, Schema]) -> Schema:
    """Any of these actions. Which one it is its `type` says, as long as no two games have actions
    of one `type`."""
    types = [components[_name(one)]["properties"]["type"]["enum"][0] for one in references]
    schema: Schema = {"anyOf": list(references)}
    if len(set(types)) == len(types):
        mapping = {kind: one["$ref"] for kind, one in zip(types, references, strict=True)}
        schema["discriminator"] = {"propertyName": "type", "mapping": mapping}
    return schema


def _name(reference: Schema) -> str:
    """The name of the component that is referred to."""
    name: str = reference["$ref"].rsplit("/", 1)[1]
    return name
