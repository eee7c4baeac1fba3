"""Grouping Black & White, section Options: the values of each variant, and each option by
itself."""

import pytest

from tests.support.http.grouping_bw_client import DEATH, FINAL, GAME, dealt, entries, opened
from tests.support.http.rule_answers import options_of, refused, seen
from tests.support.servers.live_server import Json, Live

DEATH_MATCH = {
    "variant": DEATH,
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
    "variant": FINAL,
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

BY_THEMSELVES = {
    "chips": [7, 9],
    "passes_per_set": 3,
    "ante_every_sets": 5,
    "raise_cap": 4,
    "on_fold": "return",
    "on_call": "return",
    "regroup_limits": [2, 0, 1],
    "fold_8_penalty": 3,
    "short_ante": "lose",
    "items": [["order"], ["peek"]],
    "ante_increase_allowed": True,
    "starter_chooser": 0,
    "own_tile_visible": True,
    "leader_check": True,
    "bet_seconds": 5,
    "group_seconds": 7,
}


@pytest.mark.parametrize("variant", [DEATH_MATCH, FINAL_MATCH_2], ids=[DEATH, FINAL])
def test_options_variant_sets_the_others(live: Live, variant: Json) -> None:
    assert options_of(opened(live, {"variant": variant["variant"]})) == variant


@pytest.mark.parametrize("name", BY_THEMSELVES)
def test_options_each_can_also_be_given_by_itself(live: Live, name: str) -> None:
    given = {name: BY_THEMSELVES[name]}
    assert options_of(opened(live, given)) == DEATH_MATCH | given


def test_options_some_of_a_final_match_can_be_given_by_themselves(live: Live) -> None:
    given = {"chips": [5, 6], "on_fold": "pot", "regroup_limits": None}
    assert options_of(opened(live, {"variant": FINAL, **given})) == FINAL_MATCH_2 | given


@pytest.mark.parametrize(
    ("items", "chooser"),
    [([["bonus"], []], 0), ([[], ["bonus"]], 1), ([["peek"], ["order"]], 1)],
)
def test_options_starter_chooser_is_the_holder_of_bonus_else_1(
    live: Live, items: list[list[str]], chooser: int
) -> None:
    final = opened(live, {"variant": FINAL, "items": items})
    assert options_of(final)["starter_chooser"] == chooser


def test_options_starter_chooser_may_be_the_candidates_pick(live: Live) -> None:
    match = opened(live, {"starter_chooser": 0})
    assert match.anyone.view().json()["awaiting"]["seats"] == [0]


@pytest.mark.parametrize(
    "options",
    [
        {"variant": "third"},
        {"chips": [30]},
        {"chips": [-1, 30]},
        {"raise_cap": 0},
        {"items": [["bonus"], ["bonus"]]},
        {"items": [["sword"], []]},
        {"starter_chooser": 2},
        {"on_fold": "half"},
        {"short_ante": "beg"},
        {"regroup_limits": [1, 1]},
        {"bet_seconds": 0},
        {"unheard_of": 1},
    ],
    ids=str,
)
def test_options_are_checked_at_creation(live: Live, options: Json) -> None:
    body = {"game": GAME, "seats": ["Ann", "Ben"], "options": options}
    assert live.organiser.post("/v1/matches", body).status_code in {400, 422}


@pytest.mark.parametrize("seats", [["Ann"], ["Ann", "Ben", "Cy"]])
def test_options_two_players(live: Live, seats: list[str]) -> None:
    body = {"game": GAME, "seats": seats}
    assert live.organiser.post("/v1/matches", body).status_code in {400, 422}


@pytest.mark.parametrize("variant", [DEATH_MATCH, FINAL_MATCH_2], ids=[DEATH, FINAL])
def test_options_chips_are_per_seat_and_bonus_is_ten_more(live: Live, variant: Json) -> None:
    items = [[], ["bonus"]]
    options = {"variant": variant["variant"], "chips": [12, 34], "items": items}
    assert seen(opened(live, options).anyone)["stacks"] == [12, 44]


def test_options_bonus_is_the_choice_of_the_first_starter(live: Live) -> None:
    match = opened(live, {"items": [["bonus"], []]})
    assert set(entries(match.seats[0])) == {"name_starter"}
    assert entries(match.seats[1]) == {}


def test_options_own_tile_visible_adds_own_tile_to_the_seats_view(live: Live) -> None:
    match = dealt(live, options={"own_tile_visible": True})
    assert [seen(seat)["own_tile"] for seat in match.seats] == [1, 0]
    assert "own_tile" not in seen(match.anyone)


def test_options_own_tile_is_not_in_the_seats_view_otherwise(live: Live) -> None:
    match = dealt(live)
    assert all("own_tile" not in seen(seat) for seat in match.seats)


def test_options_leader_check_lets_the_starter_call_at_equal_bets(live: Live) -> None:
    match = dealt(live, options={"leader_check": True})
    answer = match.seats[0].act({"type": "call"})
    assert answer.status_code == 201
    assert seen(match.anyone)["history"][-1]["end"] == "call"


def test_options_without_leader_check_equal_bets_cannot_be_called(live: Live) -> None:
    match = dealt(live)
    refused(match.seats[0].act({"type": "call"}), "nothing_to_call")
    assert "call" not in entries(match.seats[0])
