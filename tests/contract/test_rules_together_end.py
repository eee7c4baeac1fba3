"""Together We Survive, section The end: winners and losers, tokens of life, garnets."""

import pytest

from tests.support.http.rule_answers import accepted_body, refused, seen
from tests.support.http.together_client import (
    GAINS,
    Seats,
    camp,
    close,
    ended,
    give,
    phase,
    play_round,
    until_over,
    vote,
)
from tests.support.servers.live_server import Json, Live, LiveMatch


def outcome(match: LiveMatch, group: str) -> tuple[list[int], list[int]]:
    """The winners and the losers of a group."""
    view = seen(match.anyone)
    return view["winners"][group], view["losers"][group]


def tokens_of_life(match: LiveMatch) -> list[int]:
    counts: list[int] = seen(match.anyone)["tokens_of_life"]
    return counts


def both_give(live: Live) -> LiveMatch:
    """A match in which seat 2 has won alone in A and seat 4 in B."""
    return ended(live, [[0], [1]], GAINS)


def test_end_1_group_bs_token_counts_are_published_and_as_are_not(live: Live) -> None:
    match = ended(live, [[0]], GAINS)
    for player in (match.anyone, *match.seats):
        assert seen(player)["b_tokens"] == [None, None, None, 3, 2, 1]


@pytest.mark.parametrize(
    ("out", "winners", "losers"),
    [
        ([[0], [1]], [2], [1]),
        ([[0, 1]], [2], [0, 1]),
        ([[0]], [1, 2], [0]),
        ([], [0, 1, 2], []),
    ],
    ids=["one by one", "two at once", "two left", "all at once"],
)
def test_end_2_group_a_is_won_by_those_who_left_last_and_lost_by_those_before(
    live: Live, out: list[Seats], winners: list[int], losers: list[int]
) -> None:
    assert outcome(ended(live, out), "A") == (winners, losers)


def test_end_2_group_a_is_lost_in_the_round_before_in_which_anyone_left(live: Live) -> None:
    match = camp(live, 6, {"all_tied": "none_out"})
    play_round(match, {0: [1]})
    play_round(match)
    play_round(match)
    assert outcome(match, "A") == ([0, 2], [1])


@pytest.mark.parametrize(
    ("gains", "options", "winners", "losers"),
    [
        ({1: [3, 3, 4]}, {}, [4], [3]),
        ({1: [3, 3, 3]}, {}, [4, 5], [3]),
        ({1: [3, 3, 3], 2: [4, 4, 4]}, {}, [5], [3, 4]),
        ({}, {}, [], [3, 4, 5]),
        ({1: [3, 3, 4]}, {"b_winner_rank": 1, "b_loser_rank": 3}, [3], [5]),
        ({1: [3, 3, 4]}, {"b_winner_rank": 3, "b_loser_rank": 2}, [5], [4]),
        ({1: [3, 3, 4]}, {"b_loser_rank": 4}, [4], []),
        ({1: [3, 3, 4]}, {"b_winner_rank": 9}, [], [3]),
    ],
    ids=str,
)
def test_end_2_group_b_by_ranks_of_distinct_counts(
    live: Live, gains: dict[int, Seats], options: Json, winners: list[int], losers: list[int]
) -> None:
    assert outcome(ended(live, [], gains, options), "B") == (winners, losers)


def test_end_3_joint_winners_get_a_token_of_life_each(live: Live) -> None:
    match = ended(live, [[0]], {1: [3, 3, 3]})
    assert tokens_of_life(match) == [0, 1, 1, 0, 1, 1]


def test_end_3_a_sole_winner_gets_two(live: Live) -> None:
    match = both_give(live)
    assert tokens_of_life(match) == [0, 0, 2, 0, 2, 0]
    assert phase(match) == "token_of_life"
    assert match.anyone.view().json()["awaiting"]["seats"] == [2, 4]


@pytest.mark.parametrize("to", [0, 1, 3, 5])
def test_end_3_one_is_given_to_anyone_without_one(live: Live, to: int) -> None:
    match = both_give(live)
    accepted_body(give(match, 2, to))
    expected = [0, 0, 1, 0, 2, 0]
    expected[to] = 1
    assert tokens_of_life(match) == expected


def test_end_3_none_is_given_to_a_player_who_holds_one(live: Live) -> None:
    match = both_give(live)
    refused(give(match, 2, 2), "holds_one")
    refused(give(match, 2, 4), "holds_one")
    accepted_body(give(match, 2, 0))
    refused(give(match, 4, 0), "holds_one")


def test_end_3_only_the_second_one_is_given(live: Live) -> None:
    match = both_give(live)
    refused(give(match, 0, 1), "not_a_giver")
    accepted_body(give(match, 2, 0))
    refused(give(match, 2, 1), "not_a_giver")
    refused(give(match, 0, 1), "not_a_giver")
    refused(give(match, 4, 9), "no_such_seat")


def test_end_3_a_token_that_is_not_given_lapses(live: Live) -> None:
    match = both_give(live)
    accepted_body(give(match, 4, 5))
    close(match)
    assert tokens_of_life(match) == [0, 0, 1, 0, 1, 1]
    assert phase(match) != "token_of_life"


def test_end_3_when_all_are_given_the_match_goes_on(live: Live) -> None:
    match = both_give(live)
    accepted_body(give(match, 4, 5))
    accepted_body(give(match, 2, 0))
    assert phase(match) != "token_of_life"


def test_end_3_only_tokens_are_given_then(live: Live) -> None:
    match = both_give(live)
    refused(vote(match, 2, 0), "wrong_phase")
    refused(give(ended(live, [[0]]), 1, 0), "wrong_phase")


def test_end_5_garnets_of_a_are_the_round_kicked_out_minus_1(live: Live) -> None:
    over = until_over(ended(live, [[0], [1]]))
    assert over["view"]["garnets_awarded"] == [0, 1, 2, 0, 0, 0]


@pytest.mark.parametrize(
    ("per", "garnets"), [(1, [3, 2, 1]), (2, [1, 1, 0]), (3, [1, 0, 0]), (7, [0, 0, 0])]
)
def test_end_5_garnets_of_b_are_tokens_by_as_many_as_one_costs(
    live: Live, per: int, garnets: list[int]
) -> None:
    over = until_over(ended(live, [], GAINS, {"garnet_per_tokens": per}))
    assert over["view"]["garnets_awarded"] == [0, 0, 0, *garnets]


def test_end_5_garnets_are_not_awarded_before_the_end(live: Live) -> None:
    assert seen(both_give(live).anyone)["garnets_awarded"] is None


def test_end_5_garnets_awarded_cannot_be_used_in_this_match(live: Live) -> None:
    match = ended(live, [[0], [1]], options={"garnets": [0, 0, 4, 0, 0, 0]})
    until_over(match)
    assert [seen(seat)["garnets"] for seat in match.seats] == [0, 0, 4, 0, 0, 0]
