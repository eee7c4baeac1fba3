"""The options of Grouping Black & White: both variants, and their defaults.

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
from tests.support.games.grouping_bw import SUPPORT
from tests.support.tables.game_strategies import as_sent
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


@pytest.mark.parametrize("variant", [DEATH_MATCH, FINAL_MATCH_2])
def test_a_variant_sets_all_other_options(variant: dict[str, Any]) -> None:
    given = msgspec.convert({"variant": variant["variant"]}, Options)
    assert as_sent(complete(given, 2)) == variant


def test_without_a_variant_it_is_a_death_match() -> None:
    assert as_sent(GAME.complete(Options(), 2)) == DEATH_MATCH
    assert as_sent(Options()) == {"variant": "death-match"}


@pytest.mark.parametrize("variant", [DEATH_MATCH, FINAL_MATCH_2])
@pytest.mark.parametrize("other", [DEATH_MATCH, FINAL_MATCH_2])
def test_every_option_can_be_given_by_itself(
    variant: dict[str, Any], other: dict[str, Any]
) -> None:
    for name in DEATH_MATCH.keys() - {"variant", "items"}:
        given = msgspec.convert({"variant": variant["variant"], name: other[name]}, Options)
        assert as_sent(complete(given, 2)) == {**variant, name: other[name]}


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
    again = msgspec.convert(as_sent(house), Options)
    check(again, 2)
    assert complete(again, 2) == house
    assert GAME.initial(again, 2) == GAME.initial(chosen, 2)
    for viewer in ("public", 0, 1, "moderator"):
        assert BOARDS.initial(again, 2, viewer) == BOARDS.initial(chosen, 2, viewer)


def test_the_schema_has_every_option_and_the_limits_of_lists() -> None:
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    assert list(schema) == list(DEATH_MATCH)
    assert schema["chips"]["items"]["maximum"] == 10_000
    assert (schema["items"]["minItems"], schema["items"]["maxItems"]) == (2, 2)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "chips": st.lists(st.integers()),
            "regroup_limits": st.none() | st.lists(st.integers()),
            "items": st.lists(st.lists(st.sampled_from(("bonus", "peek", "order")))),
            **{name: st.integers() for name in SUPPORT.limits or ()},
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
