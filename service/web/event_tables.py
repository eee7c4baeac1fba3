"""The tables of events in `FORMAT.md`, made from the classes by
`python -m service.web.event_tables`.

They stand under the last heading of the document and say of each event its stored name, its
audience, its meaning, and its fields in the order in which they are stored.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from msgspec import UNSET, inspect
from msgspec.structs import fields

import projections.evidence
from domain.events import LATEST, Event, stored_name
from domain.games import GAMES, OLDER, RULES
from domain.match.events import MatchEvent
from domain.match.state import AnyGame
from domain.requirements import kinds
from domain.tournament.events import TournamentEvent

FORMAT = Path(projections.evidence.__path__[0], "FORMAT.md")

HEADING = "## Every event\n"
"""What stands after it is made here."""

INTRODUCTION = """
Fields are stored in this order, after `type`. `int` is a whole number, `{…}` a map with exactly
these names in this order (in `changes` with one of the three alone), `[…]` a list, `map` a map from
texts to anything that JSON can say but fractions. `nil` is stored; what *may be missing* is not
stored if it says nothing. An `instant` is an int from 0 to 9007199254740991. A `number`, which
stages of tournaments alone have, is a floating one of 64 bits, or an int. A field that is *as in*
another event is spelt like the field of this name there. An event for `own seat` is for the one in
its field `seat`. Over the API bytes are base64 and instants RFC 3339; `Line` in its description has
a schema of each event.
"""

LONG = 60
"""Characters of what is written once; later fields and events of the same shape refer to it."""

AUDIENCES = {"public": "public", "own seat": "own seat", "sealed": "moderators"}

PLAIN: dict[type[inspect.Type], str] = {
    inspect.BoolType: "bool",
    inspect.FloatType: "number",
    inspect.NoneType: "nil",
    inspect.BytesType: "bytes",
    inspect.AnyType: "anything",
    inspect.StrType: "text",
}


def tables() -> str:
    """All tables, from the heading on."""
    first_names: dict[str, str] = {}
    parts = [HEADING, INTRODUCTION, "\n### A match of any game\n\n"]
    parts.append(_table(get_args(MatchEvent), first_names))
    for game in GAMES.values():
        older = [rules for (name, _), rules in OLDER.items() if name == game.id]
        parts += [f"\n### {game.title}\n\n", _about(game, older), "\n"]
        parts.append(_table(_events(game.id), first_names))
    parts += ["\n### A tournament\n\n", _table(get_args(TournamentEvent), first_names)]
    return "".join(parts)


def _events(game: str) -> Iterator[type[Event]]:
    """The classes of a game's events by all its rules, each once."""
    every = (kind for rules in RULES if rules.id == game for kind in kinds(rules.Event))
    return iter(dict.fromkeys(every))


def _about(game: AnyGame, older: Iterable[AnyGame]) -> str:
    """What a verifier needs to know of a game besides its events."""
    versions = sorted(rules.rules_version for rules in (game, *older))
    version_list = " and ".join(map(str, versions))
    hides = "may be sealed" if game.hides_draws else "are public"
    result = "give its result" if game.public_result else "do not give its result"
    return (
        f"`{game.id}`, rules {version_list}, {game.seats[0]} to {game.seats[-1]} seats. "
        f"Its draws {hides}; its public events alone {result}.\n"
    )


def _table(events: Iterable[type[Event]], first_names: dict[str, str]) -> str:
    rows = "".join(
        f"| `{stored_name(kind)}` | {AUDIENCES[kind.audience]}"
        f" | {_meaning(kind)} | {_fields(kind, first_names)} |\n"
        for kind in events
    )
    return f"| stored name | for | meaning | fields |\n|---|---|---|---|\n{rows}"


def _meaning(kind: type[Event]) -> str:
    """What an event says first of itself, in one line."""
    return " ".join(str(kind.__doc__).split("\n\n")[0].split())


def _fields(kind: type[Event], first_names: dict[str, str]) -> str:
    """All fields in their order, or the event that has the same, by `first_names`."""
    described, name = inspect.type_info(kind), stored_name(kind)
    assert isinstance(described, inspect.StructType)
    unset = {field.encode_name for field in fields(kind) if field.default is UNSET}
    texts = {
        f"`{part.encode_name}`": _type(part.type)
        + (" (may be missing)" if part.encode_name in unset else "")
        for part in described.fields
    }
    whole = ", ".join(map(" ".join, texts.items()))
    if len(whole) > 2 * LONG and (first := first_names.setdefault(whole, name)) != name:
        return f"those of {first}"
    for field, text in texts.items():
        if len(text) > LONG and (first := first_names.setdefault(f"{field} {text}", name)) != name:
            texts[field] = f"as in {first}"
    return ", ".join(map(" ".join, texts.items())) or "none"


def _type(described: inspect.Type) -> str:
    """A type in words."""
    match described:
        case inspect.Metadata():
            return _type(described.type)
        case inspect.IntType():
            limits = (described.ge, described.le)
            if limits == (0, LATEST):
                return "instant"
            return "int" if None in limits else f"int from {limits[0]} to {limits[1]}"
        case inspect.LiteralType():
            return " or ".join(f'"{value}"' for value in sorted(described.values, key=str))
        case inspect.UnionType():
            return " or ".join(map(_type, described.types))
        case inspect.DictType():
            return "map"
        case inspect.VarTupleType() | inspect.ListType():
            return f"[{_type(described.item_type)} …]"
        case inspect.TupleType():
            return f"[{', '.join(map(_type, described.item_types))}]"
        case inspect.StructType():
            return _shape(described)
    return PLAIN[type(described)]


def _shape(described: inspect.StructType) -> str:
    """A map; its tag comes first."""
    assert not described.array_like, "a nested value is stored as a map"
    tag = [] if described.tag is None else [f'{described.tag_field}: "{described.tag}"']
    fields = (f"{field.encode_name}: {_type(field.type)}" for field in described.fields)
    return "{" + ", ".join([*tag, *fields]) + "}"


def current() -> str:
    """The document with tables as the classes are now."""
    text, heading, _ = FORMAT.read_text(encoding="utf-8").partition(HEADING)
    assert heading, "the document has a place for the tables"
    return text + tables()


if __name__ == "__main__":
    FORMAT.write_text(current(), encoding="utf-8")
