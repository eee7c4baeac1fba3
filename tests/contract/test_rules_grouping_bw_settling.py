"""Grouping Black & White, section A round, 4 to 7: folds, showdowns, the next starter, the end."""

import pytest

from tests.support.http.grouping_bw_client import (
    FINAL,
    HIGH,
    LOW,
    SHIFTED,
    called,
    deal,
    dealt,
    fold_all,
    folded,
    group_both,
    last,
    raised,
    showdown,
)
from tests.support.http.match_play import all_events
from tests.support.http.rule_answers import seen
from tests.support.servers.live_server import Json, Live, LiveMatch

FREE = {"variant": FINAL, "items": [[], []]}
"""A final match 2 without items."""

EIGHT_FIRST = [8, 0, 1, 2, 3, 4, 5, 6, 7]


def results(match: LiveMatch) -> list[Json]:
    """The public's finished rounds."""
    rows: list[Json] = seen(match.anyone)["history"]
    return rows


def test_round_4_the_folder_and_nobody_else_sees_the_others_number(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW)
    raised(match, 0, 2)
    folded(match, 1)
    row = {"set": 1, "pass": 1, "round": 1, "number": 1, "by": "fold"}
    assert [seen(seat)["told"] for seat in match.seats] == [[], [row]]
    assert last(match)["numbers"] is None
    assert "told" not in seen(match.anyone)


@pytest.mark.parametrize("options", [{}, FREE], ids=["death-match", FINAL])
def test_round_4_nobody_sees_the_folders_number(live: Live, options: Json) -> None:
    """Whichever white tile is folded, all but the moderators receive the same."""
    tiles = ([1, 0, 2, 3, 4, 5, 6, 7, 8], [3, 0, 2, 1, 4, 5, 6, 7, 8])
    worlds = [dealt(live, own, LOW, options) for own in tiles]
    for match in worlds:
        folded(match, 0)
    for audience in ("public", "seat:1"):
        views = [seen(match.audiences()[audience]) for match in worlds]
        assert views[0] == views[1]
    assert seen(worlds[0].seats[0])["told"] == seen(worlds[1].seats[0])["told"]


def test_round_4_pot_the_other_wins_the_pot(live: Live) -> None:
    match = dealt(live)
    raised(match, 0, 4)
    raised(match, 1, 2)
    folded(match, 0)
    assert last(match)["stacks"] == [25, 35]


def test_round_4_return_the_other_gets_its_own_bet_back_and_the_folders_leaves(live: Live) -> None:
    match = dealt(live, options=FREE)
    raised(match, 0, 4)
    raised(match, 1, 2)
    folded(match, 0)
    assert last(match)["stacks"] == [95, 100]


def test_round_4_folding_an_8_costs_the_penalty_which_leaves_the_game(live: Live) -> None:
    match = dealt(live, EIGHT_FIRST, SHIFTED, FREE)
    folded(match, 0)
    assert last(match)["stacks"] == [100 - 1 - 8, 100]
    assert last(match)["folded_8"] is True
    assert last(match)["numbers"] is None


def test_round_4_the_penalty_leaves_the_game_also_where_the_pot_is_won(live: Live) -> None:
    match = dealt(live, EIGHT_FIRST, SHIFTED, {"fold_8_penalty": 5})
    raised(match, 0, 2)
    folded(match, 1)
    assert (last(match)["stacks"], last(match)["folded_8"]) == ([31, 29], False)
    match = dealt(live, EIGHT_FIRST, SHIFTED, {"fold_8_penalty": 5})
    raised(match, 0, 2)
    raised(match, 1, 1)
    folded(match, 0)
    assert (last(match)["stacks"], last(match)["folded_8"]) == ([22, 33], True)


def test_round_4_the_penalty_is_at_most_the_remaining_stack(live: Live) -> None:
    match = dealt(live, EIGHT_FIRST, SHIFTED, {**FREE, "chips": [6, 30]})
    folded(match, 0)
    assert results(match)[0]["stacks"] == [0, 30]
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"], result["scores"]) == ([1], [0], [0, 30])


def test_round_4_that_an_8_was_folded_is_announced_to_all(live: Live) -> None:
    match = dealt(live, EIGHT_FIRST, SHIFTED, FREE)
    folded(match, 0)
    for player in (match.anyone, *match.seats):
        assert seen(player)["history"][-1]["folded_8"] is True
    assert [row for row in all_events(match.anyone) if row["data"].get("folded_8") is True]


def test_round_4_without_a_penalty_nothing_reveals_a_folded_8(live: Live) -> None:
    match = dealt(live, EIGHT_FIRST, SHIFTED)
    folded(match, 0)
    assert last(match)["folded_8"] is False
    assert last(match)["stacks"] == [29, 31]


def test_round_5_both_numbers_are_public_and_the_higher_wins(live: Live) -> None:
    match = dealt(live, LOW, HIGH)
    for first, second in zip(LOW[:4], HIGH[:4], strict=True):
        before = seen(match.anyone)["stacks"]
        showdown(match)
        assert last(match)["numbers"] == [first, second]
        assert last(match)["stacks"] == [before[0] - 1, before[1] + 1 + 2]


def test_round_5_pot_the_winner_gets_all(live: Live) -> None:
    match = dealt(live, LOW, SHIFTED)
    showdown(match, 6)
    assert last(match)["stacks"] == [23, 37]


def test_round_5_pot_equal_each_gets_its_own_back(live: Live) -> None:
    match = dealt(live, LOW, LOW)
    showdown(match, 6)
    assert (last(match)["end"], last(match)["stacks"]) == ("call", [30, 30])


