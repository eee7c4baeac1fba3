"""Grouping Black & White, section A round, 1 to 3: colours, antes, betting."""

import pytest

from tests.support.http.grouping_bw_client import (
    FINAL,
    HIGH,
    LOW,
    SHIFTED,
    called,
    dealt,
    entries,
    folded,
    group_both,
    last,
    raised,
    showdown,
)
from tests.support.http.rule_answers import accepted_body, refused, seen
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

POOR: Json = {"variant": FINAL, "items": [[], []]}
"""A final match in which a seat that cannot pay the ante loses."""

TEN_MORE = ({"ante_increase": 10}, {"ante_increase": 10})
"""The increase that makes the first ante 11."""


def most(player: Player) -> int | None:
    """The most that the menu lets a seat raise by; None if it cannot."""
    entry = entries(player).get("raise")
    by: Json = {} if entry is None else entry["schema"]["properties"]["by"]
    return by.get("maximum")


def short(
    live: Live, chips: list[int], tiles: tuple[list[int], list[int]], options: Json
) -> LiveMatch:
    """A first round with an ante of 11 before these stacks."""
    allowed = {"ante_increase_allowed": True, "chips": chips}
    return dealt(live, tiles[0], tiles[1], {**options, **allowed}, more=TEN_MORE)


def test_round_1_the_colours_of_both_tiles_are_public(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW)
    for player in (match.anyone, *match.seats):
        assert seen(player)["colours"] == ["white", "black"]
    showdown(match)
    assert seen(match.anyone)["colours"] == ["black", "white"]


def test_round_1_even_tiles_are_black_and_odd_ones_white(live: Live) -> None:
    match = dealt(live, LOW, HIGH)
    colours = []
    for _ in LOW:
        colours.append(seen(match.anyone)["colours"])
        showdown(match)
    assert colours == [[["black", "white"][n % 2]] * 2 for n in LOW]


def test_round_2_both_pay_the_ante(live: Live) -> None:
    view = seen(dealt(live).anyone)
    assert (view["stacks"], view["bets"], view["pot"]) == ([29, 29], [1, 1], 2)


def test_round_2_all_in_a_stack_below_the_ante_is_put_in_by_both(live: Live) -> None:
    match = short(live, [30, 5], (LOW, SHIFTED), {})
    assert seen(match.anyone)["history"][0] == {
        "set": 1,
        "pass": 1,
        "round": 1,
        "end": "allin",
        "folder": None,
        "numbers": [0, 1],
        "stacks": [25, 10],
        "folded_8": False,
    }
    assert seen(match.anyone)["round"] == 3
    assert [row["stacks"] for row in seen(match.anyone)["history"]] == [[25, 10], [15, 20]]


def test_round_2_all_in_short_and_equal_each_gets_its_own_back(live: Live) -> None:
    match = short(live, [30, 5], (LOW, [0, 2, 1, 3, 4, 5, 6, 7, 8]), {})
    first = seen(match.anyone)["history"][0]
    assert (first["numbers"], first["stacks"]) == ([0, 0], [30, 5])


def test_round_2_all_in_the_loser_of_the_smaller_stack_loses_the_match(live: Live) -> None:
    match = short(live, [30, 5], (SHIFTED, LOW), {})
    answer = match.anyone.view().json()
    assert answer["status"] == "ended"
    assert answer["result"] == {"winners": [0], "losers": [1], "shared": False, "scores": [35, 0]}
    assert last(match)["end"] == "allin"


def test_round_2_all_in_a_stack_of_just_the_ante_is_not_below_it(live: Live) -> None:
    match = short(live, [30, 11], (LOW, SHIFTED), {})
    first = seen(match.anyone)["history"][0]
    assert (first["end"], first["stacks"]) == ("allin", [19, 22])


@pytest.mark.parametrize(("chips", "loser"), [([10, 11], 0), ([100, 3], 1)])
def test_round_2_lose_exactly_one_seat_short_loses_the_match(
    live: Live, chips: list[int], loser: int
) -> None:
    match = short(live, chips, (LOW, LOW), POOR)
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"]) == ([1 - loser], [loser])
    assert not result["shared"]
    assert seen(match.anyone)["phase"] == "over"


@pytest.mark.parametrize(("chips", "winner"), [([10, 9], 0), ([1, 2], 1)])
def test_round_2_lose_both_short_the_one_with_more_chips_wins(
    live: Live, chips: list[int], winner: int
) -> None:
    match = short(live, chips, (LOW, LOW), POOR)
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"]) == ([winner], [1 - winner])


def test_round_2_lose_both_short_and_equal_is_sudden_death(live: Live) -> None:
    match = short(live, [5, 5], ([2, *LOW[:2], 3, *LOW[4:]], [2, 1, 0, 3, *LOW[4:]]), POOR)
    history = seen(match.anyone)["history"]
    assert [row["end"] for row in history] == ["sudden_death"] * 2
    assert [row["numbers"] for row in history] == [[2, 2], [0, 1]]
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"]) == ([1], [0])


def test_round_2_sudden_death_is_without_ante_or_betting(live: Live) -> None:
    match = short(live, [5, 5], (SHIFTED, LOW), POOR)
    view = seen(match.anyone)
    assert (view["stacks"], view["bets"], view["pot"]) == ([5, 5], [0, 0], 0)
    assert view["history"][-1]["stacks"] == [5, 5]
    assert match.anyone.view().json()["result"]["scores"] == [5, 5]


