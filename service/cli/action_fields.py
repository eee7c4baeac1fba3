"""The fields of a menu's actions as people fill them in: as text, one a field."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from projections.event_text import SEATED
from projections.menu import Entry
from projections.plain_text import Names, plain

Texts = Mapping[str, str]
"""What has been filled in, by the names of the fields; nothing filled in is an empty text."""

MOST_NAMED = 12
"""Maximum allowed values that a hint names one by one."""


class NotAllowed(Exception):
    """What is filled in does not fit its field; the text says what would."""


class ActionField(Struct, frozen=True):
    """A field of an action. `values` are all that it may be, if they can be listed, each with the
    text for it; `optional` means that it may be left empty, `nullable` that this is sent as null;
    `schema` is that of its value without null."""

    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    values: Mapping[str, Any]
    optional: bool
    nullable: bool

    @property
    def fixed(self) -> bool:
        """Whether there is nothing to choose."""
        return len(self.values) == 1 and not self.nullable

    @property
    def hint(self) -> str:
        """What may be filled in."""
        said = _allowed(self.schema, self.values)
        return f"{said}, or nothing" if self.optional else said

    def text(self, value: Any) -> str:
        """The text for a value."""
        if value is None:
            return ""
        if isinstance(value, list):
            return " ".join(map(str, value))
        return next((text for text, one in self.values.items() if one == value), _spelt(value))

    def value(self, text: str) -> Any:
        """The value of a text. Raises NotAllowed."""
        try:
            return _value(self.schema, self.values, text.strip())
        except ValueError:
            raise NotAllowed(f"{self.title}: {self.hint}.") from None


def fields_of(entry: Entry, names: Names) -> list[ActionField]:
    """The fields of an action in their order, without its type; `names` are those of the seats."""
    needed = entry.schema.get("required", ())
    return [
        _field(name, schema, name in needed, names)
        for name, schema in entry.schema["properties"].items()
        if name != "type"
    ]


def texts_of(fields: Sequence[ActionField], action: Mapping[str, Any]) -> dict[str, str]:
    """How the fields are filled in for an action."""
    return {field.name: field.text(action.get(field.name)) for field in fields}


def action_of(entry: Entry, fields: Sequence[ActionField], texts: Texts) -> dict[str, Any]:
    """The action that is filled in. Raises NotAllowed for the first field that does not fit."""
    action: dict[str, Any] = {"type": entry.type}
    for field in fields:
        text = texts.get(field.name, "").strip()
        if text or not field.optional:
            action[field.name] = field.value(text)
        elif field.nullable and field.name in entry.schema.get("required", ()):
            action[field.name] = None
    return action


def in_words(entry: Entry, action: Mapping[str, Any], names: Names) -> str:
    """An action as one line, by the titles of its fields."""
    filled = [
        f"{field.title} {field.text(action[field.name])}"
        for field in fields_of(entry, names)
        if action.get(field.name) is not None
    ]
    return f"{plain(entry.title)}: {'; '.join(filled)}" if filled else plain(entry.title)


def _field(name: str, schema: Mapping[str, Any], needed: bool, names: Names) -> ActionField:
    ways = schema.get("anyOf", (schema,))
    others = [way for way in ways if way.get("type") != "null"]
    nullable = len(others) < len(ways)
    inner: Mapping[str, Any] = others[0] if others else schema
    seats = names if name in SEATED else ()
    values = {_label(one, seats): one for one in inner.get("enum", ())}
    title, described = plain(schema.get("title", name)), plain(schema.get("description", ""))
    return ActionField(name, title, described, inner, values, nullable or not needed, nullable)


def _label(value: Any, seats: Names) -> str:
    if type(value) is int and 0 <= value < len(seats):
        return f"{value} {plain(seats[value])}"
    return _spelt(value)


def _spelt(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(str(value))


def _value(schema: Mapping[str, Any], values: Mapping[str, Any], text: str) -> Any:
    """Raises ValueError if it does not fit."""
    if values:
        return _of(values, text)
    match schema.get("type"):
        case "integer":
            return _whole(schema, text)
        case "array":
            return _list(schema, text.replace(",", " ").split())
    return msgspec.json.decode(text)


def _of(values: Mapping[str, Any], text: str) -> Any:
    if text not in values:
        raise ValueError
    return values[text]


def _whole(schema: Mapping[str, Any], text: str) -> int:
    number = int(text)
    if not schema.get("minimum", number) <= number <= schema.get("maximum", number):
        raise ValueError
    return number


def _list(schema: Mapping[str, Any], texts: Sequence[str]) -> list[Any]:
    items = schema["items"]
    values = {_spelt(one): one for one in items.get("enum", ())}
    found = [_value(items, values, text) for text in texts]
    if not schema.get("minItems", 0) <= len(found) <= schema.get("maxItems", len(found)):
        raise ValueError
    if schema.get("uniqueItems") and len(set(found)) < len(found):
        raise ValueError
    return found


def _allowed(schema: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    if values:
        return _choice([*values])
    match schema.get("type"):
        case "integer":
            return f"a whole number from {schema.get('minimum')} to {schema.get('maximum')}"
        case "array":
            return _several(schema)
    return "JSON"


def _several(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    count = f"{low}" if low == high else f"{low} to {high}"
    items = schema["items"]
    if "enum" in items:
        of = f"of {_choice([_spelt(one) for one in items['enum']])}"
    else:
        of = f"numbers from {items.get('minimum')} to {items.get('maximum')}"
    return f"{count} {of}, each once" if schema.get("uniqueItems") else f"{count} {of}"


def _choice(texts: Sequence[str]) -> str:
    named = ", ".join(texts[:MOST_NAMED])
    return f"{named}, …" if len(texts) > MOST_NAMED else named
