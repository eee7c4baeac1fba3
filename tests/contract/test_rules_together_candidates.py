"""Together We Survive, section The end, 4: the elimination candidates."""

import pytest

from tests.support.http.rule_answers import accepted_body, invalid, refused, seen
from tests.support.http.together_client import GAINS, close, ended, give, phase, until_over, vote
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch


def candidates(match: LiveMatch) -> Json:
    """The candidates at the end, if nobody submits anything more."""
    named: Json = until_over(match)["view"]["candidates"]
    return named


def voters(match: LiveMatch) -> list[int]:
    """The seats that the match waits for, which every audience must see alike."""
    seats = {tuple(p.view().json()["awaiting"]["seats"]) for p in match.audiences().values()}
    assert len(seats) == 1
    return list(seats.pop())


def verdict(answer: Answer) -> str | None:
    """The code by which an action was refused, or a submission found invalid."""
    body = answer.json()
    code: str | None = body["receipt"]["code"]
    return code


def two_of_a(live: Live, options: Json | None = None) -> LiveMatch:
    """Seats 0 and 1 have lost in A, seat 3 alone in B; nobody has given a token away."""
    match = ended(live, [[0, 1]], GAINS, options)
    close(match)
    assert phase(match) == "vote"
    return match


def four_of_a(live: Live) -> LiveMatch:
    """Of ten players seats 0 to 3 have lost in A."""
    match = ended(live, [[0, 1, 2, 3]], players=10)
    close(match)
    return match


def test_end_4_a_single_loser_is_the_candidate(live: Live) -> None:
    assert candidates(ended(live, [[0], [1]], GAINS)) == {"A": 1, "B": 3}


def test_end_4_a_loser_with_a_token_of_life_is_not_a_candidate(live: Live) -> None:
    match = ended(live, [[0, 1]], GAINS)
    accepted_body(give(match, 2, 0))
    assert candidates(match) == {"A": 1, "B": 3}


def test_end_4_several_losers_are_voted_on(live: Live) -> None:
    match = two_of_a(live)
    assert voters(match) == [0, 1, 2]
    for seat, for_ in ((0, 1), (1, 0), (2, 1)):
        accepted_body(vote(match, seat, for_))
    assert candidates(match) == {"A": 1, "B": 3}


def test_end_4_both_groups_vote_at_the_same_time(live: Live) -> None:
    match = ended(live, [[0, 1]])
    close(match)
    assert voters(match) == [0, 1, 2, 3, 4, 5]
    accepted_body(vote(match, 0, 1))
    accepted_body(vote(match, 3, 5))
    assert candidates(match) == {"A": 1, "B": 5}


def test_end_4_each_group_votes_on_its_own_candidates(live: Live) -> None:
    match = ended(live, [[0, 1]])
    close(match)
    invalid(vote(match, 0, 3), "not_a_candidate")
    invalid(vote(match, 3, 0), "not_a_candidate")
    invalid(vote(match, 0, 2), "not_a_candidate")
    invalid(vote(match, 0, 9), "not_a_candidate")


def test_end_4_a_seat_without_a_vote_learns_so(live: Live) -> None:
    assert verdict(vote(two_of_a(live), 4, 1)) == "not_a_voter"


def test_end_4_the_vote_is_sealed(live: Live) -> None:
    match = two_of_a(live)
    others = (match.anyone, *match.seats[1:])
    before = [(o.view().content, o.events().content, o.menu().content) for o in others]
    accepted_body(vote(match, 0, 1))
    invalid(vote(match, 0, 5), "not_a_candidate")
    assert [(o.view().content, o.events().content, o.menu().content) for o in others] == before


def test_end_4_the_last_valid_vote_counts(live: Live) -> None:
    match = two_of_a(live)
    accepted_body(vote(match, 2, 1))
    accepted_body(vote(match, 2, 0))
    invalid(vote(match, 2, 5), "not_a_candidate")
    assert candidates(match)["A"] == 0


def test_end_4_a_tie_is_voted_on_once_more_among_the_tied(live: Live) -> None:
    match = four_of_a(live)
    for seat, for_ in ((0, 1), (1, 2), (2, 1), (3, 2), (4, 3)):
        accepted_body(vote(match, seat, for_))
    close(match)
    assert phase(match) == "vote"
    invalid(vote(match, 4, 3), "not_a_candidate")
    invalid(vote(match, 4, 0), "not_a_candidate")
    accepted_body(vote(match, 4, 2))
    assert candidates(match)["A"] == 2


def test_end_4_the_second_vote_starts_from_zero(live: Live) -> None:
    match = four_of_a(live)
    for seat, for_ in ((0, 1), (1, 2)):
        accepted_body(vote(match, seat, for_))
    close(match)
    accepted_body(vote(match, 3, 1))
    assert candidates(match)["A"] == 1


