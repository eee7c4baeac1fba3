"""Dollar Prize as a picture: two lines of coins, and the prize between them."""

from typing import Literal

from domain.games.dollar_prize.coins import COINS, VALUE, Coin
from projections.boards.dollar_prize import Board
from projections.svg_shapes import INK, PAPER, SETTLED, box, circle, mark, number, svg

Seat = Literal[0, 1]

METALS: dict[Coin, tuple[int, str, str]] = {
    "penny": (12, "#f0c8a8", "#a0532a"),
    "nickel": (13, "#d9dbd9", "#73797d"),
    "dime": (14, "#eef1f4", "#7d8fa3"),
    "quarter": (16, "#f3e1a6", "#94760f"),
}
"""The radius, the face and the edge of each."""

PRIZE = (
    f'<path d="M146 38h28l12 15h-52zM134 55h52l-26 31z" fill="{SETTLED}"/>'
    '<path d="M134 54h52M148 55l12 31 12-31" fill="none" stroke="#fff"/>'
)

DOLLAR = 100
HIGHEST = 8
"""How many equal coins are drawn on one another."""


def picture(board: Board) -> str:
    return svg(_side(board, 0), PRIZE, _side(board, 1))


def _side(board: Board, seat: Seat) -> str:
    """A seat's coins from the prize outwards, equal ones stacked, and their worth."""
    out = 1 if seat else -1
    head = mark(seat, 160 + 140 * out, 22, acts=board.to_act == seat)
    total = number(160 + 92 * out, 22, board.totals[seat], 20)
    share = 132 * min(1, board.totals[seat] / DOLLAR)
    gauge = box(160 + 86 * out, 150, (132, 6), PAPER)
    if share:
        gauge += box(160 + (20 + share / 2) * out, 150, (share, 6), SETTLED)
    return head + total + gauge + _stacks(board, seat, out)


def _stacks(board: Board, seat: Seat, out: int) -> str:
    shapes, x = [], 160 + 20 * out
    for kind in COINS:
        count, (radius, face, edge) = board.lines[seat].count(kind), METALS[kind]
        if count:
            x += (radius + 2) * out
            height = min(count, HIGHEST)
            shapes += [circle(x, 122 - 5 * at, radius, face, edge) for at in range(height)]
            shapes.append(number(x, 122 - 5 * (height - 1), VALUE[kind], 10, INK))
            x += (radius + 2) * out
    return "".join(shapes)


PICTURE = picture
