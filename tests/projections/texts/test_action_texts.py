"""What menus say for people: every action and field of a game has a title and a sentence."""

from typing import Annotated

import pytest
from msgspec import Meta, Struct

from domain.games import GAMES
from projections.texts.action_texts import action_texts, titled
from service.http.games import schema_of


class Bid(Struct, frozen=True, tag="big_bid", forbid_unknown_fields=True):
    """Bids
    for it."""

    of_chips: int
    by: Annotated[int, Meta(title="Seat", description="Who bids.")] = 0


def test_a_title_is_the_name_in_words_unless_it_has_one() -> None:
    text = action_texts(Bid)["big_bid"]
    assert (text.title, text.description) == ("Big bid", "Bids for it.")
    assert (text.fields["by"].title, text.fields["by"].description) == ("Seat", "Who bids.")
    assert text.fields["of_chips"].title == text.fields["of_chips"].description == "Of chips"


@pytest.mark.parametrize("game", GAMES)
def test_every_action_and_field_is_described(game: str) -> None:
    for text in action_texts(GAMES[game].Action).values():
        for one in (text, *text.fields.values()):
            assert one.title
            assert one.description.endswith(".")


@pytest.mark.parametrize("game", GAMES)
def test_the_schemas_of_a_game_have_the_texts_of_its_menus(game: str) -> None:
    texts = action_texts(GAMES[game].Action)
    parts = titled(schema_of(GAMES[game].Action), texts)["$defs"].values()
    of_actions = {p["properties"]["type"]["const"]: p for p in parts if "properties" in p}
    assert of_actions.keys() == texts.keys()
    for kind, text in texts.items():
        assert of_actions[kind]["title"] == text.title
        for name, field in text.fields.items():
            assert of_actions[kind]["properties"][name]["description"] == field.description
