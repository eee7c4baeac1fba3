"""12 Chips as a picture: the centre, and what lies in front of each seat and is in its hand."""

from domain.games.twelve_chips.chips import HAND, Chips, colour
from projections.boards.twelve_chips import Backs, Board
from projections.svg_shapes import LINE, PAPER, WIDTH, at, circle, mark, number, svg

COLOURS = {"red": "#b3341c", "blue": "#1d5fa8"}
TABLE = '<ellipse cx="160" cy="38" rx="104" ry="31" fill="#cfe0da"/>'
GOLD, GOLD_EDGE = "#f3e1a6", "#94760f"
MOST_TOKENS = 6


def picture(board: Board) -> str:
    count = len(board.centre)
    centre = (
        _chip(160 + 42 * (place - (count - 1) / 2), 38, in_centre.chip, 17)
        for place, in_centre in enumerate(board.centre)
    )
    return svg(TABLE, *centre, *(_seat(board, seat) for seat in range(len(board.tokens))))


def _chip(x: float, y: float, chip: int, radius: float) -> str:
    face = circle(x, y, radius, COLOURS[colour(chip)], PAPER)
    return face + number(x, y, chip, radius * 0.8, PAPER)


def _seat(board: Board, seat: int) -> str:
    """Its tokens beside its mark, the chips before it, and below them the backs of its hand."""
    seats = len(board.tokens)
    backs = board.hand_colours[seat] if board.hand_colours else (None,) * board.hand_sizes[seat]
    shapes = [mark(seat, -30, 0, acts=board.to_act == seat)]
    shapes += [
        circle(-10 + 9 * token, 0, 4, GOLD, GOLD_EDGE)
        for token in range(min(board.tokens[seat], MOST_TOKENS))
    ]
    shapes += [_place(20 * n - 30, n, board.fronts[seat], backs) for n in range(HAND)]
    return at(WIDTH / seats * (seat + 0.5), 91, {2: 1.25, 3: 1.15}.get(seats, 0.95), *shapes)


def _place(x: float, place: int, front: Chips, backs: Backs | tuple[None, ...]) -> str:
    """One place for a chip in front, and one of the hand."""
    shapes = circle(x, 28, 8.5, "none", LINE)
    if place < len(front):
        shapes += _chip(x, 28, front[place], 9)
    if place < len(backs):
        back = backs[place]
        shapes += circle(x, 50, 9, COLOURS[back] if back else LINE, PAPER)
        shapes += circle(x, 50, 5, "none", PAPER)
    return shapes


PICTURE = picture
