"""Grouping Black & White as a picture: the two tiles, face down, and the chips for which they
are."""

from typing import Literal

from domain.games.grouping_bw.grouping import Colour, colour
from projections.boards.grouping_bw import Board
from projections.svg_shapes import GONE, LINE, PAPER, SEATS, box, circle, mark, number, svg

TILES: dict[Colour, tuple[str, str]] = {"black": ("#1c2024", PAPER), "white": (PAPER, "#1c2024")}
"""The colour of a tile, and of the number on it."""

GOLD, GOLD_EDGE = "#f3e1a6", "#94760f"
HIGHEST = 12
"""How many chips of a bet are drawn."""
LATEST = 9
"""How many of the last rounds are marked."""

Seat = Literal[0, 1]


def picture(board: Board) -> str:
    pot = number(160, 34, board.pot, 22) if board.pot else ""
    return svg(pot, _side(board, 0), _side(board, 1), _rounds(board))


def _side(board: Board, seat: Seat) -> str:
    """A seat with its chips; its tile, and what it has bet."""
    out = 1 if seat else -1
    shapes = [mark(seat, 160 + 136 * out, 26, acts=board.to_act == seat)]
    shapes.append(number(160 + 92 * out, 26, board.stacks[seat], 20))
    shapes.append(_tile(board, seat, 160 + 104 * out))
    shapes += [
        circle(160 + (24 + 20 * (chip % 2)) * out, 112 - 8 * (chip // 2), 8, GOLD, GOLD_EDGE)
        for chip in range(min(board.bets[seat], HIGHEST))
    ]
    return "".join(shapes)


def _tile(board: Board, seat: Seat, x: float) -> str:
    """The tile of this round; between rounds the last one, with its number if it was shown."""
    if board.colours is not None:
        face, _ = TILES[board.colours[seat]]
        return box(x, 88, (46, 62), face, LINE)
    last = board.history[-1].numbers if board.history else None
    if last is None:
        return box(x, 88, (46, 62), "none", GONE)
    face, ink = TILES[colour(last[seat])]
    return box(x, 88, (46, 62), face, LINE) + number(x, 88, last[seat], 28, ink)


def _rounds(board: Board) -> str:
    """By how many chips seat 0 was ahead after each of the last rounds: a bar up or down."""
    latest = board.history[-LATEST:]
    bars = [f'<path d="M32 145h256" stroke="{GONE}"/>'] if latest else []
    for place, round_ in enumerate(latest):
        ahead = round_.stacks[0] - round_.stacks[1]
        height = max(2, min(18, abs(ahead) / 2))
        y = 145 - height / 2 if ahead >= 0 else 145 + height / 2
        winner: Seat = 0 if ahead >= 0 else 1
        bars.append(box(48 + 28 * place, y, (12, height), SEATS[winner]))
    return "".join(bars)


PICTURE = picture
