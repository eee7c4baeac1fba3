"""Together We Survive, section Options."""

import pytest

from tests.support.http.rule_answers import accepted_body, invalid, options_of, seen
from tests.support.http.together_client import GAME, camp, ended, submit
from tests.support.servers.live_server import Json, Live

DEFAULTS = {
    "groups": ["A", "A", "B", "B"],
    "start_tokens": {"A": 5, "B": 1},
    "garnets": [0, 0, 0, 0],
    "kick_rule": "most",
    "all_tied": "all_out",
    "b_self": False,
    "b_repeats": True,
    "reveal_vote_counts": "A",
    "b_winner_rank": 2,
    "b_loser_rank": 1,
    "ec_voters": "group",
    "garnet_per_tokens": 7,
    "deadline_utc": "14:00",
    "first_round_hours": 48,
    "round_hours": 24,
    "vote_hours": 24,
}

BY_THEMSELVES = {
    "groups": ["B", "A", "A", "B"],
    "start_tokens": {"A": 3, "B": 0},
    "garnets": [0, 1, 2, 3],
    "kick_rule": "fewest",
    "all_tied": "none_out",
    "b_self": True,
    "b_repeats": False,
    "reveal_vote_counts": "none",
    "b_winner_rank": 3,
    "b_loser_rank": 4,
    "ec_voters": "winners",
    "garnet_per_tokens": 2,
    "deadline_utc": "09:30",
    "first_round_hours": 12,
    "round_hours": 6,
    "vote_hours": 3,
}


def test_options_defaults_are_recorded_in_the_first_event(live: Live) -> None:
    assert options_of(camp(live)) == DEFAULTS


@pytest.mark.parametrize("name", BY_THEMSELVES)
def test_options_each_can_be_given_by_itself(live: Live, name: str) -> None:
    given = {name: BY_THEMSELVES[name]}
    assert options_of(camp(live, 4, given)) == DEFAULTS | given


@pytest.mark.parametrize("players", [4, 6, 16, 32])
def test_options_groups_the_first_half_is_a(live: Live, players: int) -> None:
    half = players // 2
    match = camp(live, players)
    assert options_of(match)["groups"] == ["A"] * half + ["B"] * half
    assert seen(match.anyone)["stage"] == ["on_stage"] * half + [None] * half


@pytest.mark.parametrize("players", [3, 33])
def test_options_4_to_32_players(live: Live, players: int) -> None:
    seats = [f"Player {seat}" for seat in range(players)]
    body = {"game": GAME, "seats": seats}
    assert live.organiser.post("/v1/matches", body).status_code in {400, 422}


@pytest.mark.parametrize(
    "options",
    [
        {"groups": ["A", "B", "B", "B"]},
        {"groups": ["A", "A", "A", "B"]},
        {"groups": ["A", "A", "B"]},
        {"groups": ["A", "A", "B", "C"]},
        {"garnets": [1, 1, 1]},
        {"garnets": [1, 1, 1, -1]},
        {"kick_rule": "any"},
        {"all_tied": "half_out"},
        {"b_winner_rank": 1},
        {"b_winner_rank": 3, "b_loser_rank": 3},
        {"b_loser_rank": 0},
        {"ec_voters": "all"},
        {"garnet_per_tokens": 0},
        {"deadline_utc": "25:00"},
        {"unheard_of": True},
    ],
    ids=str,
)
def test_options_are_checked_at_creation(live: Live, options: Json) -> None:
    body = {"game": GAME, "seats": list("PQRS"), "options": options}
    assert live.organiser.post("/v1/matches", body).status_code in {400, 422}


def test_options_start_tokens_are_per_group(live: Live) -> None:
    match = camp(live, 4, {"start_tokens": {"A": 3, "B": 2}})
    assert [seen(seat)["tokens"] for seat in match.seats] == [3, 3, 2, 2]


def test_options_start_tokens_are_5_and_1(live: Live) -> None:
    assert [seen(seat)["tokens"] for seat in camp(live).seats] == [5, 5, 1, 1]


def test_options_garnets_are_public_and_the_remaining_ones_private(live: Live) -> None:
    match = camp(live, 4, {"garnets": [2, 0, 1, 0]})
    assert options_of(match)["garnets"] == [2, 0, 1, 0]
    assert [seen(seat)["garnets"] for seat in match.seats] == [2, 0, 1, 0]
    assert "garnets" not in seen(match.anyone)


def test_options_b_self_allows_a_type_b_vote_for_oneself(live: Live) -> None:
    invalid(submit(camp(live), 2, b=[2, 3, 3]), "self_vote")
    accepted_body(submit(camp(live, 4, {"b_self": True}), 2, b=[2, 2, 2]))


def test_options_without_b_repeats_the_three_votes_are_for_three(live: Live) -> None:
    match = camp(live, 6, {"b_repeats": False})
    invalid(submit(match, 0, b=[3, 3, 4]), "repeated_vote")
    accepted_body(submit(match, 0, b=[3, 4, 5]))


def test_options_the_record_is_always_closed(live: Live) -> None:
    body = {"game": GAME, "seats": list("PQRS"), "record": "opened_at_end"}
    assert live.organiser.post("/v1/matches", body).status_code in {400, 422}
    match = ended(live, [])
    assert match.anyone.events("moderator").status_code in {401, 403}
    assert match.seats[0].events("moderator").status_code == 403
