"""Together We Survive as a picture: who is on the stage, who was kicked out, and who collects."""

from domain.games.together.groups import Group, members
from projections.boards.together import Board
from projections.svg_shapes import GONE, PAPER, SEATS, SETTLED, circle, number, svg

LEFT, WIDE = 12, 296
STAGE = f'<path d="M8 76h304v10H8z" fill="{SETTLED}"/>'


def picture(board: Board) -> str:
    return svg(STAGE, _row(board, "A", 38), _row(board, "B", 122))


def _row(board: Board, group: Group, top: float) -> str:
    """The members of a group beside one another."""
    seats = members(board.groups, group)
    step = WIDE / max(1, len(seats))
    return "".join(
        _figure(board, seat, LEFT + step * (n + 0.5), top) for n, seat in enumerate(seats)
    )


def _figure(board: Board, seat: int, x: float, y: float) -> str:
    """A player with the number of the seat, grey if kicked out, and the votes of the last round."""
    colour = GONE if board.stage[seat] == "kicked_out" else SEATS[seat % len(SEATS)]
    votes = _votes(board, seat)
    above = "" if votes is None else number(x, y - 18, votes, 11)
    body = f'<path d="M{x - 14:g} {y + 38:g}v-14a14 14 0 0 1 28 0v14z" fill="{colour}"/>'
    return above + circle(x, y, 8, colour) + body + number(x, y + 25, seat + 1, 10, PAPER)


def _votes(board: Board, seat: int) -> int | None:
    if not board.votes:
        return None
    last = board.votes[-1]
    counts = last.a if board.groups[seat] == "A" else last.b
    return None if counts is None else counts[seat]


PICTURE = picture
