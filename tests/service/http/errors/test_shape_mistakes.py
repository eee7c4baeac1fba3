"""Mistakes in a value: there are some exactly where msgspec refuses it."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from domain.games import GAMES, RULES
from service.application.matches.creation import NewMatch
from service.http.actions.actions import EnteredDraw
from service.http.errors import shape_mistakes as module
from service.http.errors.mistakes import MOST_MISTAKES
from service.http.errors.shape_mistakes import MOST_VALUES, shape_mistakes
from service.http.middleware.limits import BODY_LIMIT
from service.http.requests.strict_json import whole
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


# Looking for mistakes ends: a refused body costs no more than its first ones.

ITEMS = BODY_LIMIT // 3
"""Values of a body that is as large as is read."""


class Looked:
    """Counts the values that are looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values = 0
        walk = module._mistakes

        def counted(*given: Any) -> Iterator[Any]:
            self.values += 1
            return walk(*given)

        monkeypatch.setattr(module, "_mistakes", counted)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Looked:
    return Looked(monkeypatch)


@pytest.mark.parametrize("item", [1, {}, [], "a", {"type": "a"}], ids=str)
@pytest.mark.parametrize("game", RULES, ids=lambda game: f"{game.id}.{game.rules_version}")
def test_every_field_of_every_action_as_a_long_list(game: Any, item: Any, looked: Looked) -> None:
    fields = {one for union in inspect.multi_type_info([game.Action]) for one in _fields(union)}
    for tag, name in sorted(fields):
        looked.values = 0
        found = shape_mistakes({"type": tag, name: [item] * ITEMS}, game.Action)
        assert len(found) <= MOST_MISTAKES
        assert looked.values <= 3 * MOST_VALUES, (tag, name)


def test_what_stands_in_one_of_several_types_ends_too(looked: Looked) -> None:
    found = shape_mistakes([["a"] * ITEMS], list[list[int] | None])
    assert len(found) == MOST_MISTAKES
    assert looked.values <= 2 * MOST_MISTAKES


def test_a_mistake_behind_many_sound_values_is_left_to_msgspec(looked: Looked) -> None:
    assert shape_mistakes([1] * ITEMS + ["a"], list[int]) == ()
    assert looked.values == MOST_VALUES


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5.0", 5), ("5e0", 5), ("-0.0", 0), ("1e-400", 1e-400), ("0e-400", 0), ("1e400", 1e400),
        ("4.9999999999999999999", 5.0), ("9007199254740991.0", 9007199254740991),
        ("9007199254740993.0", 9007199254740992.0), ("12345678901234.5", 12345678901234.5),
    ],
)  # fmt: skip
def test_whole_numbers_are_found_exactly(text: str, number: float) -> None:
    assert (whole(text), type(whole(text))) == (number, type(number))


def _fields(kind: Any) -> set[tuple[str, str]]:
    structs: Any = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return {(str(one.tag), field.encode_name) for one in structs for field in one.fields}
