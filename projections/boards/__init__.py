"""The board of every game, by its id."""

from typing import Any

from projections.board import Boards
from projections.boards.dollar_prize import BOARDS as DOLLAR_PRIZE
from projections.boards.grouping_bw import BOARDS as GROUPING_BW
from projections.boards.together import BOARDS as TOGETHER
from projections.boards.twelve_chips import BOARDS as TWELVE_CHIPS

BOARDS: dict[str, Boards[Any]] = {
    "dollar-prize": DOLLAR_PRIZE,
    "twelve-chips": TWELVE_CHIPS,
    "together": TOGETHER,
    "grouping-bw": GROUPING_BW,
}
