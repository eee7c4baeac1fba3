"""The options of Grouping Black & White: both variants, their limits, and their defaults.

The effect of each option is tested with the rule that it changes.
"""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.game import Refused
from domain.games.grouping_bw.options import House, Options, check, complete
from domain.games.grouping_bw.rules import GAME
from projections.boards.grouping_bw import BOARDS
from tests.support.tables.grouping_bw_options import options

DEATH_MATCH = {
    "variant": "death-match",
    "chips": [30, 30],
    "passes_per_set": 2,
    "ante_every_sets": 1,
    "raise_cap": 10,
    "on_fold": "pot",
    "on_call": "pot",
    "regroup_limits": None,
    "fold_8_penalty": 0,
    "short_ante": "all_in",
    "items": [[], []],
    "ante_increase_allowed": False,
    "starter_chooser": 1,
    "own_tile_visible": False,
    "leader_check": False,
    "bet_seconds": 60,
    "group_seconds": 120,
}
FINAL_MATCH_2 = {
    "variant": "final-match-2",
    "chips": [100, 100],
    "passes_per_set": 1,
    "ante_every_sets": 2,
    "raise_cap": 10,
    "on_fold": "return",
    "on_call": "return",
    "regroup_limits": [1, 1, 2],
    "fold_8_penalty": 8,
    "short_ante": "lose",
    "items": [["bonus", "peek"], ["order"]],
    "ante_increase_allowed": True,
    "starter_chooser": 0,
    "own_tile_visible": False,
    "leader_check": False,
    "bet_seconds": 60,
    "group_seconds": 120,
}


def wire(value: Any) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return fields


@pytest.mark.parametrize("variant", [DEATH_MATCH, FINAL_MATCH_2])
def test_a_variant_sets_all_other_options(variant: dict[str, Any]) -> None:
    given = msgspec.convert({"variant": variant["variant"]}, Options)
    assert wire(complete(given, 2)) == variant


def test_without_a_variant_it_is_a_death_match() -> None:
    assert wire(GAME.complete(Options(), 2)) == DEATH_MATCH
    assert wire(Options()) == {"variant": "death-match"}


@pytest.mark.parametrize("variant", [DEATH_MATCH, FINAL_MATCH_2])
@pytest.mark.parametrize("other", [DEATH_MATCH, FINAL_MATCH_2])
def test_every_option_can_be_given_by_itself(
    variant: dict[str, Any], other: dict[str, Any]
) -> None:
    for name in DEATH_MATCH.keys() - {"variant", "items"}:
        given = msgspec.convert({"variant": variant["variant"], name: other[name]}, Options)
        assert wire(complete(given, 2)) == {**variant, name: other[name]}


def test_regroup_limits_can_be_lifted_from_a_variant_that_has_them() -> None:
    given = msgspec.convert({"variant": "final-match-2", "regroup_limits": None}, Options)
    assert complete(given, 2).regroup_limits is None


@pytest.mark.parametrize("variant", ["death-match", "final-match-2"])
@pytest.mark.parametrize(
    ("items", "chooser"),
    [
        (((), ()), 1),
        ((("peek",), ("order",)), 1),
        ((("bonus",), ()), 0),
        (((), ("peek", "bonus")), 1),
    ],
)
def test_the_chooser_is_the_holder_of_the_bonus_or_else_seat_1(
    variant: Any, items: Any, chooser: int
) -> None:
    assert complete(Options(variant=variant, items=items), 2).starter_chooser == chooser
    given = Options(variant=variant, items=items, starter_chooser=0)
    assert complete(given, 2).starter_chooser == 0


def test_a_bonus_is_ten_more_chips_than_those_given() -> None:
    assert GAME.initial(Options(variant="final-match-2"), 2).stacks == (110, 100)
    state = GAME.initial(Options(chips=(5, 7), items=((), ("bonus",))), 2)
    assert state.stacks == (5, 17)
    assert state.house.chips == (5, 7)


@given(options())
def test_completed_options_are_complete_and_valid(chosen: Options) -> None:
    check(chosen, 2)
    house = complete(chosen, 2)
    assert isinstance(house, House)
    assert complete(house, 2) == house
    check(house, 2)
    again = msgspec.convert(wire(house), Options)
    check(again, 2)
    assert complete(again, 2) == house
    assert GAME.initial(again, 2) == GAME.initial(chosen, 2)
    for viewer in ("public", 0, 1, "moderator"):
        assert BOARDS.initial(again, 2, viewer) == BOARDS.initial(chosen, 2, viewer)


