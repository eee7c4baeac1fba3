"""Dollar Prize: what each action, flip and deadline leads to."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from domain.chance.draws import Draw, Flip, Outcome, faces
from domain.events import PUBLIC
from domain.game import OVER, USUAL_CODES, Awaits, Game, Refused
from domain.games.dollar_prize.actions import (
    Action,
    ChooseSide,
    Convert,
    EndTurn,
    Exchange,
    Keep,
    Place,
)
from domain.games.dollar_prize.coins import (
    COINS,
    EXCHANGES,
    VALUE,
    Coin,
    DownConversion,
    Flips,
    Line,
    line_of,
    possible_recipes,
    total,
    up_to_highest,
)
from domain.games.dollar_prize.events import (
    CoinExchanged,
    CoinKept,
    CoinPlaced,
    CoinsConverted,
    CoinsFlipped,
    CoinStolen,
    Event,
    PenniesDealt,
    Phase,
    PrizeTaken,
    SideChosen,
    StealBegan,
    TurnBegan,
)
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.state import State, evolve, result
from domain.match.deadlines import Deadline, after
from domain.menu import NOTHING, ListOf, Menu, Offer, OneOf
from domain.registry import text_beside

SETUP = Draw("setup", (Flip("penny"),) * 5, PUBLIC)
FIRST_STEAL = 5
"""Cents that one side needs before coins are flipped for a steal (rule 3.1)."""
DOLLAR = 100

CODES = USUAL_CODES | {
    "options_not_allowed": "The game cannot be played with these options or this many seats.",
    "not_your_turn": "It is the other seat's turn to act.",
    "already_placed": "A coin has been placed this turn.",
    "not_placed": "A turn cannot end before a coin is placed.",
    "coin_too_high": "The coin is worth more than the highest one on your side.",
    "already_converted": "There has been a conversion this turn.",
    "coins_missing": "Your side does not hold the coins of this recipe.",
    "not_lower": "A stolen coin is exchanged for lower coins only.",
    "wrong_value": "The coins are not worth as much as the stolen one.",
    "not_listed": "With listed exchanges, these are not the coins listed for the stolen one.",
}


def initial(options: Options, _seats: int) -> State:
    return State(options, options.first_player)


# What the game waits for.


def awaits(state: State) -> Awaits:
    if state.phase == "over":
        return OVER
    if state.phase == "setup":
        return Awaits(draw=SETUP)
    if state.phase == "steal":
        coins = reversed(up_to_highest(*state.lines))
        draw = Draw(f"r{state.round}/steal/{state.steal}", tuple(map(Flip, coins)), PUBLIC)
        return Awaits(draw=draw)
    return Awaits((state.seat,), deadline=after(_phase_id(state), state.options.turn_seconds))


def _phase_id(state: State) -> str:
    """One for each turn as a whole, and one for each decision outside a turn."""
    if state.phase == "choose_side":
        return "setup/side"
    if state.phase == "turn":
        return f"r{state.round}/turn/{state.seat}"
    return f"r{state.round}/steal/{state.steal}/exchange"


# What a seat may do.


def _exchange_offer(rule: DownConversion, coin_to_match: Coin) -> Offer:
    """Coins in any number and order, together worth the stolen one: not exact."""
    ways = EXCHANGES[rule][coin_to_match]
    kinds = tuple(coin for coin in COINS if any(coin in way for way in ways))
    coins = ListOf(OneOf(kinds), min(map(len, ways)), max(map(len, ways)))
    examples = tuple({"type": "exchange", "coins": way} for way in ways)
    return Offer("exchange", {"coins": coins}, exact=False, examples=examples)


_SIDES = (Offer("choose_side", {"side": OneOf(("heads", "tails"))}),)
_END_TURN = Offer("end_turn")
_RECEIVED: dict[tuple[DownConversion, Coin], Menu] = {
    (rule, stolen): (Offer("keep"), _exchange_offer(rule, stolen))
    for rule in EXCHANGES
    for stolen in COINS[1:]
}


def legal(state: State, seat: int) -> Menu:
    if seat != state.seat:
        return NOTHING
    if state.phase == "turn":
        return _turn_menu(state)
    if state.phase == "choose_side":
        return _SIDES
    if state.phase == "exchange":
        return _RECEIVED[state.options.down_conversion, state.stolen]
    return NOTHING


def _turn_menu(state: State) -> Menu:
    line = state.lines[state.seat]
    step = _END_TURN if state.placed else Offer("place", {"coin": OneOf(up_to_highest(line))})
    recipes = () if state.converted else possible_recipes(line)
    return (step, Offer("convert", {"recipe": OneOf(recipes)})) if recipes else (step,)


# What follows from an action.


def decide(state: State, seat: int, action: Action) -> Sequence[Event]:
    """Raises Refused if the rules do not allow the action."""
    if state.phase == "over":
        raise Refused("game_over")
    phase, answer = _ANSWERS[type(action)]
    if state.phase != phase:
        raise Refused("wrong_phase")
    if seat != state.seat:
        raise Refused("not_your_turn")
    return answer(state, action)


def _choose_side(state: State, action: ChooseSide) -> Sequence[Event]:
    return [SideChosen(state.seat, action.side)]


def _place(state: State, action: Place) -> Sequence[Event]:
    if state.placed:
        raise Refused("already_placed")
    if action.coin not in up_to_highest(state.lines[state.seat]):
        raise Refused("coin_too_high")
    placed = CoinPlaced(state.seat, action.coin)
    after = evolve(state, placed)
    if state.converted or not possible_recipes(after.lines[state.seat]):
        return [placed, *_after_turn(after)]
    return [placed]


def _convert(state: State, action: Convert) -> Sequence[Event]:
    if state.converted:
        raise Refused("already_converted")
    if action.recipe not in possible_recipes(state.lines[state.seat]):
        raise Refused("coins_missing")
    converted = CoinsConverted(state.seat, action.recipe)
    if state.placed:
        return [converted, *_after_turn(evolve(state, converted))]
    return [converted]


def _end_turn(state: State, _action: EndTurn) -> Sequence[Event]:
    if not state.placed:
        raise Refused("not_placed")
    return _after_turn(state)


def _keep(state: State, _action: Keep) -> Sequence[Event]:
    return [CoinKept(state.seat, state.stolen), *_after_steal(state)]


def _exchange(state: State, action: Exchange) -> Sequence[Event]:
    stolen = state.stolen
    if any(VALUE[coin] >= VALUE[stolen] for coin in action.coins):
        raise Refused("not_lower")
    if total(line_of(action.coins)) != VALUE[stolen]:
        raise Refused("wrong_value")
    coins = tuple(sorted(action.coins, key=COINS.index))
    if coins not in EXCHANGES[state.options.down_conversion][stolen]:
        raise Refused("not_listed")
    return [CoinExchanged(state.seat, stolen, coins), *_after_steal(state)]


_ANSWERS: dict[type[Action], tuple[Phase, Callable[[State, Any], Sequence[Event]]]] = {
    ChooseSide: ("choose_side", _choose_side),
    Place: ("turn", _place),
    Convert: ("turn", _convert),
    EndTurn: ("turn", _end_turn),
    Keep: ("exchange", _keep),
    Exchange: ("exchange", _exchange),
}


# How the game goes on.


def _after_turn(state: State) -> Sequence[Event]:
    """The other seat's turn; after both turns, the steal that ends the round."""
    first = state.options.first_player
    if state.seat == first:
        return [TurnBegan(state.round, 1 - first)]
    if max(map(total, state.lines)) < FIRST_STEAL:
        return [TurnBegan(state.round + 1, first)]
    return [StealBegan(state.round, 1)]


