"""What each audience sees of Liar's Dice: the fields of the rules page, and nothing else."""

from typing import Any

import msgspec

from domain.events import Event
from domain.games.liars_dice import Challenge
from domain.match.events import AwaitingChanged, DrawShown, MatchEnded
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.boards.liars_dice import BOARDS
from tests.support.tables.game_table import Table
from tests.support.tables.liars_dice_tables import bid, left_with, roll, rolled

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
