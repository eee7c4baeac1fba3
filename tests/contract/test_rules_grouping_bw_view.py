"""Grouping Black & White, sections Who sees what, Actions, View and Must hold."""

import random
from typing import Any

import pytest

from tests.support.http.grouping_bw_client import (
    DEATH,
    FINAL,
    GAME,
    HIGH,
    LOW,
    SHIFTED,
    deal,
    dealt,
    entries,
    fold_all,
    folded,
    group_both,
    opened,
    raised,
    showdown,
)
from tests.support.http.match_play import all_events, facts
from tests.support.http.rule_answers import accepted_body, seen
from tests.support.servers.live_server import Json, Live, LiveMatch

PUBLIC = {
    "set",
    "pass",
    "round",
    "phase",
    "ante",
    "starter",
    "to_act",
    "stacks",
    "bets",
    "pot",
    "colours",
    "history",
    "result",
}

OWN = {"groups", "items", "told", "order"}

ITEMS = {"items": [["peek"], ["order"]]}


def over(live: Live, **creation: Any) -> LiveMatch:
    """A match that seat 1 has won in its first round."""
    match = dealt(live, LOW, SHIFTED, {"chips": [6, 30]}, **creation)
    showdown(match, 5)
    return match


def test_view_fields_are_those_of_the_page_in_every_phase(live: Live) -> None:
    match = opened(live, ITEMS)
    phases = []

    def look() -> None:
        phases.append(seen(match.anyone)["phase"])
        assert set(seen(match.anyone)) == PUBLIC
        assert set(seen(match.seats[0])) == set(seen(match.seats[1])) == PUBLIC | OWN

    look()
    accepted_body(match.seats[1].act({"type": "name_starter", "seat": 0}))
    look()
    group_both(match, (HIGH, LOW), {}, {"use_order": True})
    look()
    deal(match, (HIGH, LOW))
    look()
    for _ in range(3):
        raised(match, seen(match.anyone)["to_act"], 9)
        accepted_body(match.seats[seen(match.anyone)["to_act"]].act({"type": "call"}))
    look()
    assert phases == ["name_starter", "grouping", "deal", "betting", "over"]


def test_view_of_the_public_in_a_first_round(live: Live) -> None:
    assert seen(dealt(live, SHIFTED, LOW).anyone) == {
        "set": 1,
        "pass": 1,
        "round": 1,
        "phase": "betting",
        "ante": 1,
        "starter": 0,
        "to_act": 0,
        "stacks": [29, 29],
        "bets": [1, 1],
        "pot": 2,
        "colours": ["white", "black"],
        "history": [],
        "result": None,
    }


def test_view_of_a_seat_adds_its_own_groups_items_and_the_numbers_it_saw(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW, ITEMS, more=({}, {"use_order": True}))
    public = seen(match.anyone)
    assert seen(match.seats[0]) == public | {
        "groups": {"a": [1, 2], "b": [3, 4, 5], "c": [0, 6, 7, 8]},
        "items": ["peek"],
        "told": [],
        "order": None,
    }
    assert seen(match.seats[1]) == public | {
        "groups": {"a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        "items": [],
        "told": [],
        "order": ["a", "b", "c"],
    }


def test_view_history_is_one_row_per_finished_round(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW)
    folded(match, 0)
    showdown(match)
    here = {"set": 1, "pass": 1, "folded_8": False}
    assert seen(match.anyone)["history"] == [
        {**here, "round": 1, "end": "fold", "folder": 0, "numbers": None, "stacks": [29, 31]},
        {**here, "round": 2, "end": "call", "folder": None, "numbers": [2, 1], "stacks": [31, 29]},
    ]


def test_who_sees_what_bets_and_stacks_are_public(live: Live) -> None:
    match = dealt(live)
    raised(match, 0, 7)
    for player in (match.anyone, *match.seats, match.moderator):
        view = seen(player)
        assert (view["bets"], view["stacks"], view["pot"]) == ([8, 1], [22, 29], 9)
        assert (view["starter"], view["to_act"]) == (0, 1)


def test_who_sees_what_groupings_are_private_to_their_seat(live: Live) -> None:
    """The other seat and the public receive the same, however a seat has grouped."""
    worlds = [dealt(live, own, LOW) for own in (SHIFTED, [3, 2, 1, 4, 5, 6, 7, 8, 0])]
    for match in worlds:
        folded(match, 0)
    for audience in ("public", "seat:1"):
        views = [seen(match.audiences()[audience]) for match in worlds]
        assert views[0] == views[1]
    groups = [seen(match.seats[0])["groups"] for match in worlds]
    assert groups[0] != groups[1]


def test_who_sees_what_tiles_not_shown_stay_sealed_after_the_round(live: Live) -> None:
    """Of two passes of folds with tiles of the same colours the public receives the same."""
    same_colours = [3, 4, 5, 2, 7, 8, 1, 0, 6]
    worlds = [dealt(live, own, LOW) for own in (SHIFTED, same_colours)]
    for match in worlds:
        fold_all(match)
    received = [facts(match.anyone) for match in worlds]
    assert received[0] == received[1]
    assert seen(worlds[0].anyone) == seen(worlds[1].anyone)


def test_who_sees_what_moderators_see_the_tiles(live: Live) -> None:
    match = dealt(live, SHIFTED, HIGH)
    assert match.moderator.view("moderator").status_code == 200
    for player in (match.anyone, *match.seats):
        assert player.view("moderator").status_code in {401, 403}
        assert player.events("moderator").status_code in {401, 403}


def test_who_sees_what_after_the_match_the_record_may_be_opened(live: Live) -> None:
    match = over(live)
    laid = [row for row in all_events(match.anyone, "moderator") if "tiles" in row["data"]]
    assert [row["data"]["tiles"] for row in laid] == [[LOW, SHIFTED]]


def test_who_sees_what_a_closed_record_stays_closed(live: Live) -> None:
    match = over(live, record="closed")
    assert match.anyone.events("moderator").status_code in {401, 403}


def test_view_result_is_the_matchs(live: Live) -> None:
    answer = over(live).anyone.view().json()
    result = {"winners": [1], "losers": [0], "shared": False, "scores": [0, 36]}
    assert answer["view"]["result"] == answer["result"] == result


@pytest.mark.parametrize(
    "action",
    [
        {"type": "name_starter"},
        {"type": "raise"},
        {"type": "raise", "by": "3"},
        {"type": "raise", "by": 1, "all": True},
        {"type": "call", "by": 1},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4]},
        {"type": "check"},
    ],
    ids=str,
)
def test_actions_have_the_fields_of_the_page(live: Live, action: Json) -> None:
    assert dealt(live).seats[0].act(action).status_code == 400