def _after_steal(state: State) -> Sequence[Event]:
    """Another round, another steal to break a tie, or the prize (rule 3.5).

    The stolen coin may still be exchanged: that changes no total.
    """
    mine, other = map(total, state.lines)
    if max(mine, other) < DOLLAR:
        return [TurnBegan(state.round + 1, state.options.first_player)]
    if mine != other:
        return [PrizeTaken((0,) if mine > other else (1,))]
    if state.steal <= state.options.tie_reflips:
        return [StealBegan(state.round, state.steal + 1)]
    return [PrizeTaken((0, 1))]


def settle(state: State, draw: Draw, outcome: Outcome) -> Sequence[Event]:
    coins = [cast(Coin, part.label) for part in draw.parts if isinstance(part, Flip)]
    flips = tuple(zip(coins, faces(outcome), strict=True))
    return _deal(state, flips) if state.phase == "setup" else _steal(state, flips)


def _deal(state: State, flips: Flips) -> Sequence[Event]:
    """Rule 1.2: heads to the heads player, tails to the other; and round 1 begins."""
    heads = [face for _, face in flips].count("heads")
    tails = len(flips) - heads
    pennies = (heads, tails) if state.heads == 0 else (tails, heads)
    return [PenniesDealt(flips, pennies), TurnBegan(1, state.options.first_player)]


def _steal(state: State, flips: Flips) -> Sequence[Event]:
    """Rules 3.2 to 3.4: a coin may move, and its receiver may have to be asked."""
    flipped = CoinsFlipped(flips)
    stolen = _find_steal(state.lines, flips)
    if stolen is None:
        return [flipped, *_after_steal(state)]
    after = evolve(state, stolen)
    if after.phase == "exchange":
        return [flipped, stolen]
    return [flipped, stolen, *_after_steal(after)]


def _find_steal(lines: tuple[Line, Line], flips: Flips) -> CoinStolen | None:
    """Rule 3.3: the first heads from the highest down decides, even if it then moves nothing."""
    coin = next((coin for coin, face in flips if face == "heads"), None)
    if coin is None:
        return None
    rank = COINS.index(coin)
    first, second = lines[0][rank], lines[1][rank]
    if first == second:
        return None
    giver = 0 if first > second else 1
    return CoinStolen(giver, 1 - giver, coin)


def expire(state: State, deadline: Deadline) -> Sequence[Event]:
    """Heads, a penny and the end of the turn, or keeping the coin."""
    if state.phase == "choose_side":
        return _choose_side(state, ChooseSide("heads"))
    if state.phase == "exchange":
        return _keep(state, Keep())
    if state.placed:
        return _after_turn(state)
    placed = CoinPlaced(state.seat, "penny")
    return [placed, *_after_turn(evolve(state, placed))]


GAME = Game(
    id="dollar-prize",
    title="Dollar Prize",
    rules_version=1,
    text=text_beside(__name__, "rules.md"),
    seats=range(2, 3),
    Options=Options,
    Action=Action,
    Event=Event,
    codes=CODES,
    initial=initial,
    awaits=awaits,
    legal=legal,
    decide=decide,
    settle=settle,
    expire=expire,
    evolve=evolve,
    result=result,
    hides_draws=False,
    public_result=True,
)