def test_round_5_return_the_winner_gets_its_own_back_and_the_losers_leaves(live: Live) -> None:
    match = dealt(live, LOW, SHIFTED, FREE)
    showdown(match, 6)
    assert last(match)["stacks"] == [93, 100]


def test_round_5_return_equal_both_bets_leave(live: Live) -> None:
    match = dealt(live, LOW, LOW, FREE)
    showdown(match, 6)
    assert last(match)["stacks"] == [93, 93]


def test_round_5_return_equal_both_get_theirs_back_if_that_left_both_with_0(live: Live) -> None:
    match = dealt(live, LOW, LOW, {**FREE, "chips": [7, 7]})
    showdown(match, 6)
    assert last(match)["stacks"] == [7, 7]
    assert match.anyone.view().json()["status"] == "running"


def test_round_5_return_equal_leaves_one_with_0_if_the_other_keeps_some(live: Live) -> None:
    match = dealt(live, LOW, LOW, {**FREE, "chips": [7, 8]})
    showdown(match, 6)
    assert results(match)[0]["stacks"] == [0, 1]
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"]) == ([1], [0])


@pytest.mark.parametrize(
    ("on_fold", "on_call", "stacks"),
    [("pot", "return", [[29, 31], [26, 31]]), ("return", "pot", [[29, 30], [26, 33]])],
)
def test_round_4_and_5_are_options_of_their_own(
    live: Live, on_fold: str, on_call: str, stacks: list[list[int]]
) -> None:
    match = dealt(live, LOW, SHIFTED, {"on_fold": on_fold, "on_call": on_call})
    folded(match, 0)
    showdown(match, 2)
    assert [row["stacks"] for row in results(match)] == stacks


def test_round_6_the_winner_starts_the_next_round(live: Live) -> None:
    match = dealt(live, [0, 2, 1, 3, 4, 5, 6, 7, 8], [1, 0, 2, 3, 4, 5, 6, 7, 8])
    showdown(match)
    assert seen(match.anyone)["starter"] == 1
    showdown(match)
    assert seen(match.anyone)["starter"] == 0
    folded(match, 0)
    assert seen(match.anyone)["starter"] == 1


def test_round_6_after_a_draw_the_last_winner_starts(live: Live) -> None:
    match = dealt(live, [1, 0, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7, 8])
    showdown(match)
    folded(match, 0)
    assert seen(match.anyone)["starter"] == 1
    showdown(match)
    showdown(match)
    assert seen(match.anyone)["starter"] == 1


@pytest.mark.parametrize("starter", [0, 1])
def test_round_6_before_any_winner_the_first_starter_starts(live: Live, starter: int) -> None:
    match = dealt(live, LOW, LOW, starter=starter)
    showdown(match)
    showdown(match)
    assert seen(match.anyone)["starter"] == starter


def test_round_6_the_starter_carries_over_passes_and_sets(live: Live) -> None:
    match = dealt(live, LOW, LOW)
    fold_all(match, 8)
    assert seen(match.anyone)["starter"] == 0
    showdown(match)
    deal(match, (LOW, LOW), "set1/pass2")
    assert seen(match.anyone)["starter"] == 0
    fold_all(match)
    group_both(match, (LOW, LOW))
    deal(match, (LOW, LOW), "set2/pass1")
    assert seen(match.anyone)["to_act"] == 1


def test_round_7_all_in_a_seat_with_0_chips_after_a_round_loses(live: Live) -> None:
    match = dealt(live, LOW, SHIFTED, {"chips": [6, 30]})
    showdown(match, 5)
    answer = match.anyone.view().json()
    assert answer["status"] == "ended"
    assert answer["result"] == {"winners": [1], "losers": [0], "shared": False, "scores": [0, 36]}
    assert (answer["view"]["phase"], answer["view"]["result"]) == ("over", answer["result"])


def test_round_7_all_in_a_seat_that_called_with_everything_may_win(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW, {"chips": [6, 30]})
    showdown(match, 5)
    assert last(match)["stacks"] == [12, 24]
    assert match.anyone.view().json()["status"] == "running"


def test_round_7_all_in_a_fold_with_nothing_behind_loses(live: Live) -> None:
    match = dealt(live, options={"chips": [30, 6]})
    raised(match, 0, 2)
    raised(match, 1, 3)
    assert seen(match.anyone)["stacks"] == [27, 0]
    called(match, 0)
    assert match.anyone.view().json()["result"]["losers"] == [1]


def test_round_7_nothing_can_be_done_when_the_match_is_over(live: Live) -> None:
    match = dealt(live, LOW, SHIFTED, {"chips": [6, 30]})
    showdown(match, 5)
    answer = match.seats[0].act({"type": "fold"})
    assert (answer.status_code, answer.json()["code"]) == (409, "match_not_running")
    assert [seat.menu().json()["actions"] for seat in match.seats] == [[], []]


def test_round_7_lose_with_0_chips_the_next_ante_decides(live: Live) -> None:
    match = dealt(live, LOW, SHIFTED, {**FREE, "chips": [6, 30]})
    showdown(match, 5)
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"], result["scores"]) == ([1], [0], [0, 30])


def test_round_7_lose_after_the_last_round_of_a_set_the_ante_of_the_next_decides(
    live: Live,
) -> None:
    match = dealt(live, HIGH, LOW, {**FREE, "chips": [9, 30], "fold_8_penalty": 0})
    fold_all(match, 8)
    showdown(match, 4)
    assert last(match)["stacks"] == [0, 26]
    if seen(match.anyone)["phase"] != "over":
        group_both(match, (HIGH, LOW))
        deal(match, (HIGH, LOW), "set2/pass1")
    result = match.anyone.view().json()["result"]
    assert (result["winners"], result["losers"]) == ([1], [0])
