"""The schemas of all games in one document: options, actions, views and events.

Each game may call its types what it likes: the name of the game precedes them, as in
`LiarsDiceBid`, so a new game changes no other one's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from domain.events import Event, stored_name
from domain.match.state import AnyGame
from domain.requirements import kinds
from projections.audience.lines import Line
from service.http.description.schema_form import (
    COMPONENTS,
    Schema,
    component,
    constant,
    readable,
    reference,
    referring,
    sent_whole,
    tagged,
    union,
    words_of,
)

NO_NAME = re.compile(r"[^A-Za-z0-9]+")

APART = ":"
"""Separates the name of a game from the name of its component in references."""

LINE = readable(msgspec.json.schema_components([Line])[1][Line.__name__])
"""A line of any event."""


class GameSchemas(Struct, frozen=True):
    """References to the schemas of a game, and the components to which they lead. `prefix` precedes
    the game's names. `actions` are by their types, `lines` by the stored names of their events,
    `older` are the options and the actions of earlier rules. `names` are those of some components
    in place of their own."""

    game: AnyGame
    prefix: str
    board: Schema
    options: Schema
    actions: dict[str, Schema]
    older: list[tuple[Schema, list[Schema]]]
    lines: dict[str, Schema]
    components: dict[str, Schema]
    names: dict[str, str]


def game_schemas(game: AnyGame, view: type[Struct], older: Iterable[AnyGame] = ()) -> GameSchemas:
    """The schemas of a game: of its rules, of `older` ones, and of events by any of them, since
    matches by any may be read. The game precedes the names of their components."""
    prefix, older = "".join(word.capitalize() for word in game.id.split("-")), tuple(older)
    of_game, actions = f"{prefix}{APART}", kinds(game.Action)
    older_actions = [[k for k in kinds(rules.Action) if k not in actions] for rules in older]
    names = {
        kind: f"{prefix}{kind.__name__}{rules.rules_version}"
        for rules, others in zip(older, older_actions, strict=True)
        for kind in (rules.Options, *others)
    }
    names |= {view: f"{prefix}Board", game.Options: f"{prefix}Options"}
    names |= {kind: f"{prefix}{kind.__name__}" for kind in actions}
    events = list(dict.fromkeys(kind for rules in (game, *older) for kind in kinds(rules.Event)))
    roots, parts = msgspec.json.schema_components(
        [*names, *events], ref_template=f"{COMPONENTS}{of_game}{{name}}"
    )
    own = dict(zip(names, roots, strict=False))
    lines = lines_of(dict(zip(events, roots[len(own) :], strict=True)), parts, of_game)
    return GameSchemas(
        game=game,
        prefix=prefix,
        board=own[view],
        options=own[game.Options],
        actions={str(kind.__struct_config__.tag): own[kind] for kind in actions},
        older=[
            (own[rules.Options], [own[kind] for kind in others])
            for rules, others in zip(older, older_actions, strict=True)
        ],
        lines=lines,
        components={of_game + name: readable(sent_whole(schema)) for name, schema in parts.items()},
        names={component(reference): names[kind] for kind, reference in own.items()},
    )


def lines_of(
    events: Mapping[type[Event], Schema], parts: dict[str, Schema], of_game: str = ""
) -> dict[str, Schema]:
    """References to the lines of these events, by their stored names. In `parts` the lines are in
    place of the events."""
    lines = {}
    for kind, event in events.items():
        event_name = stored_name(kind)
        schema = sent_whole(parts.pop(component(event).removeprefix(of_game)))
        parts[line_name(event_name)] = _line(event_name, schema)
        lines[event_name] = reference(of_game + line_name(event_name))
    return lines


def line_name(event_name: str) -> str:
    """The component of an event's line, by its stored name: `MatchCreatedLine` of
    `match.created.1`, with the number of later shapes."""
    *words, number = event_name.replace("-", ".").split(".")
    shape = "" if number == "1" else number
    return "".join(word.capitalize() for word in words) + shape + "Line"


def _line(event_name: str, event: Schema) -> Schema:
    """The line of an event: its tag stands next to its data."""
    data = {
        "type": "object",
        "properties": {
            name: field for name, field in event["properties"].items() if name != "type"
        },
        "required": [name for name in event["required"] if name != "type"],
    }
    return variant({**LINE, **words_of(event)}, type=constant(event_name), data=data)


def variant(whole: Schema, **own: Schema) -> Schema:
    """An object with fields of its own in place of those of all such objects."""
    fields: dict[str, Schema] = whole["properties"]
    return {
        **whole,
        "properties": fields | {n: {**words_of(fields[n]), **schema} for n, schema in own.items()},
    }


def any_action(games: Iterable[GameSchemas]) -> Schema:
    """An action of any of these games."""
    every = [(kind, action) for game in games for kind, action in game.actions.items()]
    return {"description": "An action of any game", **by_value("type", every)}


def by_value(field: str, options: Sequence[tuple[str, Schema]]) -> Schema:
    """One of these, and of more in time, by the value of this field if no two have the same."""
    if len(dict(options)) == len(options):
        return tagged(field, dict(options))
    return union([schema for _, schema in options])


def with_notes(receipt: Schema, notes: Iterable[type[Struct]]) -> Schema:
    """The schema of a receipt with the fields of these notes, none of which it has already."""
    properties, descriptions = dict(receipt["properties"]), [receipt["description"]]
    for kind in dict.fromkeys(notes):
        note = readable(msgspec.json.schema_components([kind])[1][kind.__name__])
        clash = properties.keys() & note["properties"].keys()
        assert not clash, f"a receipt has these fields already: {sorted(clash)}"
        properties |= note["properties"]
        descriptions.append(note["description"])
    return {**receipt, "properties": properties, "description": "\n".join(descriptions)}


def in_one_document(every: Mapping[str, Schema], games: Iterable[GameSchemas]) -> dict[str, Schema]:
    """These components, which may refer to one another, under the names that they have in one
    document. What is a game's has the name of the game first; what all share, once, has not."""
    names = {own: _name(own) for own in every}
    names |= {own: bare for own in every if every.get(bare := _bare(own)) == every[own]}
    names |= {own: name for game in games for own, name in game.names.items()}
    return {names[own]: referring(schema, names) for own, schema in every.items()}


def _name(own: str) -> str:
    """The name of a component, as all programming languages can have it."""
    game, name = own.partition(APART)[0], "".join(map(_capital, NO_NAME.split(_bare(own))))
    return name if APART not in own or name.startswith(game) else game + name


def _bare(own: str) -> str:
    """The name without the game."""
    return own.rpartition(APART)[2]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
