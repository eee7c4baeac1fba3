"""JSON Schemas in the form that generators of clients and checkers read alike.

What msgspec derives from a type is valid JSON Schema 2020-12, but generators stumble over parts of
it: enumerations without a type, tuples that end with `items: false`, objects that say nothing.
`readable` says the same in words that all of them know.
"""

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any

from service.http.errors.mistakes import JsonType

Schema = dict[str, Any]

SCHEMAS = ("items", "additionalProperties")
LISTS_OF_SCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")

JSON_TYPES: dict[type, JsonType] = {
    str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
    list: "array",
}  # fmt: skip

EXTENSIBLE = {"x-extensible": True}
"""Later releases may add kinds of what is answered, as of games and events: clients ignore those
that they do not know. `versions.md` says so."""

COMPONENTS = "#/components/schemas/"

ANY_ACTION = "Action"
"""The component of an action of any game."""


def reference(component: str) -> Schema:
    """A reference to the schema of a component."""
    return {"$ref": COMPONENTS + component}


def component(reference: Schema) -> str:
    """The name of the component that is referred to."""
    name: str = reference["$ref"].removeprefix(COMPONENTS)
    return name


def referring(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with references to the new names of what it refers to."""
    match schema:
        case dict():
            return {word: referring(value, names) for word, value in schema.items()}
        case list():
            return [referring(value, names) for value in schema]
        case str() if schema.startswith(COMPONENTS):
            name = schema.removeprefix(COMPONENTS)
            return COMPONENTS + names.get(name, name)
    return schema


def union(options: Sequence[Schema]) -> Schema:
    """One of these, and of others that later releases add; a single one stands for itself."""
    distinct = [option for n, option in enumerate(options) if option not in options[:n]]
    return distinct[0] if len(distinct) == 1 else {**EXTENSIBLE, "anyOf": distinct}


def tagged(field: str, options: Mapping[str, Schema]) -> Schema:
    """One of the components that are referred to, and of more in time, by the value of this
    field."""
    mapping = {value: option["$ref"] for value, option in options.items()}
    discriminator = {"propertyName": field, "mapping": mapping}
    return {**EXTENSIBLE, "oneOf": list(options.values()), "discriminator": discriminator}


def constant(value: str) -> Schema:
    """The schema of this text alone."""
    return {"type": "string", "const": value}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def words_of(schema: Schema) -> Schema:
    """The description of a schema, if it has one."""
    return {word: schema[word] for word in ("description",) if word in schema}


def readable(schema: Schema) -> Schema:
    """The schema, and all within it, in this form."""
    form = {word: _inner(word, value) for word, value in schema.items()}
    if "description" in form:
        form["description"] = cleandoc(form["description"])
    if "enum" in form:
        form |= _choice(form.pop("enum"))
    if "discriminator" in form and "anyOf" in form:
        form["oneOf"] = form.pop("anyOf")
    match form:
        case {"prefixItems": parts, "items": False, **rest}:
            return {**rest, **_parts(parts)}
        case {"type": "array"}:
            return {"items": {}, **form}
        case {"type": "object"} if not form.get("properties"):
            return {"additionalProperties": True, **form}
        case {"type": "integer", "format": "date-time"}:  # Stored as a number, sent as a text.
            return {**words_of(form), "type": "string", "format": "date-time"}
    return form


def _inner(word: str, value: Any) -> Any:
    if word in LISTS_OF_SCHEMAS:
        return [readable(inner) for inner in value]
    if word in SCHEMAS and isinstance(value, dict):
        return readable(value)
    if word in ("properties", "$defs"):
        return {name: readable(inner) for name, inner in value.items()}
    return value


def _choice(values: Sequence[Any]) -> Schema:
    """An enumeration has a type, and one of a single value is a constant."""
    kinds = sorted({JSON_TYPES[type(value)] for value in values})
    choice = {"const": values[0]} if len(values) == 1 else {"enum": values}
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **choice}


def _parts(parts: Sequence[Schema]) -> Schema:
    """The parts of a tuple: a list of so many where all are alike. With `items` next to
    `prefixItems` some generators add a part, or fail."""
    alike = all(part == parts[0] for part in parts)
    items = {"items": parts[0]} if alike else {"prefixItems": parts}
    return {**items, "minItems": len(parts), "maxItems": len(parts)}


def sent_whole(schema: Schema) -> Schema:
    """The schema of what is sent to clients with every field that has a default: defaults are for
    those who leave a field out of a request, and requests are closed."""
    if schema.get("additionalProperties") is False or "properties" not in schema:
        return schema
    properties: dict[str, Schema] = schema["properties"]
    always = {*schema.get("required", ()), *(n for n, p in properties.items() if "default" in p)}
    whole_properties = {
        name: {word: value for word, value in schema_.items() if word != "default"}
        for name, schema_ in properties.items()
    }
    return {
        **schema,
        "properties": whole_properties,
        "required": [n for n in properties if n in always],
    }