def test_end_4_in_the_second_vote_only_groups_with_a_tie_vote(live: Live) -> None:
    match = ended(live, [[0, 1]])
    close(match)
    accepted_body(vote(match, 0, 1))
    close(match)
    assert voters(match) == [3, 4, 5]
    assert verdict(vote(match, 0, 0)) == "not_a_voter"


def test_end_4_nobody_voted_is_a_tie_of_all(live: Live) -> None:
    match = two_of_a(live)
    close(match)
    assert (phase(match), voters(match)) == ("vote", [0, 1, 2])
    accepted_body(vote(match, 1, 0))
    assert candidates(match)["A"] == 0


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_end_4_a_second_tie_is_drawn(live: Live, order: list[int]) -> None:
    match = two_of_a(live)
    close(match)
    accepted_body(vote(match, 0, 1))
    accepted_body(vote(match, 1, 0))
    close(match)
    draw = {"id": "ec/A", "parts": [{"kind": "shuffle", "items": [0, 1]}]}
    assert match.moderator.view().json()["awaiting"]["draw"] == draw
    assert match.anyone.view().json()["awaiting"]["draw"] == draw
    accepted_body(match.moderator.draw("ec/A", [order]))
    assert seen(match.anyone)["candidates"] == {"A": order[0], "B": 3}


def test_end_4_only_those_still_tied_are_drawn(live: Live) -> None:
    match = four_of_a(live)
    for seat, for_ in ((0, 1), (1, 2), (2, 3)):
        accepted_body(vote(match, seat, for_))
    close(match)
    for seat, for_ in ((0, 1), (1, 2)):
        accepted_body(vote(match, seat, for_))
    close(match)
    parts = match.moderator.view().json()["awaiting"]["draw"]["parts"]
    assert parts == [{"kind": "shuffle", "items": [1, 2]}]


def test_end_4_each_group_has_its_own_draw(live: Live) -> None:
    match = ended(live, [[0, 1]])
    for _ in range(3):
        close(match)
    ids = []
    for order in ([1, 0], [5, 3, 4]):
        ids.append(match.moderator.view().json()["awaiting"]["draw"]["id"])
        accepted_body(match.moderator.draw(ids[-1], [order]))
    assert ids == ["ec/A", "ec/B"]
    assert seen(match.anyone)["candidates"] == {"A": 1, "B": 5}


def test_end_4_with_winners_only_the_winners_of_the_group_vote(live: Live) -> None:
    match = two_of_a(live, {"ec_voters": "winners"})
    assert voters(match) == [2]
    accepted_body(vote(match, 2, 0))
    assert candidates(match)["A"] == 0


def test_end_4_with_winners_and_without_any_all_are_drawn(live: Live) -> None:
    match = ended(live, [], options={"ec_voters": "winners"})
    assert candidates(match) == {"A": None, "B": 3}


def test_end_4_no_loser_is_a_choice_among_all_non_winners(live: Live) -> None:
    match = ended(live, [], GAINS, {"b_loser_rank": 9})
    close(match)
    invalid(vote(match, 3, 4), "not_a_candidate")
    accepted_body(vote(match, 3, 5))
    assert candidates(match) == {"A": None, "B": 5}


def test_end_4_a_non_winner_with_a_token_of_life_is_not_chosen(live: Live) -> None:
    match = ended(live, [], GAINS, {"b_loser_rank": 9})
    accepted_body(give(match, 4, 3))
    assert candidates(match)["B"] == 5


def test_end_4_if_all_losers_hold_one_it_is_among_the_other_non_winners(live: Live) -> None:
    match = ended(live, [[0], [1]], GAINS)
    accepted_body(give(match, 2, 1))
    accepted_body(give(match, 4, 3))
    assert candidates(match) == {"A": 0, "B": 5}


def test_end_4_if_all_non_winners_hold_one_it_is_among_them_all_the_same(live: Live) -> None:
    match = ended(live, [[1]], {1: [2, 2, 2]}, players=4)
    accepted_body(give(match, 0, 1))
    accepted_body(give(match, 3, 2))
    assert candidates(match) == {"A": 1, "B": 2}


def test_end_4_no_non_winner_is_no_candidate(live: Live) -> None:
    options = {"b_winner_rank": 1, "b_loser_rank": 2}
    assert candidates(ended(live, [], options=options)) == {"A": None, "B": None}


def test_end_4_votes_are_for_the_vote_only(live: Live) -> None:
    refused(vote(ended(live, [[0, 1]], GAINS), 0, 1), "wrong_phase")
