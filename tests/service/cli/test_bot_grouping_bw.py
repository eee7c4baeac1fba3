"""The bot of Grouping Black & White plays by its menu and its own view alone."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from domain.games.grouping_bw.actions import Peek, Raise
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from tests.support.cli.grouping_bw_bots import chosen, played
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import (
    ASCENDING,
    DESCENDING,
    dealt,
    grouping,
    new,
)

VARIANTS = ("death-match", "final-match-2")


@pytest.mark.parametrize("variant", VARIANTS)
def test_bots_play_a_match_to_its_end(variant: str) -> None:
    for seed in range(4):
        table, _ = played(new(variant), seed)
        assert table.result is not None


@pytest.mark.parametrize(
    "options",
    [
        {"leader_check": True, "own_tile_visible": True},
        {"variant": "final-match-2", "regroup_limits": (0, 0, 0), "chips": (20, 30)},
        {"items": (("peek", "order"), ("order", "peek")), "raise_cap": 2},
        {"chips": (1, 1), "short_ante": "lose", "on_call": "return"},
    ],
)
def test_bots_play_by_any_options(options: dict[str, Any]) -> None:
    for seed in range(3):
        assert played(Table(GAME, 2, Options(**options)), seed)[0].result is not None


def test_bots_use_their_items_and_every_kind_of_bet() -> None:
    did = Counter[str]()
    for seed in range(6):
        did += played(new("final-match-2"), seed)[1]
    assert set(did) >= {"name_starter", "group", "order", "raise", "call", "fold", "peek"}


def bets(own: Any, other: Any, seat: int = 0, by: int | None = None) -> Counter[str]:
    """The bot's actions in the first round of many such matches."""
    did = Counter[str]()
    for seed in range(60):
        table = dealt(own, other, starter=0, own_tile_visible=True)
        if by is not None:
            table.act(0, Raise(by))
        did[chosen(table, seat, Random(seed))["type"]] += 1
    return did


def test_a_bot_that_sees_an_8_raises_and_one_that_sees_a_0_mostly_folds() -> None:
    assert bets(DESCENDING, ASCENDING)["raise"] == 60
    assert bets(ASCENDING, ASCENDING)["fold"] > 40
    assert bets(DESCENDING, ASCENDING, seat=1, by=10)["fold"] == 60


def test_a_bot_that_has_peeked_knows_the_other_tile() -> None:
    row = (4, 0, 1, 2, 3, 5, 6, 7, 8)
    low, high = (2, 0, 1, 3, 4, 5, 6, 7, 8), (8, 0, 1, 2, 3, 4, 5, 6, 7)
    for other, does in ((low, {"raise"}), (high, {"fold", "raise"})):
        did = set()
        for seed in range(30):
            table = dealt(row, other, items=(("peek",), ()), own_tile_visible=True)
            table.act(0, Peek())
            did.add(chosen(table, 0, Random(seed))["type"])
        assert did == does


def test_a_bot_whose_turn_it_is_not_can_still_peek() -> None:
    table = dealt(ASCENDING, DESCENDING, items=((), ("peek",)))
    assert chosen(table, 1, Random(1)) == {"type": "peek"}


def test_a_bot_names_the_other_seat_and_asks_for_its_order() -> None:
    assert chosen(new(), 1, Random(1)) == {"type": "name_starter", "seat": 0}
    table = grouping("final-match-2")
    assert chosen(table, 1, Random(1))["use_order"] is True
    assert chosen(table, 0, Random(1))["use_order"] is False
