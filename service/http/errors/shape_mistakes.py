"""What is wrong with a value that is not of its type: every mistake, with where it is.

msgspec decides what is accepted, and names the first mistake only. This explains its refusals, from
the schema that it makes of the same types, so nothing is described twice.

A validator of JSON Schema finds all mistakes before it names the first: of the largest body, half a
second to three. This looks no further than an answer can list.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any

import msgspec

from service.http.description.schema_form import JSON_TYPES, Schema
from service.http.errors.mistakes import MOST_MISTAKES, JsonType, Mistake, nearest

MOST_VALUES = 2_000
"""The most values of a body that are looked at; a mistake after them is named by msgspec alone."""

Found = Iterator[Mistake | None]
"""The mistakes in a value; None for each value that is looked at, so that looking can end."""

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def shape_mistakes(value: Any, kind: Any, pointer: str = "") -> tuple[Mistake, ...]:
    """The first mistakes in a JSON value that should be of this type; `pointer` is where it
    stands."""
    return _first(_mistakes(value, _schema_of(kind), pointer))


@cache
def _schema_of(kind: Any) -> Schema:
    """The schema of a type, in which components stand in place of references to them."""
    [schema], parts = msgspec.json.schema_components([kind], ref_template="{name}")
    for part in parts.values():
        _link(part, parts)
    linked: Schema = _link(schema, parts)
    return linked


def _link(schema: Any, parts: Mapping[str, Schema]) -> Any:
    match schema:
        case {"$ref": str(name)}:
            return parts[name]
        case dict():
            for word, inner in schema.items():
                schema[word] = _link(inner, parts)
        case list():
            return [_link(inner, parts) for inner in schema]
    return schema


def _first(all_mistakes: Found) -> tuple[Mistake, ...]:
    """The first mistakes, in as much of a value as is looked at."""
    mistakes = (mistake for mistake in islice(all_mistakes, MOST_VALUES) if mistake is not None)
    return tuple(islice(mistakes, MOST_MISTAKES))


def _mistakes(value: Any, schema: Schema, pointer: str) -> Found:
    """The mistakes in a JSON value."""
    yield None
    if not _fits(value, schema):
        types = _json_types(schema)
        detail = f"This has to be of the JSON type {' or '.join(types)}."
        yield _located(pointer, "wrong_type", detail, expected=types)
    elif "anyOf" in schema:
        yield from _in_union(value, schema, pointer)
    elif "enum" in schema:
        if value not in schema["enum"]:
            yield _unknown_value(value, schema["enum"], pointer)
    elif isinstance(value, dict):
        yield from _in_object(value, schema, pointer)
    elif isinstance(value, list):
        yield from _in_list(value, schema, pointer)
    elif isinstance(value, str):
        yield from _in_text(value, schema, pointer)
    elif isinstance(value, int | float):
        yield from _in_number(value, schema, pointer)


def _in_union(value: Any, schema: Schema, pointer: str) -> Found:
    """The mistakes in a value that should be of one of several types: of the one that it names, or
    else of the one that it fits best."""
    fitting = [option for option in _options(schema) if _fits(value, option)]
    by_tag = {tag[1]: option for option in fitting if (tag := _tag(option)) is not None}
    if len(by_tag) > 1:
        name = next(iter(fitting[-1]["properties"]))
        tag_value = value.get(name)
        if isinstance(tag_value, str) and tag_value in by_tag:
            yield from _in_object(value, by_tag[tag_value], pointer)
        else:
            yield from _in_tag(value, name, list(by_tag), pointer)
        return
    by_option = [_first(_mistakes(value, option, pointer)) for option in fitting]
    yield from min(by_option, key=len)


def _options(schema: Schema) -> Iterator[Schema]:
    """The types of which a union is one."""
    for option in schema["anyOf"]:
        yield from _options(option) if "anyOf" in option else (option,)


def _tag(schema: Schema) -> tuple[str, str] | None:
    """The member that says which kind of object this is, and what it says."""
    fields: Mapping[str, Schema] = schema.get("properties", {})
    name = next(iter(fields), "")
    values: Sequence[str] = fields[name].get("enum", ()) if name else ()
    return (name, values[0]) if len(values) == 1 else None


def _in_tag(value: Mapping[str, Any], name: str, tags: Sequence[str], pointer: str) -> Found:
    """The mistake in the member that says which kind of object this is."""
    if name in value:
        yield from _mistakes(value[name], {"enum": tags}, _below(pointer, name))
        return
    detail = f"`{name}` is missing: it says which kind of object this is."
    yield _located(_below(pointer, name), "missing_field", detail, allowed=tuple(tags))


def _in_object(value: Mapping[str, Any], schema: Schema, pointer: str) -> Found:
    """The mistakes in an object: in its tag, its own fields, and those that it must not have."""
    fields: Mapping[str, Schema] = schema.get("properties", {})
    tag = _tag(schema)
    for name, field in fields.items():
        if tag is not None and name == tag[0]:
            yield from _in_tag(value, name, tag[1:], pointer)
        elif name in value:
            yield from _mistakes(value[name], field, _below(pointer, name))
        elif name in schema.get("required", ()):
            yield _located(_below(pointer, name), "missing_field", f"`{name}` is missing.")
    others = schema.get("additionalProperties")
    for name, member in value.items() if others is not None else ():
        if isinstance(others, dict):
            yield from _mistakes(member, others, _below(pointer, name))
        elif name not in fields:
            yield _located(
                _below(pointer, name), "unknown_field", "There is no such field here.",
                allowed=tuple(fields), did_you_mean=nearest(name, fields),
            )  # fmt: skip


def _in_list(value: Sequence[Any], schema: Schema, pointer: str) -> Found:
    parts, least, most = schema.get("prefixItems"), schema.get("minItems"), schema.get("maxItems")
    if _beyond(len(value), least, most):
        detail = "The list is too short or too long."
        if parts is not None:
            detail = f"The list has to have exactly {len(parts)} items."
        yield _located(pointer, "wrong_length", detail, minimum=least, maximum=most)
        if parts is not None:
            return
    for position, item in enumerate(value):
        item_schema = schema.get("items", {}) if parts is None else parts[position]
        yield from _mistakes(item, item_schema, f"{pointer}/{position}")


def _in_text(value: str, schema: Schema, pointer: str) -> Found:
    least, most, pattern = map(schema.get, ("minLength", "maxLength", "pattern"))
    if _beyond(len(value), least, most):
        detail = "The text is too short or too long."
        yield _located(pointer, "wrong_length", detail, minimum=least, maximum=most)
    if schema.get("format") == "uuid" and not UUID_TEXT.fullmatch(value):
        yield _located(pointer, "wrong_format", "This is not an id.")
    if pattern is not None and re.search(pattern, value) is None:
        detail = "The text does not have the form that is needed."
        yield _located(pointer, "wrong_format", detail, pattern=pattern)


def _in_number(value: float, schema: Schema, pointer: str) -> Found:
    least, most = schema.get("minimum"), schema.get("maximum")
    if _beyond(value, least, most):
        detail = "The number is too small or too large."
        yield _located(pointer, "out_of_range", detail, minimum=_whole(least), maximum=_whole(most))


def _beyond(size: float, least: float | None, most: float | None) -> bool:
    return (least is not None and size < least) or (most is not None and size > most)


def _fits(value: Any, schema: Schema) -> bool:
    """Whether the value has the JSON type of this schema, whatever is in it."""
    types, own = _json_types(schema), json_type(value)
    return not types or own in types or (own == "integer" and "number" in types)


def json_type(value: Any) -> JsonType:
    """The JSON type of a value. A whole number is an integer, however it was written."""
    return JSON_TYPES.get(type(value), "object")


def _json_types(schema: Schema) -> tuple[JsonType, ...]:
    """The JSON types of values, null last; none if it may be anything."""
    match schema:
        case {"anyOf": options}:
            types = dict.fromkeys(chain.from_iterable(map(_json_types, options)))
            return tuple(sorted(types, key="null".__eq__))
        case {"enum": values}:
            return tuple(dict.fromkeys(map(json_type, values)))
    return (schema["type"],) if "type" in schema else ()


def _unknown_value(value: Any, allowed: Sequence[Any], pointer: str) -> Mistake:
    detail = "There is no such value here."
    guess = nearest(value, allowed)
    return _located(
        pointer, "unknown_value", detail, allowed=tuple(allowed), did_you_mean=guess
    )  # fmt: skip


def _located(pointer: str, code: Any, detail: str, **more: Any) -> Mistake:
    return Mistake("body", code, detail, pointer=pointer, **more)


def _below(pointer: str, name: str) -> str:
    """The pointer to a member (RFC 6901)."""
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)
