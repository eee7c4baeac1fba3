"""A picture of Liar's Dice: the bid, and the dice of each seat, under cups until they are shown."""

from domain.games.liars_dice import Placed
from projections.boards.liars_dice import Board
from projections.svg_shapes import LINE, PAPER, WIDTH, at, die, mark, number, svg

BUBBLE = (
    f'<path d="M92 14h136a10 10 0 0 1 10 10v38a10 10 0 0 1-10 10h-56l-12 12-12-12H92a10 10 0 0 1-10'
    f'-10V24a10 10 0 0 1 10-10z" fill="{PAPER}" stroke="{LINE}"/>'
)


def picture(board: Board) -> str:
    """Between two rounds the dice of the last one lie open."""
    last = board.last_round if board.bid is None else None
    bid = last.bid if last else board.bid
    seats = range(len(board.dice_left))
    places = (_seat(board, seat, last.dice[seat] if last else ()) for seat in seats)
    return svg(at(0, -30, 1, *places)) if bid is None else svg(_bid(bid), *places)


def _bid(bid: Placed) -> str:
    return (
        BUBBLE
        + mark(bid.seat, 106, 43)
        + number(148, 43, f"{bid.count}x", 20)
        + die(200, 43, bid.face, 38)
    )


def _seat(board: Board, seat: int, faces: tuple[int, ...]) -> str:
    """The seat, and its dice in rows of three."""
    seats = len(board.dice_left)
    dice_count = board.dice_left[seat]
    dice: list[int | None] = list(faces) or [None] * dice_count
    shapes = [mark(seat, 0, 0, acts=board.to_act == seat, is_out=not dice)]
    for start in range(0, len(dice), 3):
        row, y = dice[start : start + 3], 28 + 17 * (start // 3)
        first = -17 * (len(row) - 1) / 2
        shapes += [die(first + 17 * place, y, face, 14) for place, face in enumerate(row)]
    return at(WIDTH / seats * (seat + 0.5), 97, 1.25 if seats <= 4 else 1, *shapes)


PICTURE = picture
