"""The table of Liar's Dice as one audience sees it."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.games.liars_dice import BidPlaced, Dice, DiceRolled, Options, Placed, RoundEnded, Shown
from domain.match.events import AwaitingChanged, MatchEnded
from domain.match.seats import set_seat
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, Viewer


class Board(Struct, frozen=True):
    """What everyone sees; a seat also sees its own `dice`, sorted, and a moderator all `hands`.
    Once dice have been shown they are in `last_round` only."""

    round: int
    phase: Literal["roll", "bidding", "over"]
    to_act: int | None
    dice_left: tuple[int, ...]
    bid: Placed | None = None
    bids: tuple[Placed, ...] = ()
    last_round: Shown | None = None
    dice: Dice | UnsetType = UNSET
    hands: tuple[Dice, ...] | UnsetType = UNSET


def initial(options: Options, seats: int, viewer: Viewer) -> Board:
    return _unrolled(Board(1, "roll", None, (options.dice,) * seats), viewer)


def _unrolled(board: Board, viewer: Viewer) -> Board:
    dice: Dice | UnsetType = () if isinstance(viewer, int) else UNSET
    return replace(
        board, dice=dice, hands=((),) * len(board.dice_left) if viewer == MODERATOR else UNSET
    )


def evolve(board: Board, event: Event, viewer: Viewer, at: int) -> Board:
    match event:
        case DiceRolled(seat, dice) if board.hands is not UNSET:
            return replace(board, hands=set_seat(board.hands, seat, dice))
        case DiceRolled(_, dice):
            return replace(board, dice=dice)
        case BidPlaced(bid):
            return replace(board, bid=bid, bids=(*board.bids, bid))
        case RoundEnded(showdown, dice_left, starter):
            round_ = board.round if starter is None else board.round + 1
            return _unrolled(Board(round_, "roll", None, dice_left, last_round=showdown), viewer)
        case AwaitingChanged(seats):
            to_act = seats[0] if seats else None
            return replace(board, phase="bidding" if seats else "roll", to_act=to_act)
        case MatchEnded():
            return replace(board, phase="over")
    return board


BOARDS = Boards(view=Board, initial=initial, evolve=evolve)
