"""The boards of Grouping Black & White made from a table's events, audience by audience."""

from typing import Any

import msgspec
import pytest

from domain.events import Event
from projections.boards.grouping_bw import BOARDS, Board
from projections.disclosure import Viewer, may_see
from tests.support.tables.game_table import Table

PUBLIC_FIELDS = (
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
)
VIEWERS: tuple[Viewer, ...] = ("public", 0, 1, "moderator")
EVERY_VIEWER = pytest.mark.parametrize("viewer", VIEWERS)


def folded(table: Table, viewer: Viewer, events: list[Event] | None = None) -> Board:
    board = BOARDS.initial(table.options, 2, viewer)
    for event in table.events if events is None else events:
        if may_see(viewer, event):
            board = BOARDS.evolve(board, event, viewer, 0)
    return board


def wire(board: Board) -> dict[str, Any]:
    view = msgspec.json.decode(msgspec.json.encode(board))
    assert isinstance(view, dict)
    return view