def test_actions_are_described_by_the_service(live: Live) -> None:
    page = live.anyone.get(f"/v1/games/{GAME}").text
    for name in ("name_starter", "group", "raise", "call", "fold", "peek"):
        assert f'"{name}"' in page


def a_move(match: LiveMatch, chance: random.Random) -> Json:
    """A random action of the menu of the seat whose turn it is, seldom a fold."""
    menu = entries(match.seats[seen(match.anyone)["to_act"]])
    kinds = [kind for kind in ("raise", "call", "fold") if kind in menu]
    kind = chance.choices(kinds, [{"raise": 4, "call": 4, "fold": 1}[kind] for kind in kinds])[0]
    if kind != "raise":
        return {"type": kind}
    return {
        "type": kind,
        "by": chance.randint(1, menu[kind]["schema"]["properties"]["by"]["maximum"]),
    }


def totals(match: LiveMatch, seed: int) -> list[int]:
    """Stacks and pot together, after each move of a random pass."""
    chance = random.Random(seed)
    found = []
    for _ in range(40):
        view = seen(match.anyone)
        found.append(sum(view["stacks"]) + view["pot"])
        if view["phase"] != "betting":
            break
        owed = view["bets"][1 - view["to_act"]] - view["bets"][view["to_act"]]
        assert 0 <= owed <= view["stacks"][view["to_act"]], "to_call never exceeds the stack"
        accepted_body(match.seats[view["to_act"]].act(a_move(match, chance)))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_must_hold_in_a_death_match_stacks_and_pot_are_constant(live: Live, seed: int) -> None:
    found = totals(dealt(live, SHIFTED, HIGH, {"variant": DEATH}), seed)
    assert set(found) == {60}


@pytest.mark.parametrize("seed", range(4))
def test_must_hold_in_a_final_match_2_the_sum_never_grows(live: Live, seed: int) -> None:
    match = dealt(live, SHIFTED, HIGH, {"variant": FINAL, "chips": [40, 40]})
    found = totals(match, seed)
    assert found[0] == 90
    assert found == sorted(found, reverse=True)


def play_set(match: LiveMatch, chance: random.Random) -> None:
    """Both seats stay with one grouping, and bet at random until the next is awaited."""
    group_both(match, (LOW, LOW))
    while (view := seen(match.anyone))["phase"] == "betting":
        accepted_body(match.seats[view["to_act"]].act(a_move(match, chance)))


@pytest.mark.parametrize("variant", [DEATH, FINAL])
def test_both_variants_are_complete_games(live: Live, variant: str) -> None:
    match = live.started(GAME, options={"variant": variant, "chips": [20, 20]})
    chooser = match.anyone.view().json()["awaiting"]["seats"][0]
    accepted_body(match.seats[chooser].act({"type": "name_starter", "seat": 1}))
    chance = random.Random(7)
    for _ in range(30):
        if seen(match.anyone)["phase"] != "over":
            play_set(match, chance)
    result = match.anyone.view().json()["result"]
    assert sorted(result["winners"] + result["losers"]) == [0, 1]


def test_a_pass_of_folds_shows_each_folder_the_numbers_it_folded_to(live: Live) -> None:
    match = dealt(live, SHIFTED, HIGH)
    fold_all(match)
    numbers = [[row["number"] for row in seen(seat)["told"]] for seat in match.seats]
    assert numbers == [HIGH[::2], SHIFTED[1::2]]
