"""What the actions of a game are called and what they mean, for people: from their own types.

The description of an action is the docstring of its class, that of a field its `Meta`. A title is
the name in words, unless `Meta` has another one for a field.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.requirements import kinds


class Text(Struct, frozen=True):
    """A name for people, and a sentence. Without a description the title stands in its place."""

    title: str
    description: str


class ActionText(Text, frozen=True):
    """That of an action, and those of its fields by name."""

    fields: Mapping[str, Text]


def schema_texts(text: Text) -> dict[str, str]:
    """The text as a part of a JSON Schema."""
    return {"title": text.title, "description": text.description}


@cache
def action_texts(action: Any) -> Mapping[str, ActionText]:
    """The texts of a game's actions, by `type`; `action` is one Struct or a tagged union."""
    return {str(kind.__struct_config__.tag): _action_text(kind) for kind in kinds(action)}


def titled(schema: dict[str, Any], texts: Mapping[str, ActionText]) -> dict[str, Any]:
    """The JSON Schema of a game's actions, with the same titles and descriptions as in menus."""
    parts = {name: _titled(part, texts) for name, part in schema["$defs"].items()}
    return {**schema, "$defs": parts}


def _titled(part: dict[str, Any], texts: Mapping[str, ActionText]) -> dict[str, Any]:
    text = texts.get(part.get("properties", {}).get("type", {}).get("const"))
    if text is None:
        return part
    fields = part["properties"] | {
        name: part["properties"][name] | schema_texts(field_text)
        for name, field_text in text.fields.items()
    }
    return {**part, **schema_texts(text), "properties": fields}


def _action_text(kind: type[Struct]) -> ActionText:
    _, parts = msgspec.json.schema_components([kind], ref_template="{name}")
    schema = parts[kind.__name__]
    title = _words(str(kind.__struct_config__.tag))
    fields = {
        name: _text(_words(name), field)
        for name, field in schema["properties"].items()
        if name != "type"
    }
    return ActionText(title, " ".join(schema.get("description", title).split()), fields)


def _text(name: str, schema: Mapping[str, Any]) -> Text:
    title = schema.get("title", name)
    return Text(title, schema.get("description", title))


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
