"""Grouping Black & White, section A round: peek."""

import pytest

from tests.support.http.grouping_bw_client import (
    HIGH,
    LOW,
    SHIFTED,
    deal,
    dealt,
    entries,
    fold_all,
    folded,
    group_both,
    named,
    raised,
)
from tests.support.http.rule_answers import accepted_body, refused, seen
from tests.support.servers.live_server import Live, LiveMatch

PEEK = {"type": "peek"}


def peeking(live: Live) -> LiveMatch:
    """A first round in which seat 0 starts, and either seat holds a peek."""
    return dealt(live, SHIFTED, LOW, {"items": [["peek"], ["peek"]]})


def row(number: int, by: str, round_: int = 1) -> dict[str, object]:
    return {"set": 1, "pass": 1, "round": round_, "number": number, "by": by}


@pytest.mark.parametrize(("seat", "number"), [(0, 0), (1, 1)], ids=["in turn", "out of turn"])
def test_peek_shows_the_seat_the_others_number(live: Live, seat: int, number: int) -> None:
    match = peeking(live)
    assert "peek" in entries(match.seats[seat])
    accepted_body(match.seats[seat].act(PEEK))
    assert seen(match.seats[seat])["told"] == [row(number, "peek")]


@pytest.mark.parametrize("seat", [0, 1])
def test_peek_no_one_else_learns_that_it_was_used(live: Live, seat: int) -> None:
    match = peeking(live)
    others = (match.anyone, match.seats[1 - seat])
    before = [(o.view().content, o.events().content, o.menu().content) for o in others]
    accepted_body(match.seats[seat].act(PEEK))
    assert [(o.view().content, o.events().content, o.menu().content) for o in others] == before


def test_peek_does_not_change_the_turn(live: Live) -> None:
    match = peeking(live)
    accepted_body(match.seats[0].act(PEEK))
    assert seen(match.anyone)["to_act"] == 0
    raised(match, 0, 1)
    accepted_body(match.seats[1].act(PEEK))
    raised(match, 1, 1)


def test_peek_once(live: Live) -> None:
    match = peeking(live)
    accepted_body(match.seats[0].act(PEEK))
    assert seen(match.seats[0])["items"] == []
    refused(match.seats[0].act(PEEK), "item_used")
    folded(match, 0)
    refused(match.seats[0].act(PEEK), "item_used")
    assert "peek" not in entries(match.seats[0])


def test_peek_that_is_not_held_is_rejected(live: Live) -> None:
    match = dealt(live, options={"items": [["peek"], ["order"]]})
    refused(match.seats[1].act(PEEK), "item_not_held")
    assert "peek" not in entries(match.seats[1])


def test_peek_shows_the_number_of_the_round_in_which_it_was_used(live: Live) -> None:
    match = peeking(live)
    fold_all(match, 3)
    accepted_body(match.seats[1].act(PEEK))
    assert seen(match.seats[1])["told"][-1] == row(SHIFTED[3], "peek", 4)


def test_peek_and_fold_both_show_the_number(live: Live) -> None:
    match = peeking(live)
    accepted_body(match.seats[0].act(PEEK))
    folded(match, 0)
    assert seen(match.seats[0])["told"] == [row(0, "peek"), row(0, "fold")]


def test_peek_only_between_the_deal_and_the_end_of_a_round(live: Live) -> None:
    match = named(live, {"items": [["peek"], []], "passes_per_set": 1})
    refused(match.seats[0].act(PEEK), "wrong_phase")
    group_both(match, (HIGH, LOW))
    refused(match.seats[0].act(PEEK), "wrong_phase")
    deal(match, (HIGH, LOW))
    fold_all(match)
    refused(match.seats[0].act(PEEK), "wrong_phase")
    assert seen(match.seats[0])["items"] == ["peek"]


def test_peek_that_was_rejected_is_not_used(live: Live) -> None:
    match = named(live, {"items": [["peek"], []]})
    refused(match.seats[0].act(PEEK), "wrong_phase")
    group_both(match, (HIGH, LOW))
    deal(match, (HIGH, LOW))
    accepted_body(match.seats[0].act(PEEK))
    assert seen(match.seats[0])["told"][-1]["number"] == 0
