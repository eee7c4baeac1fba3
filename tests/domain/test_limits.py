"""Limits of options are declared once: the schema shows them, and the default check enforces
them."""

from typing import Annotated, Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from domain.game import Refused
from domain.limits import between, taken_seat, within_limits

LIST = Annotated[tuple[Annotated[int, between(0, 9, "One.")], ...], Meta(max_length=3)]


class Point(Struct, frozen=True, forbid_unknown_fields=True):
    x: Annotated[int, between(-5, 5, "To the right.")] = 0


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Numbers in every position where an option can have them."""

    dice: Annotated[int, between(1, 6, "Dice each.")] = 5
    first_player: Annotated[int, taken_seat(4, "Who begins.")] = 0
    seconds: Annotated[int, between(5, 60, "For a turn.")] | None = None
    numbers: LIST = ()
    pair: tuple[Annotated[int, between(0, 1, "Left.")], Annotated[int, between(2, 3, "R.")]] = 0, 2
    point: Point = Point()
    name: Annotated[str, Meta(max_length=9)] = "x"
    flag: bool = True


def said(seats: int = 4, **options: Any) -> str | None:
    """The refusal of these options; None if they are allowed."""
    try:
        within_limits(msgspec.convert(options, Options), seats)
    except Refused as refused:
        return f"{refused.code}: {refused.text}"
    return None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"dice": 1},
        {"dice": 6},
        {"firstPlayer": 3},
        {"seconds": 5},
        {"seconds": None},
        {"numbers": [0, 9, 5]},
        {"pair": [1, 3]},
        {"point": {"x": -5}},
        {"name": "", "flag": False},
    ],
)
def test_values_within_the_limits_are_allowed(options: dict[str, Any]) -> None:
    assert said(**options) is None


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"dice": 0}, "dice is 1 to 6"),
        ({"dice": 7}, "dice is 1 to 6"),
        ({"firstPlayer": -1}, "firstPlayer is 0 to 3"),
        ({"firstPlayer": 4}, "firstPlayer is 0 to 3"),
        ({"seconds": 4}, "seconds is null or 5 to 60"),
        ({"seconds": 61}, "seconds is null or 5 to 60"),
        ({"numbers": [0, 10]}, "each of numbers is 0 to 9"),
        ({"pair": [0, 1]}, "each of pair is 2 to 3"),
        ({"pair": [2, 2]}, "each of pair is 0 to 1"),
        ({"point": {"x": 6}}, "point.x is -5 to 5"),
    ],
)
def test_values_outside_are_understood_and_not_allowed(options: dict[str, Any], text: str) -> None:
    assert said(**options) == f"options_not_allowed: {text}"


def test_a_seat_must_be_taken() -> None:
    code = "options_not_allowed"
    assert said(2, firstPlayer=2) == f"{code}: firstPlayer is 0 to 1"
    assert said(3, firstPlayer=3) == f"{code}: firstPlayer is 0 to 2"
    assert said(3, firstPlayer=2) is said(4, firstPlayer=2) is None


def test_the_schema_shows_the_limits_and_the_descriptions() -> None:
    fields = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    schema_ = {"type": "integer", "description": "Dice each.", "minimum": 1, "maximum": 6}
    assert fields["dice"] == {**schema_, "default": 5}
    assert (fields["firstPlayer"]["minimum"], fields["firstPlayer"]["maximum"]) == (0, 3)


NUMBERS = st.integers(-10, 70)


@given(NUMBERS, NUMBERS, NUMBERS, st.lists(NUMBERS, max_size=3), NUMBERS)
def test_the_check_agrees_with_the_schema(
    dice: int, first: int, seconds: int, numbers: list[int], x: int
) -> None:
    options = {"dice": dice, "firstPlayer": first, "seconds": seconds, "numbers": numbers}
    options["point"] = {"x": x}
    valid = jsonschema_rs.is_valid(msgspec.json.schema(Options), options)
    assert (said(4, **options) is None) == valid
