"""Together We Survive, section A round: what happens at its deadline, and who is left."""

import pytest

from tests.support.http.match_play import all_events, facts
from tests.support.http.rule_answers import accepted_body, invalid, seen
from tests.support.http.together_client import camp, close, ended, phase, play_round, submit
from tests.support.servers.live_server import Live, LiveMatch


def left(match: LiveMatch) -> list[tuple[int, list[int]]]:
    """The players who left, by round, without rounds in which nobody did."""
    rows = seen(match.anyone)["kicked_out"]
    return [(row["round"], sorted(row["seats"])) for row in rows if row["seats"]]


def test_stage_those_with_the_most_votes_are_kicked_out(live: Live) -> None:
    match = camp(live, 8)
    play_round(match, {0: [1, 1, 2]})
    assert seen(match.anyone)["stage"][:4] == ["on_stage", "kicked_out", "on_stage", "on_stage"]
    assert left(match) == [(1, [1])]


def test_stage_with_fewest_those_with_the_fewest_votes_are_kicked_out(live: Live) -> None:
    match = camp(live, 8, {"kick_rule": "fewest"})
    play_round(match, {0: [0, 0, 1, 2], 1: [3, 3]})
    assert left(match) == [(1, [1, 2])]


def test_stage_with_fewest_no_vote_is_the_fewest(live: Live) -> None:
    match = camp(live, 8, {"kick_rule": "fewest"})
    play_round(match, {0: [0, 1, 2]})
    assert left(match) == [(1, [3])]


def test_stage_tied_ones_leave_together(live: Live) -> None:
    match = camp(live, 8)
    play_round(match, {0: [1, 2], 3: [1, 2, 0]})
    assert left(match) == [(1, [1, 2])]


@pytest.mark.parametrize("votes", [{}, {0: [0, 1, 2]}], ids=["no votes", "one each"])
@pytest.mark.parametrize("rule", ["most", "fewest"])
def test_stage_all_tied_all_leave(live: Live, votes: dict[int, list[int]], rule: str) -> None:
    match = camp(live, 6, {"kick_rule": rule})
    play_round(match, votes)
    assert left(match) == [(1, [0, 1, 2])]
    assert phase(match) != "submission"


def test_stage_none_out_nobody_leaves_the_first_time(live: Live) -> None:
    match = camp(live, 6, {"all_tied": "none_out"})
    play_round(match)
    assert left(match) == []
    assert (seen(match.anyone)["round"], phase(match)) == (2, "submission")


def test_stage_none_out_all_leave_in_a_second_such_round_running(live: Live) -> None:
    match = camp(live, 6, {"all_tied": "none_out"})
    play_round(match, {0: [0, 1, 2]})
    play_round(match)
    assert left(match) == [(2, [0, 1, 2])]


def test_stage_none_out_a_round_between_restarts_the_count(live: Live) -> None:
    match = camp(live, 8, {"all_tied": "none_out"})
    play_round(match)
    play_round(match, {0: [1]})
    play_round(match)
    assert left(match) == [(2, [1])]
    assert seen(match.anyone)["round"] == 4
    play_round(match)
    assert left(match) == [(2, [1]), (4, [0, 2, 3])]


def test_stage_none_out_a_tie_of_the_last_two_is_one_of_all(live: Live) -> None:
    match = camp(live, 6, {"all_tied": "none_out"})
    play_round(match, {0: [1]})
    play_round(match, {0: [0, 2]})
    assert (left(match), seen(match.anyone)["round"]) == ([(1, [1])], 3)


def test_stage_tokens_of_type_b_come_after_the_votes_were_charged(live: Live) -> None:
    match = camp(live, 6)
    accepted_body(submit(match, 0, b=[3, 3, 3]))
    invalid(submit(match, 3, a=[0, 0]), "not_enough_tokens")
    accepted_body(submit(match, 3, a=[0]))
    close(match)
    assert seen(match.seats[3])["tokens"] == 3
    accepted_body(submit(match, 3, a=[1, 1, 1]))


