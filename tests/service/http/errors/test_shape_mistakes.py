"""Mistakes in a value: there are some exactly where msgspec refuses it."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games import GAMES
from service.http.errors.shape_mistakes import shape_mistakes
from service.http.matches.matches import EnteredDraw, NewMatch
from service.http.rulings.ruling_schemas import AnyRuling
from tests.support.effort import times

quick = settings(max_examples=60 * times("fuzz"), deadline=None, derandomize=True, database=None)

scalars = (
    st.none() | st.booleans() | st.integers() | st.sampled_from([1.5, 2.0**60])
    | st.sampled_from(["", "play", "server", "heads", "pause", "a" * 3_000])
)  # fmt: skip
names = st.sampled_from(
    ["type", "chip", "game", "seats", "kind", "reason", "id", "outcome", "chance", "protest_hours"]
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5)
)

KINDS: dict[str, Any] = {
    "new match": NewMatch, "draw": EnteredDraw, "ruling": AnyRuling,
    **{game.id: game.Action for game in GAMES.values()},
}  # fmt: skip

MATCH: dict[str, Any] = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}


@pytest.mark.parametrize("kind", KINDS)
@quick
@given(value=values)
def test_what_is_refused_has_a_mistake_and_nothing_else_has(kind: str, value: Any) -> None:
    found = shape_mistakes(value, KINDS[kind])
    try:
        msgspec.convert(value, KINDS[kind])
    except msgspec.ValidationError:
        assert found or untagged(value)
    else:
        assert not found or untagged(value)


def untagged(value: Any) -> bool:
    """Where msgspec is laxer: an object without its tag, of which there is only one kind."""
    return isinstance(value, dict) and "type" not in value


@pytest.mark.parametrize(
    ("value", "pointer", "code"),
    [
        ({"seats": []}, "/game", "missing_field"),
        ({**MATCH, "seat": 1}, "/seat", "unknown_field"),
        ({**MATCH, "a/b~": 1}, "/a~1b~0", "unknown_field"),
        ({**MATCH, "seats": ["Ann", 2]}, "/seats/1", "wrong_type"),
        ({**MATCH, "seats": ["A"] * 65}, "/seats", "wrong_length"),
        ({**MATCH, "chance": "Server"}, "/chance", "unknown_value"),
        ({**MATCH, "protest_hours": -1}, "/protest_hours", "out_of_range"),
        ({**MATCH, "protest_hours": True}, "/protest_hours", "wrong_type"),
        ([], "", "wrong_type"),
    ],
)
def test_a_mistake_says_where_it_is_and_what_it_is(value: Any, pointer: str, code: str) -> None:
    (found,) = shape_mistakes(value, NewMatch)
    assert (found.pointer, found.code) == (pointer, code)


def test_every_mistake_is_listed_up_to_ten() -> None:
    assert len(shape_mistakes({"game": 1, "chance": 2, "x": 3}, NewMatch)) == 4
    assert len(shape_mistakes({f"x{n}": n for n in range(1_000)}, NewMatch)) == 10


def test_a_mistake_never_repeats_a_value() -> None:
    sent = {**MATCH, "chance": "SECRET", "seats": ["SECRET"] * 65, "clock": ["SECRET"]}
    assert b"SECRET" not in msgspec.json.encode(shape_mistakes(sent, NewMatch))
