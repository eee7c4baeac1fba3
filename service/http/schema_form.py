"""JSON Schemas in the form that generators of clients and checkers read alike.

What msgspec derives from a type is valid JSON Schema 2020-12, but generators stumble over parts of
it: enumerations without a type, tuples that end with `items: false`, objects that say nothing.
`readable` says the same in words that all of them know.
"""

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any

from service.http.mistakes import JsonType

Schema = dict[str, Any]

SCHEMAS = ("items", "additionalProperties")
LISTS_OF_SCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")

JSON_TYPES: dict[type, JsonType] = {
    str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
    list: "array",
}  # fmt: skip


ANY_ACTION = "Action"
"""The component of an action of any game."""


def reference(component: str) -> Schema:
    """A reference to the schema of a component."""
    return {"$ref": f"#/components/schemas/{component}"}


def referring(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with references to the new names of what it refers to."""
    renamed = {reference(old)["$ref"]: reference(new)["$ref"] for old, new in names.items()}
    return _referring(schema, renamed)


def _referring(schema: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(schema, dict):
        return {word: _referring(value, renamed) for word, value in schema.items()}
    if isinstance(schema, list):
        return [_referring(value, renamed) for value in schema]
    return renamed.get(schema, schema) if isinstance(schema, str) else schema


def readable(schema: Schema) -> Schema:
    """The schema, and all within it, in this form."""
    form = {word: _inner(word, value) for word, value in schema.items()}
    for improve in (_described, _enumeration, _array, _instant, _union, _object):
        form = improve(form)
    return form


def sent_whole(schema: Schema) -> Schema:
    """The schema of what is sent to clients with every field that has a default: defaults are for
    those who leave a field out of a request, and requests are closed."""
    if schema.get("additionalProperties") is False or "properties" not in schema:
        return schema
    properties: dict[str, Schema] = schema["properties"]
    always = {*schema.get("required", ()), *(n for n, p in properties.items() if "default" in p)}
    sent = {
        name: {word: value for word, value in one.items() if word != "default"}
        for name, one in properties.items()
    }
    return {**schema, "properties": sent, "required": [n for n in properties if n in always]}


EXTENSIBLE = {"x-extensible": True}
"""What an answer can be may become more at any time, as games and events do: clients ignore what
they do not know. `versions.md` says so."""


def union(options: Sequence[Schema]) -> Schema:
    """One of these, and of more in time; the only one of them itself."""
    distinct = [one for n, one in enumerate(options) if one not in options[:n]]
    return distinct[0] if len(distinct) == 1 else {**EXTENSIBLE, "anyOf": distinct}


def tagged(field: str, options: dict[str, Schema]) -> Schema:
    """One of the components that are referred to, and of more in time, by the value of this
    field."""
    mapping = {value: option["$ref"] for value, option in options.items()}
    return {
        **EXTENSIBLE,
        "oneOf": list(options.values()),
        "discriminator": {"propertyName": field, "mapping": mapping},
    }


def constant(value: str) -> Schema:
    """This text."""
    return {"type": "string", "const": value}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def _inner(word: str, value: Any) -> Any:
    if word in LISTS_OF_SCHEMAS:
        return [readable(one) for one in value]
    if word in SCHEMAS and isinstance(value, dict):
        return readable(value)
    if word in ("properties", "$defs"):
        return {name: readable(one) for name, one in value.items()}
    return value


def _described(schema: Schema) -> Schema:
    """Descriptions come from docstrings, without their indentation."""
    said = schema.get("description")
    return schema if said is None else {**schema, "description": cleandoc(said)}


def _enumeration(schema: Schema) -> Schema:
    """An enumeration has a type, and one of a single value is a constant."""
    values = schema.get("enum")
    if values is None:
        return schema
    rest = {word: value for word, value in schema.items() if word != "enum"}
    kinds = sorted({JSON_TYPES[type(value)] for value in values})
    rest["type"] = kinds[0] if len(kinds) == 1 else kinds
    return {**rest, "const": values[0]} if len(values) == 1 else {**rest, "enum": values}


def _array(schema: Schema) -> Schema:
    """A tuple's length is in `minItems` and `maxItems`: with `items` beside `prefixItems` some
    generators add a part, or fail. Any other list says what it may hold."""
    if schema.get("type") != "array":
        return schema
    if schema.get("items") is not False:
        return {"items": {}, **schema}
    rest = {word: value for word, value in schema.items() if word != "items"}
    length = len(schema.get("prefixItems", ()))
    return {**rest, "minItems": length, "maxItems": length}


def _instant(schema: Schema) -> Schema:
    """An instant is a number on disk and a text on the wire."""
    if schema.get("format") != "date-time" or schema.get("type") != "integer":
        return schema
    rest = {word: value for word, value in schema.items() if word not in ("minimum", "maximum")}
    return {**rest, "type": "string"}


def _union(schema: Schema) -> Schema:
    """Of types that are told apart by a field, one at most fits."""
    if "discriminator" not in schema or "anyOf" not in schema:
        return schema
    rest = {word: value for word, value in schema.items() if word != "anyOf"}
    return {**rest, "oneOf": schema["anyOf"]}


def _object(schema: Schema) -> Schema:
    """An object that says nothing of its fields may have any."""
    if schema.get("type") != "object" or schema.get("properties"):
        return schema
    return {"additionalProperties": True, **schema}