def test_round_2_sudden_death_begins_with_the_round_then_due(live: Live) -> None:
    first, second = [4, 0, *LOW[1:4], *LOW[5:]], [4, 2, 0, 1, 3, *LOW[5:]]
    options = {**POOR, "chips": [5, 5]}
    more = ({"ante_increase": 2}, {"ante_increase": 2})
    match = dealt(live, first, second, options, more=more)
    showdown(match)
    ends = [(row["round"], row["end"], row["stacks"]) for row in seen(match.anyone)["history"]]
    assert ends == [(1, "call", [1, 1]), (2, "sudden_death", [1, 1])]


def test_round_2_sudden_death_draws_a_further_pass_when_nine_are_used_up(live: Live) -> None:
    match = short(live, [5, 5], (LOW, LOW), POOR)
    assert len(seen(match.anyone)["history"]) == 9
    awaiting = match.moderator.view().json()["awaiting"]
    assert awaiting["draw"]["id"] == "set1/pass2"
    items = [[1, 0], [2, 3, 4], [5, 6, 7, 8], ["a", "b", "c"]]
    same = [[0, 1], [2, 3, 4], [5, 6, 7, 8], ["a", "b", "c"]]
    accepted_body(match.moderator.draw("set1/pass2", items + same))
    assert last(match)["numbers"] == [1, 0]
    assert [last(match)[name] for name in ("set", "pass", "round")] == [1, 2, 1]
    assert match.anyone.view().json()["result"]["winners"] == [0]


@pytest.mark.parametrize("starter", [0, 1])
def test_round_3_betting_begins_with_the_starter(live: Live, starter: int) -> None:
    match = dealt(live, starter=starter)
    view = seen(match.anyone)
    assert (view["phase"], view["starter"], view["to_act"]) == ("betting", starter, starter)
    assert match.anyone.view().json()["awaiting"]["seats"] == [starter]
    for action in ({"type": "raise", "by": 1}, {"type": "call"}, {"type": "fold"}):
        refused(match.seats[1 - starter].act(action), "not_your_turn")


def test_round_3_a_raise_puts_in_to_call_and_as_much_more(live: Live) -> None:
    match = dealt(live)
    raised(match, 0, 3)
    assert [seen(match.anyone)[name] for name in ("bets", "to_act")] == [[4, 1], 1]
    raised(match, 1, 5)
    view = seen(match.anyone)
    assert (view["bets"], view["stacks"], view["pot"]) == ([4, 9], [26, 21], 13)


@pytest.mark.parametrize(
    ("options", "highest"),
    [
        ({}, 10),
        ({"raise_cap": 3}, 3),
        ({"chips": [30, 5]}, 4),
        ({"chips": [6, 30]}, 5),
    ],
    ids=["raise_cap", "another cap", "the other's stack", "own stack"],
)
def test_round_3_a_raise_is_at_most_the_cap_the_others_stack_and_the_own(
    live: Live, options: Json, highest: int
) -> None:
    match = dealt(live, options=options)
    assert most(match.seats[0]) == highest
    for by in (0, highest + 1, -1):
        refused(match.seats[0].act({"type": "raise", "by": by}), "raise_out_of_range")
    raised(match, 0, highest)


def test_round_3_to_call_is_paid_from_the_own_stack_first(live: Live) -> None:
    match = dealt(live, options={"chips": [30, 9]})
    raised(match, 0, 5)
    assert most(match.seats[1]) == 9 - 1 - 5
    refused(match.seats[1].act({"type": "raise", "by": 4}), "raise_out_of_range")
    raised(match, 1, 3)
    assert seen(match.anyone)["stacks"] == [24, 0]


def test_round_3_nobody_raises_a_seat_with_an_empty_stack(live: Live) -> None:
    match = dealt(live, options={"chips": [30, 9]})
    raised(match, 0, 5)
    raised(match, 1, 3)
    assert set(entries(match.seats[0])) == {"call", "fold"}
    refused(match.seats[0].act({"type": "raise", "by": 1}), "raise_out_of_range")


def test_round_3_a_call_puts_in_to_call_and_is_the_showdown(live: Live) -> None:
    match = dealt(live)
    raised(match, 0, 3)
    raised(match, 1, 2)
    called(match, 0)
    row = last(match)
    assert (row["end"], row["numbers"], row["stacks"]) == ("call", [1, 0], [36, 24])


def test_round_3_a_call_is_not_possible_at_equal_bets(live: Live) -> None:
    refused(dealt(live).seats[0].act({"type": "call"}), "nothing_to_call")


def test_round_3_a_fold_is_possible_at_any_own_turn(live: Live) -> None:
    match = dealt(live)
    folded(match, 0)
    raised(match, 1, 1)
    folded(match, 0)
    raised(match, 1, 1)
    raised(match, 0, 1)
    folded(match, 1)
    rows = [(row["end"], row["folder"], row["stacks"]) for row in seen(match.anyone)["history"]]
    assert rows == [("fold", 0, [29, 31]), ("fold", 0, [28, 32]), ("fold", 1, [30, 30])]


def test_round_3_a_stack_of_0_at_equal_bets_is_a_showdown_at_once(live: Live) -> None:
    match = dealt(live, LOW, SHIFTED, {"chips": [30, 1]})
    row = seen(match.anyone)["history"][0]
    assert (row["end"], row["numbers"], row["stacks"]) == ("allin", [0, 1], [29, 2])
    assert seen(match.anyone)["to_act"] == 1


def test_round_3_betting_actions_are_for_the_betting_only(live: Live) -> None:
    match = dealt(live, options={**POOR, "regroup_limits": None})
    for _ in LOW:
        folded(match, seen(match.anyone)["to_act"])
    for action in ({"type": "raise", "by": 1}, {"type": "call"}, {"type": "fold"}):
        refused(match.seats[0].act(action), "wrong_phase")
    group_both(match, (LOW, LOW))
    refused(match.seats[0].act({"type": "fold"}), "wrong_phase")
