"""The schemas of all games are in one document, whatever each game names its types."""

from dataclasses import replace
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from msgspec import Struct, defstruct

from domain.events import PUBLIC, Event
from domain.games import GAMES
from domain.match.state import AnyGame, convert_action
from projections.boards import BOARDS
from service.http.actions import actions
from service.http.description.game_schemas import (
    GameSchemas,
    any_action,
    game_schemas,
    in_one_document,
    with_notes,
)
from service.http.description.schema_form import Schema
from service.http.errors.problems import Failed
from tests.support.tables import toy_game as toy


class Made(Struct):
    """Games in one document."""

    action: Schema
    boards: list[Schema]
    components: dict[str, Schema]


class NoOptions(Struct, forbid_unknown_fields=True):
    """Of a game that has none."""


def schemas(game: str) -> GameSchemas:
    return game_schemas(GAMES[game], BOARDS[game].view)


GAME: Any = toy.GAME
ALL = {"audience": PUBLIC}


def small(game: str, action: Any, view: type[Struct]) -> GameSchemas:
    event = defstruct(
        "Played", [], bases=(Event,), tag=f"{game}.played.1", namespace=ALL, frozen=True
    )
    rules = replace(GAME, id=game, Action=action, Options=NoOptions, Event=event)
    return game_schemas(rules, view)


TOY = small("blind-bid", toy.Action, toy.Board)


class Bow(Struct, tag="bow", forbid_unknown_fields=True):
    """The only action of its game."""

    depth: int


class Placed(Struct):
    """A name that a part of Liar's Dice has, too."""

    depth: int


class Stage(Struct):
    bows: tuple[Placed, ...]


def document(*made: GameSchemas) -> Made:
    own = {name: schema for one in made for name, schema in one.components.items()}
    boards = {f"Board{n}": one.board for n, one in enumerate(made)}
    house = {"Line": {"type": "object"}, "Action": any_action(made), **boards}
    components = in_one_document(own | house, made)
    return Made(components["Action"], [components[name] for name in boards], components)


def valid(made: Made, schema: dict[str, Any], value: Any) -> bool:
    whole = {**schema, "components": {"schemas": made.components}}
    return jsonschema_rs.is_valid(whole, msgspec.to_builtins(value))


def test_the_existing_games_have_distinct_names() -> None:
    made = document(*map(schemas, GAMES))
    assert len(made.boards) == len(GAMES)
    every = {one["$ref"].rsplit("/", 1)[1] for one in made.action["oneOf"]}
    assert {"LiarsDiceBid", "DollarPrizePlace", "TwelveChipsPlay", "TogetherSubmit"} <= every
    assert set(made.action["discriminator"]["mapping"]) >= {"bid", "place", "play", "submit"}
    assert "LiarsDiceBoard" in made.components and "Board" not in made.components


def test_a_game_more_changes_no_name_of_the_others() -> None:
    alone, made = document(schemas("liars-dice")), document(schemas("liars-dice"), TOY)
    of_dice = {name for name in made.components if name.startswith("LiarsDice")}
    assert of_dice == {name for name in alone.components if name.startswith("LiarsDice")}
    assert "LiarsDiceBid" in of_dice and "Bid" not in made.components
    liars, toys = ({"$ref": f"#/components/schemas/{n}Bid"} for n in ("LiarsDice", "BlindBid"))
    assert {"$ref": liars["$ref"]} in made.action["anyOf"] and toys in made.action["anyOf"]
    assert valid(made, liars, {"type": "bid", "count": 1, "face": 6})
    assert valid(made, toys, toy.Bid(3)) and not valid(made, liars, toy.Bid(3))
    for action in ({"type": "bid", "count": 1, "face": 6}, toy.Bid(3), toy.Thank()):
        assert valid(made, made.action, action)


def test_without_a_type_of_its_own_an_action_is_any_that_fits() -> None:
    """A discriminator leads each `type` to one schema."""
    assert "discriminator" not in document(schemas("liars-dice"), TOY).action
    assert "discriminator" in document(schemas("liars-dice"), schemas("together")).action


def test_a_game_of_one_action_and_a_view_of_parts() -> None:
    made = document(schemas("liars-dice"), small("stage-play", Bow, Stage))
    assert made.action["discriminator"]["mapping"]["bow"] == "#/components/schemas/StagePlayBow"
    assert {"LiarsDicePlaced", "StagePlayPlaced"} <= set(made.components)
    stage, dice = made.boards[1], {"$ref": "#/components/schemas/LiarsDicePlaced"}
    assert valid(made, stage, Stage((Placed(3),))) and not valid(made, dice, Placed(3))


def test_a_name_of_the_document_stays_unchanged() -> None:
    class Line(Struct, tag="line", forbid_unknown_fields=True):
        length: int

    made = document(small("go", Line, Stage))
    assert made.components["Line"] == {"type": "object"} and "GoLine" in made.components


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


# An action is tagged by `type`, also in a game with only one kind of action.

ONE_KIND: AnyGame = replace(toy.GAME, Action=toy.Bid)


@pytest.mark.parametrize("game", [toy.GAME, ONE_KIND], ids=["several kinds", "one kind"])
def test_an_action_says_its_type(game: AnyGame) -> None:
    assert convert_action(game, {"type": "bid", "chips": 3}) == toy.Bid(3)
    wrong: list[dict[str, Any]] = [{"chips": 3}, {}, {"type": "bet", "chips": 3}, {"type": "bid"}]
    for sent in wrong:
        with pytest.raises(msgspec.ValidationError):
            convert_action(game, sent)


def test_the_api_requires_it_too() -> None:
    sent = b'{"type":"bid","chips":3}'
    assert actions._parse(ONE_KIND, sent) == (toy.Bid(3), {"type": "bid", "chips": 3})
    with pytest.raises(Failed, match="wrong_shape"):
        actions._parse(ONE_KIND, b'{"chips":3}')
