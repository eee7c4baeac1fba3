"""A menu for generic frontends: JSON Schema 2020-12 and examples, one entry per action."""

from typing import Any

import msgspec
from msgspec import Struct

from domain.match.state import AnyGame, Match
from domain.menu import NOTHING, Between, Field, ListOf, Menu, Nullable, Offer, OneOf
from projections.fields import ShownAction
from projections.texts.action_texts import ActionText, action_texts, schema_texts


class Entry(Struct, frozen=True):
    """One kind of action that the seat may send now. `title` and `description` say for people what
    it is; in `schema` each field has its own.

    `exact`: every instance of `schema` is accepted. Each of `examples` is accepted as it is.
    """

    type: str
    title: str
    description: str
    schema: dict[str, Any]
    exact: bool
    examples: list[dict[str, Any]]


class MenuAnswer(Struct, frozen=True):
    """What the seat may do now; empty when it may do nothing.

    `awaited`: the match waits for the seat. `submitted`: the seat has done its part all the same:
    in a sealed phase everyone is awaited until it resolves. While the menu has entries the seat
    may still submit something else. `standing` is what counts of it now, as an action.
    """

    actions: list[Entry]
    awaited: bool
    submitted: bool
    standing: ShownAction | None


def answer(game: AnyGame, match: Match, seat: int) -> MenuAnswer:
    """The menu of a seat as it is sent. All of it follows from what the seat may know."""
    running = match.status == "running"
    menu = game.legal(match.game, seat) if running else NOTHING
    awaited = seat in match.awaiting.seats
    standing = game.standing(match.game, seat) if awaited else None
    has_acted = standing is not None or (running and not menu)
    standing_fields = None if standing is None else msgspec.to_builtins(standing)
    return MenuAnswer(entries(game, menu), awaited, awaited and has_acted, standing_fields)


def entries(game: AnyGame, menu: Menu) -> list[Entry]:
    """The entries of a menu of this game."""
    texts = action_texts(game.Action)
    return [entry(offer, texts[offer.type]) for offer in menu]


def entry(offer: Offer, text: ActionText) -> Entry:
    """The entry of one kind of action, with what it is for people."""
    fields = {
        name: {**schema_texts(text.fields[name]), **_schema(field)}
        for name, field in offer.fields.items()
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"type": {"const": offer.type}, **fields},
        "required": ["type", *(name for name in offer.fields if name not in offer.optional)],
        "additionalProperties": False,
    }
    examples = [{"type": offer.type, **example} for example in offer.examples]
    examples = examples or [_first(offer)]
    return Entry(offer.type, text.title, text.description, schema, offer.exact, examples)


def _first(offer: Offer) -> dict[str, Any]:
    return {"type": offer.type, **{name: _some(field) for name, field in offer.fields.items()}}


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
