"""Grouping Black & White, section A set: naming, grouping, the deal and its nine rounds."""

from itertools import combinations

import pytest

from tests.support.http.grouping_bw_client import (
    FINAL,
    HIGH,
    LOW,
    SHIFTED,
    deal,
    dealt,
    entries,
    fold_all,
    group_both,
    grouping,
    named,
    opened,
    showdown,
    shuffles,
)
from tests.support.http.match_play import all_events, facts
from tests.support.http.rule_answers import accepted_body, invalid, refused, seen
from tests.support.servers.live_server import Json, Live, LiveMatch

BAD_GROUPS: list[Json] = [
    {"a": [0], "b": [1, 2, 3], "c": [4, 5, 6, 7, 8]},
    {"a": [0, 0], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
    {"a": [0, 1], "b": [1, 3, 4], "c": [5, 6, 7, 8]},
    {"a": [0, 1], "b": [2, 3, 9], "c": [5, 6, 7, 8]},
    {"a": [], "b": [], "c": []},
    {"a": [-1, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
]

FREE: Json = {"variant": FINAL, "items": [[], []], "fold_8_penalty": 0}


def second_set(live: Live, options: Json | None = None, first: Json | None = None) -> LiveMatch:
    """A match of one pass a set in which the second grouping is awaited."""
    match = dealt(live, LOW, LOW, {**FREE, **(options or {})}, more=(first or {}, first or {}))
    fold_all(match)
    return match


def test_set_0_the_chooser_names_the_first_starter(live: Live) -> None:
    match = opened(live)
    before = seen(match.anyone)
    assert (before["phase"], before["starter"]) == ("name_starter", None)
    refused(match.seats[0].act({"type": "name_starter", "seat": 0}), "not_your_turn")
    accepted_body(match.seats[1].act({"type": "name_starter", "seat": 0}))
    after = seen(match.anyone)
    assert (after["phase"], after["starter"]) == ("grouping", 0)


def test_set_0_only_a_seat_of_the_match_can_start(live: Live) -> None:
    refused(opened(live).seats[1].act({"type": "name_starter", "seat": 2}), "no_such_seat")


def test_set_0_the_starter_is_named_only_before_the_first_set(live: Live) -> None:
    refused(second_set(live).seats[1].act({"type": "name_starter", "seat": 1}), "wrong_phase")


def test_set_1_both_group_at_once(live: Live) -> None:
    match = named(live)
    assert match.anyone.view().json()["awaiting"]["seats"] == [0, 1]
    assert [set(entries(seat)) for seat in match.seats] == [{"group"}, {"group"}]


@pytest.mark.parametrize("groups", BAD_GROUPS, ids=str)
def test_set_1_other_than_a_partition_is_an_invalid_submission(live: Live, groups: Json) -> None:
    match = named(live)
    invalid(match.seats[0].act({"type": "group", **groups}), "not_a_partition")
    assert seen(match.seats[0])["groups"] is None


def test_set_1_an_invalid_submission_never_displaces_a_valid_one(live: Live) -> None:
    match = named(live)
    accepted_body(match.seats[0].act(grouping(HIGH)))
    invalid(match.seats[0].act({"type": "group", **BAD_GROUPS[0]}), "not_a_partition")
    accepted_body(match.seats[1].act(grouping(LOW)))
    assert seen(match.seats[0])["groups"] == {"a": [7, 8], "b": [4, 5, 6], "c": [0, 1, 2, 3]}


def test_set_1_a_grouping_may_be_replaced_until_both_are_in(live: Live) -> None:
    match = named(live)
    accepted_body(match.seats[0].act(grouping(HIGH)))
    accepted_body(match.seats[0].act(grouping(LOW)))
    assert seen(match.anyone)["phase"] == "grouping"
    accepted_body(match.seats[1].act(grouping(LOW)))
    assert seen(match.anyone)["phase"] == "deal"
    refused(match.seats[0].act(grouping(HIGH)), "wrong_phase")
    assert seen(match.seats[0])["groups"] == {"a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]}


def test_set_1_nobody_else_learns_of_a_grouping_until_both_are_in(live: Live) -> None:
    match = named(live)
    others = (match.anyone, match.seats[1])
    before = [(other.view().content, other.events().content) for other in others]
    accepted_body(match.seats[0].act(grouping(LOW)))
    invalid(match.seats[0].act({"type": "group", **BAD_GROUPS[0]}), "not_a_partition")
    assert [(other.view().content, other.events().content) for other in others] == before


def test_set_1_under_limits_no_more_numbers_may_leave_a_group(live: Live) -> None:
    seat = second_set(live, {"regroup_limits": [0, 1, 1]}).seats[0]
    swapped_a = {"type": "group", "a": [0, 2], "b": [1, 3, 4], "c": [5, 6, 7, 8]}
    invalid(seat.act(swapped_a), "too_many_moved")
    accepted_body(seat.act({"type": "group", "a": [0, 1], "b": [2, 3, 5], "c": [4, 6, 7, 8]}))
    two = {"type": "group", "a": [0, 1], "b": [2, 5, 6], "c": [3, 4, 7, 8]}
    invalid(seat.act(two), "too_many_moved")


def test_set_1_under_limits_no_change_is_legal(live: Live) -> None:
    match = second_set(live, {"regroup_limits": [0, 0, 0]})
    group_both(match, (LOW, LOW))
    assert seen(match.anyone)["phase"] == "deal"


def test_set_1_without_limits_all_may_change(live: Live) -> None:
    match = second_set(live, {"regroup_limits": None})
    group_both(match, (HIGH, HIGH))
    assert seen(match.seats[0])["groups"] == {"a": [7, 8], "b": [4, 5, 6], "c": [0, 1, 2, 3]}


def test_set_1_limits_count_from_the_grouping_before(live: Live) -> None:
    match = second_set(live, {"regroup_limits": [1, 1, 0]})
    moved = [0, 2, 1, 3, 4, 5, 6, 7, 8]
    group_both(match, (moved, LOW))
    deal(match, (moved, LOW), "set2/pass1")
    fold_all(match)
    accepted_body(match.seats[0].act(grouping([2, 3, 0, 1, 4, 5, 6, 7, 8])))
    invalid(match.seats[0].act(grouping([1, 3, 0, 2, 4, 5, 6, 7, 8])), "too_many_moved")


def test_must_hold_147_groupings_are_legal_under_1_1_2(live: Live) -> None:
    legal = 0
    for number, a in enumerate(combinations(LOW, 2)):
        if number % 5 == 0:
            # A seat has 200 submissions a phase.
            seat = second_set(live).seats[0]
        rest = [tile for tile in LOW if tile not in a]
        for b in combinations(rest, 3):
            c = [tile for tile in rest if tile not in b]
            answer = seat.act({"type": "group", "a": a, "b": b, "c": c})
            legal += answer.json()["receipt"]["valid"]
    assert legal == 147


@pytest.mark.parametrize(
    ("named_by", "ante"),
    [((3, 3), 4), ((10, 10), 11), ((3, 4), 1), ((3, None), 1), ((None, None), 1)],
)
def test_set_1_an_increase_that_both_name_is_added_from_this_set_on(
    live: Live, named_by: tuple[int | None, int | None], ante: int
) -> None:
    more = [{"ante_increase": n} if n else {} for n in named_by]
    match = dealt(live, LOW, LOW, FREE, more=more)
    view = seen(match.anyone)
    assert (view["ante"], view["bets"]) == (ante, [ante, ante])


def test_set_1_an_increase_is_for_good_and_adds_up(live: Live) -> None:
    match = second_set(live, {"ante_every_sets": 1}, {"ante_increase": 2})
    assert seen(match.anyone)["ante"] == 1 + 1 + 2
    group_both(match, (LOW, LOW), {"ante_increase": 1}, {"ante_increase": 1})
    assert seen(match.anyone)["ante"] == 1 + 1 + 2 + 1


def test_set_1_an_increase_is_1_to_10(live: Live) -> None:
    seat = named(live, FREE).seats[0]
    for n in (0, 11, -1):
        invalid(seat.act(grouping(LOW, ante_increase=n)), "ante_increase_out_of_range")


def test_set_1_an_increase_is_invalid_where_it_is_not_allowed(live: Live) -> None:
    seat = named(live).seats[0]
    invalid(seat.act(grouping(LOW, ante_increase=1)), "ante_increase_not_allowed")


def test_set_1_order_that_is_not_held_makes_an_invalid_submission(live: Live) -> None:
    seat = named(live, {"items": [["peek"], ["order"]]}).seats[0]
    invalid(seat.act(grouping(LOW, use_order=True)), "item_not_held")


def test_set_1_order_is_used_once(live: Live) -> None:
    match = named(live, {**FREE, "items": [["order"], []]})
    group_both(match, (LOW, LOW), {"use_order": True}, {})
    assert seen(match.seats[0])["items"] == []
    deal(match, (LOW, LOW))
    fold_all(match)
    invalid(match.seats[0].act(grouping(LOW, use_order=True)), "item_used")


def test_set_1_order_in_a_grouping_that_was_replaced_is_not_used(live: Live) -> None:
    match = named(live, {**FREE, "items": [["order"], []]})
    accepted_body(match.seats[0].act(grouping(LOW, use_order=True)))
    group_both(match, (LOW, LOW))
    deal(match, (LOW, LOW))
    view = seen(match.seats[0])
    assert (view["items"], view["order"]) == (["order"], None)


def test_set_2_each_pass_begins_with_a_draw_of_both_seats(live: Live) -> None:
    match = named(live)
    group_both(match, (HIGH, [2, 8, 0, 1, 3, 4, 5, 6, 7]))
    items = [[7, 8], [4, 5, 6], [0, 1, 2, 3], ["a", "b", "c"]]
    items += [[2, 8], [0, 1, 3], [4, 5, 6, 7], ["a", "b", "c"]]
    draw = match.moderator.view().json()["awaiting"]["draw"]
    parts = [{"kind": "shuffle", "items": part} for part in items]
    assert draw == {"id": "set1/pass1", "parts": parts}


def test_set_2_the_draw_is_sealed(live: Live) -> None:
    match = named(live)
    group_both(match, (LOW, LOW))
    for player in (match.anyone, *match.seats):
        assert player.view().json()["awaiting"]["draw"] == {"id": None, "parts": None}


def test_set_2_the_groups_are_laid_in_the_drawn_order(live: Live) -> None:
    match = named(live)
    group_both(match, (LOW, LOW))
    first = [[1, 0], [4, 2, 3], [6, 8, 5, 7], ["c", "a", "b"]]
    accepted_body(match.moderator.draw("set1/pass1", first + shuffles(LOW)))
    for _ in LOW:
        showdown(match)
    shown = [finished["numbers"][0] for finished in seen(match.anyone)["history"]]
    assert shown == [6, 8, 5, 7, 1, 0, 4, 2, 3]


def test_set_2_a_seat_that_used_order_sees_its_order_of_groups(live: Live) -> None:
    match = named(live, {"items": [["order"], ["order"]]})
    group_both(match, (LOW, LOW), {"use_order": True}, {})
    drawn = [[1, 0], [4, 3, 2], [8, 7, 6, 5], ["c", "a", "b"]]
    accepted_body(match.moderator.draw("set1/pass1", drawn + shuffles(LOW)))
    assert [seen(seat)["order"] for seat in match.seats] == [["c", "a", "b"], None]
    assert "order" not in seen(match.anyone)


def test_set_2_order_shows_the_first_pass_of_this_set_only(live: Live) -> None:
    match = dealt(live, options={"items": [["order"], []]}, more=({"use_order": True}, {}))
    fold_all(match)
    deal(match, (SHIFTED, LOW), "set1/pass2")
    assert seen(match.seats[0])["order"] is None
    received = [event["data"] for event in all_events(match.seats[0])]
    assert sum("order" in data for data in received) == 1


@pytest.mark.parametrize("fields", [{"use_order": True}, {"ante_increase": 3}], ids=str)
def test_set_1_nobody_else_learns_of_a_wish_that_only_one_seat_had(
    live: Live, fields: Json
) -> None:
    worlds = []
    for own in (fields, {}):
        match = dealt(live, LOW, LOW, {**FREE, "items": [["order"], []]}, more=(own, {}))
        worlds.append([seen(match.anyone), seen(match.seats[1])])
        worlds[-1] += [{**data, "key_id": ""} for data in facts(match.seats[1])]
    assert worlds[0] == worlds[1]


def test_set_3_the_ith_round_is_played_with_the_ith_tile_of_each(live: Live) -> None:
    match = dealt(live, SHIFTED, LOW)
    for number in range(1, 10):
        assert seen(match.anyone)["round"] == number
        showdown(match)
    shown = [finished["numbers"] for finished in seen(match.anyone)["history"]]
    assert shown == [list(pair) for pair in zip(SHIFTED, LOW, strict=True)]


def test_set_3_nine_rounds_a_pass_and_as_many_passes_as_agreed(live: Live) -> None:
    match = dealt(live)
    fold_all(match)
    assert [seen(match.anyone)[name] for name in ("set", "pass", "phase")] == [1, 2, "deal"]
    deal(match, (SHIFTED, LOW), "set1/pass2")
    fold_all(match)
    view = seen(match.anyone)
    assert [view[name] for name in ("set", "pass", "round", "phase")] == [2, 1, 1, "grouping"]


@pytest.mark.parametrize("every", [1, 2, 3])
def test_set_2_ante_is_1_and_one_more_after_so_many_sets(live: Live, every: int) -> None:
    match = dealt(live, options={**FREE, "ante_every_sets": every})
    antes = [seen(match.anyone)["ante"]]
    for number in (2, 3):
        fold_all(match)
        antes.append(seen(match.anyone)["ante"])
        group_both(match, (SHIFTED, LOW))
        deal(match, (SHIFTED, LOW), f"set{number}/pass1")
    assert antes == [1 + (number - 1) // every for number in (1, 2, 3)]
