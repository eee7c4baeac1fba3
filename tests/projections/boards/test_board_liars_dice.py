"""What each audience sees of Liar's Dice: the fields of the rules page, and nothing else."""

from typing import Any

import msgspec

from domain.events import Event
from domain.games.liars_dice import Challenge, Exact
from domain.match.events import AwaitingChanged, DrawShown, MatchEnded
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.boards.liars_dice import BOARDS
from tests.support.tables.game_table import Table
from tests.support.tables.liars_dice_tables import bid, left_with, new, roll, rolled

VIEWERS: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, 1, MODERATOR)


def shown(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The view on the wire, folded from the events of the table and of the match around it."""
    board = BOARDS.initial(table.options, len(table.state.hands), viewer)
    happened: list[Event] = [*table.events]
    awaits = table.awaits
    happened.append(AwaitingChanged(awaits.seats, DrawShown() if awaits.draw else None))
    if table.result is not None:
        happened.append(MatchEnded(table.result))
    for event in happened:
        if may_see(viewer, event):
            board = BOARDS.evolve(board, event, viewer, 0)
    view: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(board))
    return view


def test_before_anything_was_rolled() -> None:
    view = shown(new(3), PUBLIC_VIEWER)
    assert view == {
        "round": 1,
        "phase": "roll",
        "to_act": None,
        "dice_left": [5, 5, 5],
        "bid": None,
        "bids": [],
        "last_round": None,
    }
    assert shown(new(3), 0)["dice"] == [] and shown(new(3), MODERATOR)["hands"] == [[], [], []]


def test_a_seat_sees_its_own_dice_sorted_and_nobody_elses() -> None:
    table = rolled((6, 1, 3), (4, 2, 2))
    assert shown(table, 0)["dice"] == [1, 3, 6]
    assert shown(table, 1)["dice"] == [2, 2, 4]
    assert shown(table, MODERATOR)["hands"] == [[1, 3, 6], [2, 2, 4]]


def test_while_others_still_roll_a_seat_sees_what_it_has_rolled() -> None:
    table = roll(new(2, dice=2), (5, 3))
    assert (shown(table, 0)["dice"], shown(table, 1)["dice"]) == ([3, 5], [])
    assert shown(table, MODERATOR)["hands"] == [[3, 5], []]
    for viewer in VIEWERS:
        assert (shown(table, viewer)["phase"], shown(table, viewer)["to_act"]) == ("roll", None)


def test_bids_are_seen_by_all() -> None:
    table = rolled((6, 1), (4, 2), first_player=1)
    for viewer in VIEWERS:
        view = shown(table, viewer)
        assert (view["phase"], view["to_act"], view["bid"]) == ("bidding", 1, None)
    bid(table, (1, 5), (2, 1))
    first, second = {"seat": 1, "count": 1, "face": 5}, {"seat": 0, "count": 2, "face": 1}
    for viewer in VIEWERS:
        view = shown(table, viewer)
        assert (view["bid"], view["bids"], view["to_act"]) == (second, [first, second], 1)


def test_a_challenge_shows_all_dice_of_the_round() -> None:
    table = bid(rolled((6, 1), (4, 2)), (1, 4)).act(1, Challenge())
    for viewer in VIEWERS:
        view = shown(table, viewer)
        assert view["last_round"] == {
            "dice": [[1, 6], [2, 4]],
            "bid": {"seat": 0, "count": 1, "face": 4},
            "call": "challenge",
            "by": 1,
            "matching": 2,
            "lost": 1,
            "gained": None,
        }
        assert (view["round"], view["phase"], view["to_act"]) == (2, "roll", None)
        assert (view["dice_left"], view["bid"], view["bids"]) == ([2, 1], None, [])
    assert shown(table, 0)["dice"] == [] and shown(table, MODERATOR)["hands"] == [[], []]


def test_an_exact_call_says_who_gained() -> None:
    table = left_with((2, 1), dice=3, exact_call=True)
    bid(roll(table, (5, 3), (5,)), (2, 5)).act(1, Exact())
    last = shown(table, PUBLIC_VIEWER)["last_round"]
    assert (last["call"], last["lost"], last["gained"]) == ("exact", None, 1)
    assert shown(table, PUBLIC_VIEWER)["dice_left"] == [2, 2]


def test_a_new_round_has_new_dice_and_the_last_one_stays_to_be_seen() -> None:
    table = bid(rolled((6, 1), (4, 2)), (1, 4)).act(1, Challenge())
    roll(table, (3, 3), (2,))
    assert shown(table, 0)["dice"] == [3, 3]
    assert shown(table, 1)["dice"] == [2]
    assert shown(table, PUBLIC_VIEWER)["last_round"]["dice"] == [[1, 6], [2, 4]]


def test_a_seat_that_is_out_has_no_dice() -> None:
    table = left_with((1, 2, 2), dice=2)
    bid(roll(table, (2,), (3, 3), (4, 4)), (5, 6)).act(1, Challenge())
    roll(table, (3, 3), (4, 4))
    assert shown(table, 0)["dice"] == []
    assert shown(table, MODERATOR)["hands"] == [[], [3, 3], [4, 4]]
    assert shown(table, PUBLIC_VIEWER)["dice_left"] == [0, 2, 2]


def test_at_the_end() -> None:
    table = left_with((1, 1), dice=4)
    bid(roll(table, (3,), (3,)), (2, 4)).act(1, Challenge())
    for viewer in VIEWERS:
        view = shown(table, viewer)
        assert (view["phase"], view["to_act"], view["round"]) == ("over", None, 2)
        assert view["dice_left"] == [0, 1]
        assert view["last_round"]["dice"] == [[3], [3]]
