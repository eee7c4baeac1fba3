"""The state of a game of Dollar Prize, and how each event changes it."""

from msgspec import Struct
from msgspec.structs import replace

from domain.dispatch import by_kind
from domain.game import Result
from domain.games.dollar_prize.coins import (
    EMPTY,
    ONE,
    RECIPES,
    Coin,
    Line,
    line_of,
    minus,
    plus,
    total,
)
from domain.games.dollar_prize.events import (
    CoinExchanged,
    CoinPlaced,
    CoinsConverted,
    CoinStolen,
    PenniesDealt,
    Phase,
    PrizeTaken,
    SideChosen,
    StealBegan,
    TurnBegan,
)
from domain.games.dollar_prize.options import Options


class State(Struct, frozen=True):
    """The state of a game. `seat` is the one that acts, or acted last while coins are flipped;
    `heads` is the seat with that side; `steal` is the number of the round's latest steal; `stolen`
    is the coin that was stolen last, about which its receiver decides in the phase `exchange`."""

    options: Options
    seat: int
    phase: Phase = "choose_side"
    heads: int = 0
    round: int = 0
    lines: tuple[Line, Line] = (EMPTY, EMPTY)
    converted: bool = False
    placed: bool = False
    steal: int = 0
    stolen: Coin = "penny"
    winners: tuple[int, ...] = ()


def result(state: State) -> Result | None:
    """The scores are the totals in cents."""
    if state.phase != "over":
        return None
    losers = tuple(seat for seat in (0, 1) if seat not in state.winners)
    first, second = state.lines
    return Result(state.winners, losers, len(state.winners) > 1, (total(first), total(second)))


def _change_line(state: State, seat: int, change: Line) -> tuple[Line, Line]:
    first, second = state.lines
    return (plus(first, change), second) if seat == 0 else (first, plus(second, change))


def _side_chosen(state: State, event: SideChosen) -> State:
    heads = event.seat if event.side == "heads" else 1 - event.seat
    return replace(state, phase="setup", heads=heads)


def _pennies_dealt(state: State, event: PenniesDealt) -> State:
    first, second = event.pennies
    return replace(state, lines=((first, 0, 0, 0), (second, 0, 0, 0)))


def _turn_began(state: State, event: TurnBegan) -> State:
    return replace(
        state, phase="turn", round=event.round, seat=event.seat, converted=False, placed=False
    )


def _coin_placed(state: State, event: CoinPlaced) -> State:
    return replace(state, placed=True, lines=_change_line(state, event.seat, ONE[event.coin]))


def _coins_converted(state: State, event: CoinsConverted) -> State:
    lines = _change_line(state, event.seat, RECIPES[event.recipe])
    return replace(state, converted=True, lines=lines)


def _steal_began(state: State, event: StealBegan) -> State:
    return replace(state, phase="steal", steal=event.number)


def _coin_stolen(state: State, event: CoinStolen) -> State:
    """Rule 3.4: the receiver is asked, unless the coin is a penny."""
    coin = ONE[event.coin]
    without_coin = replace(state, lines=_change_line(state, event.giver, minus((0, 0, 0, 0), coin)))
    lines = _change_line(without_coin, event.receiver, coin)
    if event.coin == "penny":
        return replace(state, lines=lines)
    return replace(state, phase="exchange", seat=event.receiver, stolen=event.coin, lines=lines)


def _coin_exchanged(state: State, event: CoinExchanged) -> State:
    change = minus(line_of(event.coins), ONE[event.coin])
    return replace(state, lines=_change_line(state, event.seat, change))


def _prize_taken(state: State, event: PrizeTaken) -> State:
    return replace(state, phase="over", winners=event.seats)


evolve = by_kind(
    _side_chosen,
    _pennies_dealt,
    _turn_began,
    _coin_placed,
    _coins_converted,
    _steal_began,
    _coin_stolen,
    _coin_exchanged,
    _prize_taken,
)
