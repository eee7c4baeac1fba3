"""Grouping Black & White over HTTP: what its actions, refusals and views look like there. Each rule
is tested in the domain."""

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.sealed_play import (
    LOW,
    SHIFTED,
    accepted_body,
    dealt,
    grouping,
    invalid,
    seen,
    shuffles,
)
from tests.support.servers.live_server import Live


def test_naming_and_grouping(live: Live) -> None:
    options = {"variant": "final-match-2"}
    match = live.started("grouping-bw", chance="manual", options=options)
    first, second = match.seats
    assert (seen(first)["phase"], seen(first)["items"]) == ("name_starter", ["bonus", "peek"])
    assert_problem(second.act({"type": "name_starter", "seat": 0}), 422, "not_your_turn")
    assert_problem(first.act({"type": "name_starter", "seat": 2}), 422, "no_such_seat")
    accepted_body(first.act({"type": "name_starter", "seat": 0}))
    menus = [seat.menu().json()["actions"] for seat in match.seats]
    assert [[one["type"] for one in menu] for menu in menus] == [["group"]] * 2
    before = [(p.view().content, p.events().content) for p in (match.anyone, second)]
    invalid(first.act(grouping(SHIFTED, use_order=True)), "item_not_held")
    invalid(first.act(grouping(SHIFTED, ante_increase=11)), "ante_increase_out_of_range")
    accepted_body(first.act(grouping(SHIFTED, ante_increase=3)))
    assert [(p.view().content, p.events().content) for p in (match.anyone, second)] == before
    accepted_body(second.act(grouping(LOW, ante_increase=3, use_order=True)))
    parts = match.moderator.view().json()["awaiting"]["draw"]["parts"]
    assert [part["items"] for part in parts[4:]] == [[0, 1], [2, 3, 4], [5, 6, 7, 8], list("abc")]
    drawn = [[1, 0], [4, 3, 2], [8, 7, 6, 5], ["c", "a", "b"]]
    accepted_body(match.moderator.draw("set1/pass1", shuffles(SHIFTED) + drawn))
    assert [seen(seat)["order"] for seat in match.seats] == [None, ["c", "a", "b"]]
    assert [seen(match.anyone)[name] for name in ("ante", "bets")] == [4, [4, 4]]


def test_a_round_is_seen_by_everybody_and_by_each_seat(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW, {"items": [["peek"], ["order"]]})
    public = {
        "set": 1, "pass": 1, "round": 1, "phase": "betting", "ante": 1, "starter": 0, "to_act": 0,
        "stacks": [29, 29], "bets": [1, 1], "pot": 2, "colours": ["white", "black"],
        "history": [], "result": None,
    }  # fmt: skip
    assert seen(match.anyone) == public
    groups = {"a": [1, 2], "b": [3, 4, 5], "c": [0, 6, 7, 8]}
    own = {"groups": groups, "items": ["peek"], "told": [], "order": None}
    assert seen(match.seats[0]) == public | own
    for player in (match.anyone, *match.seats):
        assert player.view("moderator").status_code in {401, 403}
        assert player.events("moderator").status_code in {401, 403}


@pytest.mark.parametrize(
    ("record", "shown"), [("opened_at_end", [[LOW, SHIFTED]]), ("closed", None)]
)
def test_the_end_shows_the_result_and_opens_the_record(
    live: Live, record: str, shown: list[list[list[int]]] | None
) -> None:
    match = dealt(live, LOW, SHIFTED, {"chips": [6, 30]}, record=record)
    accepted_body(match.seats[0].act({"type": "raise", "by": 5}))
    accepted_body(match.seats[1].act({"type": "call"}))
    answer = match.anyone.view().json()
    result = {"winners": [1], "losers": [0], "shared": False, "scores": [0, 36]}
    assert (answer["status"], answer["view"]["phase"]) == ("ended", "over")
    assert answer["result"] == answer["view"]["result"] == result
    assert_problem(match.seats[0].act({"type": "fold"}), 409, "match_not_running")
    if shown is None:
        assert match.anyone.events("moderator").status_code in {401, 403}
    else:
        events = [row["data"] for row in all_events(match.anyone, "moderator")]
        assert [data["tiles"] for data in events if "tiles" in data] == shown
