"""The view of Dollar Prize, field by field through a game; it is the same for every audience."""

from typing import Any

import msgspec
import pytest

from domain.game import Result
from domain.games.dollar_prize.actions import Exchange, Keep
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import GAME
from domain.match.events import MatchEnded
from projections.audience.disclosure import Viewer, may_see
from projections.boards.dollar_prize import BOARDS
from tests.support.tables.dollar_prize_positions import at_steal
from tests.support.tables.game_table import Table

VIEWERS: list[Viewer] = [0, 1, "public", "moderator"]


def view(table: Table, viewer: Viewer = "public") -> dict[str, Any]:
    """What the viewer sees on the wire."""
    board = BOARDS.initial(table.options, 2, viewer)
    for event in table.events:
        if may_see(viewer, event):
            board = BOARDS.evolve(board, event, viewer, 0)
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(BOARDS.show(board)))
    return shown


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: after[name] for name in after if after[name] != before[name]}


@pytest.mark.parametrize("first", [0, 1])
def test_at_the_start_the_first_player_picks_a_side(first: int) -> None:
    assert view(Table(GAME, 2, Options(first_player=first))) == {
        "round": 0,
        "phase": "choose_side",
        "to_act": first,
        "sides": [None, None],
        "lines": [[], []],
        "totals": [0, 0],
        "converted": False,
        "placed": False,
        "last_flips": [],
        "result": None,
    }


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_audience_sees_the_same(viewer: Viewer) -> None:
    table = at_steal("ddqqqq", "qqqq").drawn("tails", "heads", "tails", "tails")
    assert view(table, viewer) == view(table)


def test_a_stolen_coin_is_kept_or_exchanged() -> None:
    table = at_steal("q", "p")
    seen = view(table)
    table.drawn("heads", "tails", "heads", "tails")
    assert changes(seen, seen := view(table)) == {
        "phase": "exchange",
        "to_act": 1,
        "lines": [[], ["penny", "quarter"]],
        "totals": [0, 26],
        "last_flips": [
            ["quarter", "heads"],
            ["dime", "tails"],
            ["nickel", "heads"],
            ["penny", "tails"],
        ],
    }
    turn = {"round": 4, "phase": "turn", "to_act": 0}
    kept = at_steal("q", "p").drawn("heads", "tails", "heads", "tails").act(1, Keep())
    assert changes(seen, view(kept)) == turn
    table.act(1, Exchange(("dime", "nickel", "dime")))
    lines = [[], ["penny", "nickel", "dime", "dime"]]
    assert changes(seen, view(table)) == {**turn, "lines": lines}


def test_a_match_that_ends_before_its_time_is_over() -> None:
    table = at_steal("qp", "p")
    table.events.append(MatchEnded(Result((1,), (0,), shared=False, scores=(26, 1))))
    seen = view(table)
    assert (seen["phase"], seen["to_act"], seen["result"]["winners"]) == ("over", None, [1])
