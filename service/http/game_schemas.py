"""The schemas of all games in one document: options, actions, views and events, with names that do
not clash.

Each game may call its types what it likes. A name that stands for several things in the document
is preceded by that of the game: `LiarsDiceBid`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event
from domain.requirements import kinds
from service.http.line_schemas import line_schemas
from service.http.schema_form import (
    Schema,
    nullable,
    readable,
    reference,
    referring,
    sent_whole,
    tagged,
)

REFERENCE = "#/components/schemas/{name}"


class GameTypes(Struct, frozen=True):
    """What of a game stands in the document; `action` is one Struct or a tagged union. `events`
    are those of all its rules; `older` are the actions and options of earlier rules, by their
    version: of all of them matches may be read."""

    game: str
    action: Any
    view: type[Struct]
    options: type[Struct]
    seats: range
    events: tuple[type[Event], ...] = ()
    older: Mapping[int, tuple[type[Struct], ...]] = {}

    @property
    def prefix(self) -> str:
        """What precedes the game's names."""
        return "".join(word.capitalize() for word in self.game.split("-"))

    def named(self) -> dict[str, type[Struct]]:
        """The game's types by the names of their components, without the events."""
        own = {kind.__name__: kind for kind in kinds(self.action)}
        whole = {f"{self.prefix}Board": self.view, f"{self.prefix}Options": self.options}
        older = {
            f"{self.prefix}{kind.__name__}{version}": kind
            for version, every in self.older.items()
            for kind in every
            if kind not in own.values()
        }
        return own | whole | older


class GameSchemas(Struct, frozen=True):
    """References to the schemas of a game, and the components to which they lead. `actions` are
    by their types, `lines` by the stored names of their events, `others` by the names that `named`
    gives them."""

    types: GameTypes
    actions: dict[str, Schema]
    others: dict[str, Schema]
    lines: dict[str, Schema]
    components: dict[str, Schema]

    @property
    def board(self) -> Schema:
        """The game's own view."""
        return self._own("Board")

    @property
    def options(self) -> Schema:
        """The options of a new match."""
        return self._own("Options")

    @property
    def older_options(self) -> list[Schema]:
        """The options of earlier rules."""
        return [self._own(f"Options{version}") for version in self.types.older]

    @property
    def older_actions(self) -> list[Schema]:
        """The actions that only earlier rules know."""
        shown = (self.board, self.options, *self.older_options)
        return [schema for schema in self.others.values() if schema not in shown]

    def _own(self, name: str) -> Schema:
        return self.others[f"{self.types.prefix}{name}"]


def game_schemas(games: Iterable[GameTypes], taken: Mapping[str, Schema]) -> list[GameSchemas]:
    """The schemas of these games, in a document where the names `taken` stand for something."""
    described = [_described(types) for types in games]
    meanings: defaultdict[str, list[Schema]] = defaultdict(list)
    for parts in (taken, *(one.components for one in described)):
        for name, schema in parts.items():
            if schema not in meanings[name]:
                meanings[name].append(schema)
    clashing = {name for name, schemas in meanings.items() if len(schemas) > 1}
    return [
        _named(one, {name: one.types.prefix + name for name in clashing & set(one.components)})
        for one in described
    ]


def any_action(games: Iterable[GameSchemas]) -> Schema:
    """An action of any of these games. Which one it is its `type` says, as long as no two games
    have actions of one `type`."""
    games = list(games)
    every = [(kind, action) for one in games for kind, action in one.actions.items()]
    by_type = dict(every)
    said = {"description": "An action of any game"}
    if len(by_type) == len(every):
        return said | tagged("type", by_type)
    return said | {"anyOf": [action for _, action in every]}


def by_game(
    whole: Schema, fields: Mapping[str, Mapping[str, Schema]], name: str
) -> tuple[Schema, dict[str, Schema]]:
    """The schema of an object of any game, told apart by its field `game`, and its components, one
    a game: `whole` with the game's own `fields`, which are by the game's prefix. `name` is that of
    a component, with `{}` for the prefix."""
    components, options = {}, {}
    for prefix, own in fields.items():
        component = name.format(prefix)
        components[component] = {
            **whole,
            "properties": {
                field: {**_said(schema), **own[field]} if field in own else schema
                for field, schema in whole["properties"].items()
            },
        }
        options[own["game"]["const"]] = reference(component)
    return {"description": whole["description"], **tagged("game", options)}, components


def with_notes(receipt: Schema, notes: Iterable[type[Struct]]) -> Schema:
    """The schema of a receipt with the fields of these notes, none of which it has already."""
    properties, said = dict(receipt["properties"]), [receipt["description"]]
    for kind in dict.fromkeys(notes):
        note = readable(msgspec.json.schema_components([kind])[1][kind.__name__])
        clash = properties.keys() & note["properties"].keys()
        assert not clash, f"a receipt has these fields already: {sorted(clash)}"
        properties |= note["properties"]
        said.append(note["description"])
    return {**receipt, "properties": properties, "description": "\n".join(said)}


def boards(game: GameSchemas) -> Schema:
    """A game's own view: null before the start."""
    return {"description": "Null before the start", **nullable(game.board)}


def _described(types: GameTypes) -> GameSchemas:
    """A game's schemas, with names that may clash with those of other games."""
    named = types.named()
    roots, parts = msgspec.json.schema_components(
        [*named.values(), *types.events], ref_template=REFERENCE
    )
    own = dict(zip(named, roots, strict=False))
    lines = line_schemas(dict(zip(types.events, roots[len(named) :], strict=True)), parts)
    parts |= lines.components
    actions = {
        str(kind.__struct_config__.tag): own.pop(kind.__name__) for kind in kinds(types.action)
    }
    whole = GameSchemas(
        types,
        actions,
        own,
        lines.references,
        {name: readable(sent_whole(schema)) for name, schema in parts.items()},
    )
    return _named(whole, {_name(one): name for name, one in zip(named, roots, strict=False)})


def _named(game: GameSchemas, names: Mapping[str, str]) -> GameSchemas:
    """The game's schemas with other names for some components."""
    return replace(
        game,
        actions=referring(game.actions, names),
        others=referring(game.others, names),
        lines=referring(game.lines, names),
        components={
            names.get(name, name): referring(schema, names)
            for name, schema in game.components.items()
        },
    )


def _said(schema: Schema) -> Schema:
    """What a schema says in words."""
    return {word: schema[word] for word in ("description",) if word in schema}


def _name(reference: Schema) -> str:
    """The name of the component that is referred to."""
    name: str = reference["$ref"].rsplit("/", 1)[1]
    return name
