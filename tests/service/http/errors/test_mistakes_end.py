"""Looking for mistakes ends: a refused body costs no more than its first ones."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import inspect

from domain.games import RULES
from service.http.errors import shape_mistakes as module
from service.http.errors.mistakes import MOST_MISTAKES
from service.http.errors.shape_mistakes import MOST_VALUES, shape_mistakes
from service.http.middleware.limits import BODY_LIMIT
from service.http.requests.whole_numbers import whole

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
