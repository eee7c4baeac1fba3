"""A menu for generic frontends: JSON Schema 2020-12 and examples, one entry per action."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.menu import Between, Field, ListOf, Menu, Nullable, Offer, OneOf


class Entry(Struct, frozen=True):
    """One kind of action that the seat may send now.

    `exact`: every instance of `schema` is accepted. Each of `examples` is accepted as it is.
    """

    type: str
    schema: dict[str, Any]
    exact: bool
    examples: list[dict[str, Any]]


class MenuAnswer(Struct, frozen=True):
    """What the seat may do now; empty when it may do nothing."""

    actions: list[Entry]


def answer(menu: Menu) -> MenuAnswer:
    """The menu as it is sent."""
    return MenuAnswer([_entry(offer) for offer in menu])


def _entry(offer: Offer) -> Entry:
    fields = {name: _schema(field) for name, field in offer.fields.items()}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"type": {"const": offer.type}, **fields},
        "required": ["type", *(name for name in offer.fields if name not in offer.optional)],
        "additionalProperties": False,
    }
    examples = [{"type": offer.type, **example} for example in offer.examples]
    return Entry(offer.type, schema, offer.exact, examples or [_first(offer)])


def _first(offer: Offer) -> dict[str, Any]:
    return {"type": offer.type, **_firsts(offer.fields)}


def _firsts(fields: Mapping[str, Field]) -> dict[str, Any]:
    return {name: _some(field) for name, field in fields.items()}


def _some(field: Field) -> Any:
    match field:
        case OneOf(values):
            return values[0]
        case Between(low):
            return low
        case ListOf(item, low):
            return [_some(item)] * low
        case Nullable():
            return None


def _schema(field: Field) -> dict[str, Any]:
    match field:
        case OneOf(values):
            return {"enum": list(values)}
        case Between(low, high):
            return {"type": "integer", "minimum": low, "maximum": high}
        case ListOf(item, low, high, unique):
            schema = {"type": "array", "items": _schema(item), "minItems": low, "maxItems": high}
            return {**schema, "uniqueItems": True} if unique else schema
        case Nullable(inner):
            return {"anyOf": [_schema(inner), {"type": "null"}]}