def test_stage_the_players_who_left_and_the_counts_are_published_at_once(live: Live) -> None:
    match = camp(live, 6)
    before = match.anyone.view().json()["seq"]
    play_round(match, {0: [1], 4: [1]}, {2: [3, 3, 4]})
    for player in (match.anyone, *match.seats):
        view = seen(player)
        assert view["kicked_out"] == [{"round": 1, "seats": [1]}]
        assert view["votes"] == [{"round": 1, "a": [0, 2, 0, None, None, None], "b": None}]
    at = {row["at"] for row in all_events(match.anyone)[before:]}
    assert len(at) == 1


def test_stage_with_both_the_counts_of_group_b_are_published_too(live: Live) -> None:
    match = camp(live, 6, {"reveal_vote_counts": "both"})
    play_round(match, {0: [1], 4: [1]}, {2: [3, 3, 4]})
    counts = {"a": [0, 2, 0, None, None, None], "b": [None, None, None, 2, 1, 0]}
    assert seen(match.anyone)["votes"] == [{"round": 1, **counts}]


def test_stage_usually_nothing_public_depends_on_the_tokens_of_group_b(live: Live) -> None:
    """They are not revealed before the end, and a vote received is a token."""
    worlds = [camp(live, 6) for _ in range(2)]
    play_round(worlds[0], {0: [1]}, {2: [3, 3, 3]})
    play_round(worlds[1], {0: [1]}, {2: [4, 4, 5]})
    for audience in ("public", "seat:1"):
        views = [seen(match.audiences()[audience]) for match in worlds]
        assert views[0] == views[1]
    received = [facts(match.anyone)[1:] for match in worlds]
    assert received[0] == received[1]


def test_stage_without_reveal_vote_counts_only_the_players_who_left_are_published(
    live: Live,
) -> None:
    """No matter who voted, and how often: only the players who left are public."""
    worlds = [camp(live, 6, {"reveal_vote_counts": "none"}) for _ in range(2)]
    play_round(worlds[0], {0: [1]})
    play_round(worlds[1], {0: [1, 1, 2], 3: [1]})
    for audience in ("public", "seat:2"):
        views = [seen(match.audiences()[audience]) for match in worlds]
        assert views[0] == views[1]
        assert views[0]["kicked_out"] == [{"round": 1, "seats": [1]}]
    received = [facts(match.anyone)[1:] for match in worlds]
    assert received[0] == received[1]


def test_stage_who_voted_for_whom_is_never_published(live: Live) -> None:
    """Two matches with the same counts from different votes: seats that sent the same cannot
    distinguish them."""
    worlds = [camp(live, 6) for _ in range(2)]
    play_round(worlds[0], {0: [1, 1], 2: [0]}, {3: [4, 4, 5]})
    play_round(worlds[1], {0: [1], 2: [0, 1]}, {3: [4, 5, 4]})
    for audience in ("public", "seat:1", "seat:4", "seat:5"):
        views = [seen(match.audiences()[audience]) for match in worlds]
        assert views[0] == views[1]
        received = [facts(m.audiences()[audience]) for m in worlds]
        assert received[0] == received[1]


def test_stage_token_counts_are_not_published_before_the_end(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1]}, {2: [3, 3, 4]})
    for player in (match.anyone, *match.seats):
        assert seen(player)["b_tokens"] is None


def test_stage_two_or_more_go_on_with_the_next_round(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1]})
    assert (seen(match.anyone)["round"], phase(match)) == (2, "submission")
    assert match.anyone.view().json()["awaiting"]["seats"] == list(range(6))


def test_stage_a_single_one_is_kicked_out_in_a_next_round_at_once(live: Live) -> None:
    match = ended(live, [[0, 1]])
    assert left(match) == [(1, [0, 1]), (2, [2])]
    assert phase(match) != "submission"


def test_stage_none_left_ends_the_match_for_group_b_too(live: Live) -> None:
    match = ended(live, [[0]])
    assert left(match) == [(1, [0]), (2, [1, 2])]
    assert seen(match.anyone)["b_tokens"] is not None
    assert submit(match, 3, b=[4, 4, 4], round=3).status_code in {409, 422}


def test_stage_a_round_does_not_end_before_its_deadline(live: Live) -> None:
    match = camp(live)
    for seat in range(4):
        accepted_body(submit(match, seat, a=[0]))
    assert (seen(match.anyone)["round"], phase(match)) == (1, "submission")
