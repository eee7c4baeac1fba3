"""A bot for any game: it chooses any action in the menu, whatever it sees."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from arbiter_client import MenuEntry

Schema = Mapping[str, Any]

MORE_ENTRIES = 3
"""Maximum entries that a list gets beyond those required."""


def any_action(menu: Sequence[MenuEntry], rng: Random) -> dict[str, Any]:
    """Any instance of an exact entry, else one of its examples. The menu must not be empty."""
    entry = rng.choice(menu)
    if not entry.exact:
        return dict(rng.choice(entry.examples))
    schema: Schema = entry.schema
    needed = schema["required"]
    return {
        name: instance(field, rng)
        for name, field in schema["properties"].items()
        if name in needed or rng.random() < 0.5
    }


def instance(schema: Schema, rng: Random) -> Any:
    """A value that a field of a menu allows."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return instance(rng.choice(schema["anyOf"]), rng)
    match schema["type"]:
        case "integer":
            return rng.randint(schema["minimum"], schema["maximum"])
        case "array":
            return _entries(schema, rng)
    return None  # {"type": "null"}, the other alternative of a nullable field


def _entries(schema: Schema, rng: Random) -> list[Any]:
    items, least = schema["items"], schema["minItems"]
    count = rng.randint(least, min(schema["maxItems"], least + MORE_ENTRIES))
    if not schema.get("uniqueItems"):
        return [instance(items, rng) for _ in range(count)]
    every = items["enum"] if "enum" in items else range(items["minimum"], items["maximum"] + 1)
    return rng.sample(every, min(count, len(every)))
