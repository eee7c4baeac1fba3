"""A board with a fault in it."""

from dataclasses import replace
from typing import Any

import pytest

from domain.events import Event
from domain.games.dollar_prize.events import SideChosen
from projections.audience.board import Boards
from projections.audience.disclosure import Viewer
from projections.boards import BOARDS


def with_fault(boards: Boards[Any], at: type, of: Viewer) -> Boards[Any]:
    """The same boards, with a bug in one audience's board at events of one type."""

    def evolve(board: Any, event: Event, viewer: Viewer, when: int) -> Any:
        if isinstance(event, at) and viewer == of:
            raise ZeroDivisionError
        return boards.evolve(board, event, viewer, when)

    return replace(boards, evolve=evolve)


def break_board(faulty: pytest.MonkeyPatch, of: Viewer) -> None:
    """From now on the board of `of` fails when a side is chosen."""
    boards = with_fault(BOARDS["dollar-prize"], SideChosen, of)
    faulty.setitem(BOARDS, "dollar-prize", boards)
