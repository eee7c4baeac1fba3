"""The view of Dollar Prize: everything is public, so it is the same for every audience."""

from msgspec import Struct
from msgspec.structs import replace

from domain.draws import Face
from domain.game import Result
from domain.games.dollar_prize.coins import (
    EMPTY,
    ONE,
    RECIPES,
    Flips,
    Line,
    Row,
    counted,
    laid_out,
    minus,
    plus,
    total,
)
from domain.games.dollar_prize.events import (
    CoinExchanged,
    CoinPlaced,
    CoinsConverted,
    CoinsFlipped,
    CoinStolen,
    PenniesDealt,
    Phase,
    PrizeTaken,
    SideChosen,
    StealBegan,
    TurnBegan,
)
from domain.games.dollar_prize.options import Options
from domain.match_events import MatchEnded
from projections.board import Boards, on_events
from projections.disclosure import Viewer


class Board(Struct, frozen=True):
    """What everybody sees.

    `round` is 0 before the first; `lines` are each seat's coins from the prize outwards, `totals`
    their cents. `converted` and `placed` are about the current turn; in other phases they are
    false. `last_flips` is the latest draw of the match, the setup's included.
    """

    round: int
    phase: Phase
    to_act: int | None
    sides: tuple[Face | None, Face | None]
    lines: tuple[Row, Row]
    totals: tuple[int, int]
    converted: bool
    placed: bool
    last_flips: Flips
    result: Result | None


def initial(options: Options, _seats: int, _viewer: Viewer) -> Board:
    return Board(
        round=0,
        phase="choose_side",
        to_act=options.first_player,
        sides=(None, None),
        lines=((), ()),
        totals=(0, 0),
        converted=False,
        placed=False,
        last_flips=(),
        result=None,
    )


def _changed(board: Board, seat: int, change: Line) -> Board:
    """The board after one line gained and lost coins."""
    line = plus(counted(board.lines[seat]), change)
    coins, cents = laid_out(line), total(line)
    if seat == 0:
        return replace(board, lines=(coins, board.lines[1]), totals=(cents, board.totals[1]))
    return replace(board, lines=(board.lines[0], coins), totals=(board.totals[0], cents))


def _side_chosen(board: Board, event: SideChosen) -> Board:
    other: Face = "tails" if event.side == "heads" else "heads"
    sides = (event.side, other) if event.seat == 0 else (other, event.side)
    return replace(board, phase="setup", to_act=None, sides=sides)


def _pennies_dealt(board: Board, event: PenniesDealt) -> Board:
    first, second = event.pennies
    dealt = _changed(_changed(board, 0, (first, 0, 0, 0)), 1, (second, 0, 0, 0))
    return replace(dealt, last_flips=event.flips)


def _turn_began(board: Board, event: TurnBegan) -> Board:
    return replace(
        board, round=event.round, phase="turn", to_act=event.seat, converted=False, placed=False
    )


def _coin_placed(board: Board, event: CoinPlaced) -> Board:
    return replace(_changed(board, event.seat, ONE[event.coin]), placed=True)


def _coins_converted(board: Board, event: CoinsConverted) -> Board:
    return replace(_changed(board, event.seat, RECIPES[event.recipe]), converted=True)


def _steal_began(board: Board, _event: StealBegan) -> Board:
    return replace(board, phase="steal", to_act=None, converted=False, placed=False)


def _coins_flipped(board: Board, event: CoinsFlipped) -> Board:
    return replace(board, last_flips=event.flips)


def _coin_stolen(board: Board, event: CoinStolen) -> Board:
    """For a penny its receiver has no decision to make."""
    coin = ONE[event.coin]
    given = _changed(board, event.giver, minus(EMPTY, coin))
    moved = _changed(given, event.receiver, coin)
    if event.coin == "penny":
        return moved
    return replace(moved, phase="exchange", to_act=event.receiver)


def _coin_exchanged(board: Board, event: CoinExchanged) -> Board:
    return _changed(board, event.seat, minus(counted(event.coins), ONE[event.coin]))


def _prize_taken(board: Board, _event: PrizeTaken) -> Board:
    return replace(board, phase="over", to_act=None)


def _match_ended(board: Board, event: MatchEnded) -> Board:
    ended = replace(board, phase="over", to_act=None, converted=False, placed=False)
    return replace(ended, result=event.result)


BOARDS = Boards(
    State=Board,
    initial=initial,
    evolve=on_events(
        _side_chosen,
        _pennies_dealt,
        _turn_began,
        _coin_placed,
        _coins_converted,
        _steal_began,
        _coins_flipped,
        _coin_stolen,
        _coin_exchanged,
        _prize_taken,
        _match_ended,
    ),
)
