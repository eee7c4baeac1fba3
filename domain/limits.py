"""The limits of options: declared once, shown in their JSON Schema, checked by the default
`check`."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, repeat
from typing import Any

import msgspec
from msgspec import Meta, Struct
from msgspec.inspect import Metadata, StructType, type_info


class Refused(Exception):
    """Understood and not allowed: `code` is stable and for programs, `text` is for people."""

    def __init__(self, code: str, text: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.text = text


Schema = dict[str, Any]

_SEAT = {"seat": True}


def between(low: int, high: int, meaning: str) -> Meta:
    """The limits, both included, of an option that is a whole number, and what it means.

    A number outside them is understood and not allowed: `options_not_allowed`. With `Meta(ge=...)`
    it would be a value of the wrong type, and the whole request a bad one.
    """
    return Meta(description=meaning, extra_json_schema={"minimum": low, "maximum": high})


def taken_seat(most: int, meaning: str) -> Meta:
    """An option that is a seat, in a game for at most `most`: it must be a seat of the match."""
    limits = {"minimum": 0, "maximum": most - 1}
    return Meta(description=meaning, extra_json_schema=limits, extra=_SEAT)


def not_allowed(text: str) -> Refused:
    """The refusal of options, with what is wrong with them."""
    return Refused("options_not_allowed", text)


def within_limits(options: Any, seats: int) -> None:
    """The default `check` of a game: raises Refused for the first option that is outside its limits
    in a match with `seats` seats."""
    kind: type[Struct] = type(options)
    schemas = _option_schemas(kind, seats)
    fields = msgspec.to_builtins(options)
    excesses = (_exceeded(name, schemas[name], fields[name]) for name in schemas if name in fields)
    excess = next(chain.from_iterable(excesses), None)
    if excess is not None:
        raise not_allowed(excess)


def unlimited(kind: type[Struct]) -> list[str]:
    """The options without limits, by name."""
    return [name for name, schema in _option_schemas(kind, 1).items() if not _limited(schema)]


@cache
def _option_schemas(kind: type[Struct], seats: int) -> dict[str, Schema]:
    """The schema of each option in a match with `seats` seats, with all references resolved."""
    document = msgspec.json.schema(kind)
    whole: Schema = _resolve(document, document["$defs"])
    properties: dict[str, Schema] = whole["properties"]
    info = type_info(kind)
    assert isinstance(info, StructType)
    for field in info.fields:
        if isinstance(field.type, Metadata) and field.type.extra == _SEAT:
            properties[field.encode_name]["maximum"] = seats - 1
    return properties


def _resolve(schema: Any, parts: dict[str, Schema]) -> Any:
    match schema:
        case {"$ref": str(name), **beside}:
            return {**beside, **_resolve(parts[name.rsplit("/", 1)[1]], parts)}
        case dict():
            return {name: _resolve(part, parts) for name, part in schema.items() if name != "$defs"}
        case list():
            return [_resolve(part, parts) for part in schema]
    return schema


def _ways(schema: Schema) -> Iterator[Schema]:
    """The schema, or each of the alternatives in it."""
    beside = {name: value for name, value in schema.items() if name != "anyOf"}
    return ({**beside, **alternative} for alternative in schema.get("anyOf", ({},)))


def _limited(schema: Schema) -> bool:
    return all(map(_way_limited, _ways(schema)))


def _way_limited(schema: Schema) -> bool:
    if "enum" in schema or "const" in schema:
        return True
    match schema.get("type"):
        case "boolean" | "null":
            return True
        case "integer":
            return {"minimum", "maximum"} <= schema.keys()
        case "string":
            return bool({"maxLength", "pattern", "format"} & schema.keys())
        case "array":
            items = schema.get("prefixItems") or [schema.get("items", {})]
            return "maxItems" in schema and all(map(_limited, items))
        case "object" if "properties" in schema:
            return all(map(_limited, schema["properties"].values()))
    return False


def _exceeded(name: str, schema: Schema, value: Any) -> Iterator[str]:
    """The numbers outside their limits, in an option or nested in it. msgspec checks the lengths of
    lists and texts."""
    optional = "null or " if {"type": "null"} in schema.get("anyOf", ()) else ""
    for way in _ways(schema):
        match value:
            case int() if way.get("type") == "integer":
                low, high = way.get("minimum", value), way.get("maximum", value)
                if not low <= value <= high:
                    yield f"{name} is {optional}{low} to {high}"
            case list() | tuple() if way.get("type") == "array":
                items = way.get("prefixItems") or repeat(way.get("items", {}))
                for item, part in zip(items, value, strict=False):
                    yield from _exceeded(f"each of {name}", item, part)
            case dict() if "properties" in way:
                for inner, part in value.items():
                    yield from _exceeded(f"{name}.{inner}", way["properties"][inner], part)
