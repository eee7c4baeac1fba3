"""Liar's Dice over HTTP: dice from the service and from a real table, and who sees them."""

from typing import Any

import pytest

from tests.support.http.match_play import all_events, assert_problem, play_out
from tests.support.servers.live_server import Live, LiveMatch

NAMES = ("Ann", "Ben", "Cy")
HIDDEN = {"id": None, "parts": None}
HANDS = [[1, 6], [2, 5], [3, 3]]


@pytest.fixture
def rolling(live: Live) -> LiveMatch:
    """A match of three with two dice each, which a moderator rolls."""
    options = {"dice": 2, "exact_call": True}
    return live.started("liars-dice", NAMES, chance="manual", options=options)


@pytest.fixture
def bidding(rolling: LiveMatch) -> LiveMatch:
    """The same when all have rolled."""
    for seat, hand in enumerate(HANDS):
        assert rolling.moderator.draw(f"round1/roll/{seat}", hand).status_code == 201
    return rolling


def views(match: LiveMatch) -> dict[str, Any]:
    return {name: player.view().json() for name, player in match.audiences().items()}


def test_every_option_is_accepted(live: Live) -> None:
    options = {
        "dice": 6, "wild_ones": False, "exact_call": True, "first_player": 2, "turn_seconds": 5,
    }  # fmt: skip
    match = live.started("liars-dice", NAMES, clock="rules", options=options)
    assert match.anyone.events().json()["events"][0]["data"]["options"] == options
    view = match.anyone.view().json()
    assert view["awaiting"]["seats"] == [2] and view["awaiting"]["deadline"] is not None


def test_a_moderator_is_asked_for_each_roll_in_turn(rolling: LiveMatch) -> None:
    for seat in range(3):
        parts = [{"kind": "roll", "sides": 6, "label": f"die {n}"} for n in (1, 2)]
        draws = {name: view["awaiting"]["draw"] for name, view in views(rolling).items()}
        assert draws.pop("moderator") == {"id": f"round1/roll/{seat}", "parts": parts}
        assert list(draws.values()) == [HIDDEN] * 4
        rolling.moderator.draw(f"round1/roll/{seat}", HANDS[seat])
    assert rolling.anyone.view().json()["awaiting"] == {
        "seats": [0],
        "draw": None,
        "deadline": None,
    }


def test_a_roll_is_shown_to_its_seat_alone(rolling: LiveMatch) -> None:
    before = views(rolling)
    rolling.moderator.draw("round1/roll/1", HANDS[1])  # not this seat's turn to roll
    assert views(rolling) == before
    rolling.moderator.draw("round1/roll/0", HANDS[0])
    after = views(rolling)
    assert after["seat:0"]["view"]["dice"] == [1, 6]
    assert after["moderator"]["view"]["hands"] == [[1, 6], [], []]
    for audience in ("public", "seat:1", "seat:2"):
        assert after[audience] == before[audience]


def test_bids_rise_until_a_seat_challenges(bidding: LiveMatch) -> None:
    ann, ben, cy = bidding.seats
    assert [seat.view().json()["view"]["dice"] for seat in bidding.seats] == HANDS
    assert_problem(ann.act({"type": "challenge"}), 422, "no_bid_yet")
    assert ann.act({"type": "bid", "count": 1, "face": 3}).status_code == 201
    assert_problem(cy.act({"type": "bid", "count": 2, "face": 3}), 422, "not_your_turn")
    assert_problem(ben.act({"type": "bid", "count": 1, "face": 2}), 422, "not_higher")
    assert_problem(ben.act({"type": "bid", "count": 7, "face": 2}), 422, "too_many_dice")
    assert_problem(ben.act({"type": "bid", "count": 2, "face": 7}), 400, "wrong_shape")
    assert ben.act({"type": "bid", "count": 3, "face": 3}).status_code == 201
    answer = cy.act({"type": "exact"}).json()["view"]["view"]
    assert answer["last_round"] == {
        "dice": HANDS,
        "bid": {"seat": 1, "count": 3, "face": 3},
        "call": "exact",
        "by": 2,
        "matching": 3,
        "lost": None,
        "gained": None,
    }
    assert (answer["phase"], answer["round"], answer["dice_left"]) == ("roll", 2, [2, 2, 2])
    assert_problem(cy.act({"type": "bid", "count": 1, "face": 1}), 422, "wrong_phase")


def test_the_menu_of_a_seat_lists_the_higher_bids(bidding: LiveMatch) -> None:
    bidding.seats[0].act({"type": "bid", "count": 2, "face": 4})
    entries = bidding.seats[1].menu().json()["actions"]
    assert [entry["type"] for entry in entries] == ["bid", "bid", "challenge", "exact"]
    assert all(entry["exact"] for entry in entries)
    more, higher = (entry["schema"]["properties"] for entry in entries[:2])
    assert (more["count"]["minimum"], more["count"]["maximum"]) == (3, 6)
    assert (higher["count"]["enum"], higher["face"]["minimum"]) == ([2], 5)


@pytest.mark.parametrize("chance", ["server", "manual"])
def test_a_whole_match_ends_with_one_seat_that_has_dice(live: Live, chance: str) -> None:
    match = live.started("liars-dice", NAMES, chance=chance, options={"dice": 2})
    last = play_out(match)
    result = last["result"]
    assert last["view"]["phase"] == "over" and len(result["winners"]) == 1
    assert result["scores"] == last["view"]["dice_left"]
    rolled = {
        name: [e["data"]["seat"] for e in all_events(player) if e["type"].endswith("rolled.1")]
        for name, player in match.audiences().items()
        if name != "moderator"
    }
    assert rolled["public"] == []
    assert all(set(rolled[f"seat:{seat}"]) == {seat} for seat in range(3))


def test_when_time_is_up_a_bid_is_made_for_the_seat(live: Live) -> None:
    """A moderator ends the turn, as its deadline would."""
    options = {"dice": 1, "turn_seconds": 1_000}
    match = live.started("liars-dice", ("Ann", "Ben"), clock="rules", options=options)
    for count, face in [(1, 1), (1, 2), (1, 3)]:
        assert match.moderator.close_phase().status_code == 201
        placed = match.anyone.view().json()["view"]["bid"]
        assert (placed["count"], placed["face"]) == (count, face)
