"""The schemas of all games are in one document, whatever each game names its types."""

from typing import Any

import jsonschema_rs
import msgspec
import pytest
from msgspec import Struct

from domain.games import GAMES
from projections.boards import BOARDS
from service.http.game_schemas import GameTypes, any_action, game_schemas, with_notes
from service.http.schema_form import Schema
from tests.support.tables import toy_game as toy


class Made(Struct):
    """Games in one document."""

    action: Schema
    boards: list[Schema]
    components: dict[str, Schema]


class NoOptions(Struct, forbid_unknown_fields=True):
    """Of a game that has none."""


def types(game: str) -> GameTypes:
    rules = GAMES[game]
    return GameTypes(game, rules.Action, BOARDS[game].view, rules.Options, range(2, 3))


def small(game: str, action: Any, view: type[Struct]) -> GameTypes:
    return GameTypes(game, action, view, NoOptions, range(2, 3))


TOY = small("blind-bid", toy.Action, toy.Board)


class Bow(Struct, tag="bow", forbid_unknown_fields=True):
    """The only action of its game."""

    depth: int


class Placed(Struct):
    """A name that a part of Liar's Dice has, too."""

    depth: int


class Stage(Struct):
    bows: tuple[Placed, ...]


def document(*games: GameTypes) -> Made:
    made = game_schemas(games, {"Line": {"type": "object"}})
    components = {name: schema for one in made for name, schema in one.components.items()}
    return Made(any_action(made), [one.board for one in made], components)


def valid(made: Made, schema: dict[str, Any], value: Any) -> bool:
    whole = {**schema, "components": {"schemas": made.components}}
    return jsonschema_rs.is_valid(whole, msgspec.to_builtins(value))


def test_the_existing_games_have_distinct_names() -> None:
    made = document(*map(types, GAMES))
    assert len(made.boards) == len(GAMES)
    every = {one["$ref"].rsplit("/", 1)[1] for one in made.action["oneOf"]}
    assert {"Bid", "Place", "Play", "Submit"} <= every
    assert set(made.action["discriminator"]["mapping"]) >= {"bid", "place", "play", "submit"}
    assert "LiarsDiceBoard" in made.components and "Board" not in made.components


def test_types_of_one_name_are_distinguished_by_their_games() -> None:
    made = document(types("liars-dice"), TOY)
    assert "Bid" not in made.components
    liars, toys = ({"$ref": f"#/components/schemas/{n}Bid"} for n in ("LiarsDice", "BlindBid"))
    assert {"$ref": liars["$ref"]} in made.action["anyOf"] and toys in made.action["anyOf"]
    assert valid(made, liars, {"type": "bid", "count": 1, "face": 6})
    assert valid(made, toys, toy.Bid(3)) and not valid(made, liars, toy.Bid(3))
    for action in ({"type": "bid", "count": 1, "face": 6}, toy.Bid(3), toy.Thank()):
        assert valid(made, made.action, action)


def test_without_a_type_of_its_own_an_action_is_any_that_fits() -> None:
    """A discriminator leads each `type` to one schema."""
    assert "discriminator" not in document(types("liars-dice"), TOY).action
    assert "discriminator" in document(types("liars-dice"), types("together")).action


def test_a_game_of_one_action_and_a_view_of_parts() -> None:
    made = document(types("liars-dice"), small("stage-play", Bow, Stage))
    assert made.action["discriminator"]["mapping"]["bow"] == "#/components/schemas/Bow"
    assert {"LiarsDicePlaced", "StagePlayPlaced"} <= set(made.components)
    stage, dice = made.boards[1], {"$ref": "#/components/schemas/LiarsDicePlaced"}
    assert valid(made, stage, Stage((Placed(3),))) and not valid(made, dice, Placed(3))


def test_a_name_of_the_document_stays_unchanged() -> None:
    class Line(Struct, tag="line", forbid_unknown_fields=True):
        length: int

    made = document(small("go", Line, Stage))
    assert "Line" not in made.components and "GoLine" in made.components


# Notes in receipts.

RECEIPT: Schema = {"description": "A receipt.", "properties": {"seq": {"type": "integer"}}}


class Hint(Struct):
    """`hint` is there only if one is due."""

    hint: str


def test_a_receipt_has_the_fields_of_every_note() -> None:
    shown = with_notes(RECEIPT, [Hint, Hint])
    assert shown["properties"] == {**RECEIPT["properties"], "hint": {"type": "string"}}
    assert shown["description"] == "A receipt.\n`hint` is there only if one is due."
    assert "required" not in shown, "most receipts have no note"


def test_a_note_has_no_field_that_receipts_have() -> None:
    with pytest.raises(AssertionError, match=r"fields already: .*hint"):
        with_notes(with_notes(RECEIPT, [Hint]), [msgspec.defstruct("Other", [("hint", int)])])