def test_every_option_is_described_in_the_schema_with_its_limits() -> None:
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    assert list(schema) == list(DEATH_MATCH)
    for name, field in schema.items():
        assert any("description" in part for part in (field, *field.get("anyOf", ()))), name
    assert (schema["raise_cap"]["minimum"], schema["raise_cap"]["maximum"]) == (1, 10_000)
    assert schema["chips"]["items"]["maximum"] == 10_000
    assert (schema["items"]["minItems"], schema["items"]["maxItems"]) == (2, 2)


@pytest.mark.parametrize(
    "sent",
    [
        {"variant": "final-match-1"},
        {"chips": 30},
        {"chips": ["30", "30"]},
        {"raise_cap": None},
        {"raise_cap": 2.5},
        {"on_fold": "burn"},
        {"items": [["bonus"], ["joker"]]},
        {"short_ante": "split"},
        {"leader_check": 1},
        {"blinds": 2},
    ],
)
def test_options_of_another_kind_are_not_understood(sent: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(sent, Options)


LIMITS = {
    "passes_per_set": (1, 10),
    "ante_every_sets": (1, 1_000),
    "raise_cap": (1, 10_000),
    "fold_8_penalty": (0, 10_000),
    "starter_chooser": (0, 1),
    "bet_seconds": (1, 86_400),
    "group_seconds": (1, 86_400),
}


@pytest.mark.parametrize(("name", "limits"), LIMITS.items())
def test_numbers_are_allowed_up_to_their_limits(name: str, limits: tuple[int, int]) -> None:
    for value in limits:
        check(msgspec.convert({name: value}, Options), 2)
    for value in (limits[0] - 1, limits[1] + 1, 10**40, -(10**40)):
        not_allowed({name: value}, name)


def not_allowed(sent: dict[str, Any], named: str, seats: int = 2) -> None:
    with pytest.raises(Refused) as refusal:
        check(msgspec.convert(sent, Options), seats)
    assert refusal.value.code == "options_not_allowed"
    assert refusal.value.code in GAME.codes
    assert named in (refusal.value.text or "")


@pytest.mark.parametrize(
    "sent",
    [
        {"chips": []},
        {"chips": [30]},
        {"chips": [30, 30, 30]},
        {"chips": [0, 30]},
        {"chips": [30, -1]},
        {"chips": [30, 10_001]},
        {"chips": [10**40, 1]},
        {"regroup_limits": []},
        {"regroup_limits": [1, 1]},
        {"regroup_limits": [1, 1, 2, 2]},
        {"regroup_limits": [1, -1, 2]},
        {"regroup_limits": [1, 1, 10]},
    ],
)
def test_lists_of_numbers_have_their_length_and_limits(sent: dict[str, Any]) -> None:
    not_allowed(sent, next(iter(sent)))


@pytest.mark.parametrize(
    ("items", "named"),
    [
        ([], "two lists"),
        ([["peek"]], "two lists"),
        ([[], [], ["bonus"]], "two lists"),
        ([["peek", "peek"], []], "once"),
        ([["bonus"], ["bonus"]], "one seat"),
    ],
)
def test_items_are_a_list_a_seat_each_once_and_one_bonus(items: Any, named: str) -> None:
    not_allowed({"items": items}, named)


@pytest.mark.parametrize("seats", [0, 1, 3, 32])
def test_there_are_two_seats(seats: int) -> None:
    not_allowed({}, "2 seats", seats)
    assert GAME.seats == range(2, 3)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "chips": st.lists(st.integers()),
            "regroup_limits": st.none() | st.lists(st.integers()),
            "items": st.lists(st.lists(st.sampled_from(("bonus", "peek", "order")))),
            **{name: st.integers() for name in LIMITS},
        },
    )
)
def test_check_raises_nothing_but_refused(sent: dict[str, Any]) -> None:
    chosen = msgspec.convert(sent, Options)
    try:
        check(chosen, 2)
    except Refused:
        return
    assert GAME.initial(chosen, 2).phase == "name_starter"
