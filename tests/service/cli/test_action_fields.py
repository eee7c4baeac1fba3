"""The fields of actions as text: every menu of every game can be filled in."""

from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.menu import Between, ListOf, Nullable, Offer, OneOf
from domain.seat_holders import holders
from projections.action_texts import ActionText, Text
from projections.menu import Entry, entries, entry
from service.cli.action_fields import NotAllowed, action_of, fields_of, in_words, texts_of
from tests.support.tables.game_strategies import menu
from tests.support.tables.random_walk import walk

NAMES = ("Ann", "Ben")
OFFER = Offer(
    "do",
    {
        "coin": OneOf(("penny", "dime")),
        "for": OneOf((0, 1)),
        "count": Between(2, 5),
        "tiles": ListOf(Between(0, 8), 2, 3, True),
        "votes": Nullable(ListOf(OneOf((1, 2)), 1, 4)),
        "pay": OneOf((False, True)),
        "round": OneOf((7,)),
    },
    optional=("pay",),
)
FILLED = {
    "coin": "dime", "for": "1 Ben", "count": "3", "tiles": "0, 8", "votes": "1 2 2", "pay": "yes",
    "round": "7",
}  # fmt: skip


def offered() -> Entry:
    texts = {name: Text(name.capitalize(), f"About {name}.") for name in OFFER.fields}
    (shown,) = on_the_wire([entry(OFFER, ActionText("Do", "Does it.", texts))])
    return shown


def on_the_wire(offers: list[Entry]) -> list[Entry]:
    return msgspec.json.decode(msgspec.json.encode(offers), type=list[Entry])


def filled(**texts: str) -> dict[str, Any]:
    return action_of(offered(), fields_of(offered(), NAMES), {**FILLED, **texts})


@pytest.mark.parametrize("name", GAMES)
def test_every_example_of_every_menu_can_be_filled_in(name: str) -> None:
    game = GAMES[name]
    for table in islice(walk(name, game.seats[0]), 60):
        if table.match.status != "running":
            continue
        names = holders(table.match)
        offers = [one for seat in table.seats for one in entries(game, menu(table, seat))]
        for one in on_the_wire(offers):
            fields = fields_of(one, names)
            for example in one.examples:
                action = action_of(one, fields, texts_of(fields, example))
                wanted = msgspec.convert(example, game.Action)
                assert msgspec.convert(action, game.Action) == wanted
                assert in_words(one, action, names).startswith(one.title)


def test_texts_become_values_of_the_schema() -> None:
    assert filled() == {
        "type": "do", "coin": "dime", "for": 1, "count": 3, "tiles": [0, 8], "votes": [1, 2, 2],
        "pay": True, "round": 7,
    }  # fmt: skip


def test_what_may_be_left_out_is_left_out_or_null() -> None:
    action = filled(pay="", votes=" ")
    assert "pay" not in action and action["votes"] is None


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("coin", "dollar", "Coin: penny, dime."),
        ("for", "2", "For: 0 Ann, 1 Ben."),
        ("count", "6", "Count: a whole number from 2 to 5."),
        ("count", "two", "Count: a whole number from 2 to 5."),
        ("count", "", "Count: a whole number from 2 to 5."),
        ("tiles", "1 1", "Tiles: 2 to 3 numbers from 0 to 8, each once."),
        ("tiles", "1 2 3 4", "Tiles: 2 to 3 numbers from 0 to 8, each once."),
        ("votes", "3", "Votes: 1 to 4 of 1, 2, or nothing."),
    ],
)
def test_what_does_not_fit_says_what_would(field: str, text: str, said: str) -> None:
    with pytest.raises(NotAllowed) as raised:
        filled(**{field: text})
    assert str(raised.value) == said


def test_an_action_in_words_has_the_titles_of_its_fields() -> None:
    said = in_words(offered(), filled(pay=""), NAMES)
    assert said == "Do: Coin dime; For 1 Ben; Count 3; Tiles 0 8; Votes 1 2 2; Round 7"


def test_a_field_of_a_kind_that_is_not_known_here_is_filled_in_as_json() -> None:
    schema = {"type": "object", "properties": {"type": {"const": "do"}, "at": {"type": "object"}}}
    one = Entry("do", "Do", "Does it.", {**schema, "required": ["type", "at"]}, True, [])
    fields = fields_of(one, NAMES)
    assert action_of(one, fields, {"at": '{"x":1}'}) == {"type": "do", "at": {"x": 1}}
    with pytest.raises(NotAllowed, match=r"At: JSON\.|at: JSON\."):
        action_of(one, fields, {"at": "{"})
