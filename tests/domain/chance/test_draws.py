"""An outcome answers a draw part by part, or does not answer it."""

from typing import Any

import msgspec
import pytest

from domain.chance.draws import (
    Draw,
    Flip,
    Outcome,
    Part,
    Roll,
    Shuffle,
    faces,
    fits,
    numbers,
    orders,
)
from domain.events import SEALED

COINS = Draw("coins", (Flip("left"), Flip("right")))
DECK = Draw("deck", (Shuffle((1, 2, 2, "joker")),))
BOTH = Draw("both", (Flip("coin"), Shuffle((1, 2))))
DICE = Draw("dice", (Roll(6, "left"), Roll(20, "right")))


@pytest.mark.parametrize(
    ("draw", "outcome"),
    [
        (COINS, ("heads", "tails")),
        (COINS, ("tails", "tails")),
        (DECK, ((2, "joker", 1, 2),)),
        (DECK, ((1, 2, 2, "joker"),)),
        (BOTH, ("heads", (2, 1))),
        (DICE, (1, 1)),
        (DICE, (6, 20)),
        (Draw("one side", (Roll(1, "ball"),)), (1,)),
        (Draw("nothing", ()), ()),
        (Draw("no cards", (Shuffle(()),)), ((),)),
    ],
)
def test_a_face_answers_a_flip_an_order_a_shuffle_and_a_number_a_roll(
    draw: Draw, outcome: Outcome
) -> None:
    assert fits(draw, outcome)


@pytest.mark.parametrize(
    ("draw", "outcome"),
    [
        (COINS, ()),
        (COINS, ("heads",)),
        (COINS, ("heads", "tails", "heads")),
        (COINS, ("heads", "edge")),
        (COINS, ("heads", "Heads")),
        (COINS, ("heads", ("heads",))),
        (DECK, ((2, "joker", 1),)),
        (DECK, ((2, "joker", 1, 1),)),
        (DECK, ((2, "joker", 1, 2, 2),)),
        (DECK, ("heads",)),
        (COINS, (1, 2)),
        (DECK, (1,)),
        (DICE, (1,)),
        (DICE, (1, 1, 1)),
        (DICE, (0, 1)),
        (DICE, (-1, 1)),
        (DICE, (7, 1)),
        (DICE, (6, 21)),
        (DICE, (1.0, 1)),
        (DICE, ("1", 1)),
        (DICE, ((1,), (1,))),
        (DICE, (None, 1)),
        (BOTH, ((2, 1), "heads")),
        (BOTH, ("heads", "21")),
        (BOTH, ("heads", ("1", "2"))),
        (Draw("no cards", (Shuffle(()),)), ("",)),
    ],
)
def test_no_other_outcome_answers(draw: Draw, outcome: Any) -> None:
    assert not fits(draw, outcome)


def test_one_and_true_are_two_items() -> None:
    """Python considers them equal; a record must not contain `true` where a chip 1 was shuffled."""
    yes: Any = ((True, 2),)
    assert not fits(Draw("chips", (Shuffle((1, 2)),)), yes)


def test_true_is_no_side_of_a_die() -> None:
    assert not fits(Draw("die", (Roll(6, "die"),)), (True,))


@pytest.mark.parametrize("sides", [0, -1, 2**32 + 1, 6.5, True])
def test_a_stored_die_has_as_many_sides_as_a_word_can_choose_between(sides: Any) -> None:
    stored = msgspec.msgpack.encode({"kind": "roll", "sides": sides, "label": "die"})
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(stored, type=Part)


def test_an_outcome_of_one_kind_is_read_as_it_is() -> None:
    assert faces(("heads", "tails")) == ("heads", "tails")
    assert orders(((2, 1), ("a",))) == ((2, 1), ("a",))
    assert numbers((6, 1)) == (6, 1)


def test_a_draw_is_sealed_unless_it_says_otherwise() -> None:
    assert Draw("deck", (Flip("coin"),)).audience == SEALED


@pytest.mark.parametrize(
    ("part", "wire"),
    [
        (Flip("penny"), {"kind": "flip", "label": "penny"}),
        (Shuffle((4, "x")), {"kind": "shuffle", "items": [4, "x"]}),
        (Roll(1, "ball"), {"kind": "roll", "sides": 1, "label": "ball"}),
        (Roll(6, "left"), {"kind": "roll", "sides": 6, "label": "left"}),
        (Roll(2**32, "left"), {"kind": "roll", "sides": 2**32, "label": "left"}),
    ],
)
def test_a_part_is_tagged_by_its_kind(part: Part, wire: dict[str, Any]) -> None:
    sent = msgspec.json.encode(part)
    assert msgspec.json.decode(sent) == wire
    received: Part = msgspec.json.decode(sent, type=Part)
    assert received == part
