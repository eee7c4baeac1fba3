"""# Liar's Dice

For two to six players. All players roll in secret and bid on all the dice together, each bid higher
than the last, until someone does not believe it. The last player with dice wins.

## A round

1. **Rolling.** All players roll the dice that they have left, five each at the start. Each looks at
   their own dice alone.
2. **Who begins.** `first_player` begins the first round. The player who lost a die begins the next
   one; if that was the last die, the next player upwards with dice does. After an exact call that
   was right the caller begins. Turns go upwards through the players with dice.
3. **Bidding.** A bid says how many of all dice, at least, show a face: four threes. It must be
   higher than the bid before: more dice, or as many of a higher face. Ones are the lowest face. No
   bid is for more dice than there are.
4. **Challenging.** Instead of bidding, a player may challenge the last bid. All dice are shown.
   Dice of the face match it. **Ones are wild**: they match every other face, too. If at least as
   many match as were bid, the challenger loses a die; if fewer do, the bidder does.
5. **Calling exact.** If the option allows it, a player may say instead that the last bid is exactly
   right. If it is, the caller gains a die, but never has more than at the start. If it is not, the
   caller loses one.

## The end

6. A player without dice is out. The last player with dice wins, all others lose. The score is how
   many dice are left.
7. With a clock, the time for a turn may run out. Then the lowest bid that is higher is made for the
   player. Where no bid is higher, it is a challenge.

## What you see

Your dice are yours alone until they are shown. Everyone sees all bids, how many dice each player
has left, and after a challenge or an exact call all dice of that round.

## Options

- `dice`: how many each player has at the start, 1 to 6; 5 unless said otherwise.
- `wild_ones`: whether ones match every face that is bid; they do unless said otherwise.
- `exact_call`: whether rule 5 holds; it does not unless said otherwise.
- `first_player`: the seat that begins the first round; 0 unless said otherwise.
- `turn_seconds`: with a clock, how long a player may think, 5 to 31,622,400 seconds; no limit
  unless said otherwise.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, cast

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.chance.draws import Draw, Outcome, Roll, numbers
from domain.events import Event as BaseEvent
from domain.events import PublicEvent, SeatEvent
from domain.game import OVER, USUAL_CODES, Awaits, Game, Refused, Result, Whole, highest_wins
from domain.limits import between, taken_seat
from domain.match.deadlines import Deadline, after
from domain.match.seats import set_seat
from domain.menu import NOTHING, Between, Menu, Offer, OneOf

Face = Literal[1, 2, 3, 4, 5, 6]
Call = Literal["challenge", "exact"]
Dice = tuple[int, ...]


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The house rules, shown to all."""

    dice: Annotated[int, between(1, 6, "Dice each at the start.")] = 5
    wild_ones: Annotated[bool, Meta(description="Ones match every face that is bid.")] = True
    exact_call: Annotated[bool, Meta(description="A bid may be called exactly right.")] = False
    first_player: Annotated[int, taken_seat(6, "Who begins the first round.")] = 0
    turn_seconds: Annotated[int, between(5, 31_622_400, "Seconds for a turn.")] | None = None


# What a seat can do.


class Bid(Struct, frozen=True, tag="bid", forbid_unknown_fields=True):
    """Rule 3: at least `count` of all dice show `face`."""

    count: Annotated[Whole, Meta(description="At least so many of all dice.")]
    face: Annotated[Face, Meta(description="What they show.")]


class Challenge(Struct, frozen=True, tag="challenge", forbid_unknown_fields=True):
    """Rule 4: fewer dice match the last bid."""


class Exact(Struct, frozen=True, tag="exact", forbid_unknown_fields=True):
    """Rule 5: exactly as many dice match the last bid."""


Action = Bid | Challenge | Exact


# What happens. The tags are the storage format.


class Placed(Struct, frozen=True):
    """A bid, and the seat that made it."""

    seat: int
    count: int
    face: int


class Shown(Struct, frozen=True):
    """All dice of a round, sorted seat by seat, when the seat `by` called the last bid.

    `matching` of them matched; the seats `lost` and `gained`, if any, have one die less and one
    more.
    """

    dice: tuple[Dice, ...]
    bid: Placed
    call: Call
    by: int
    matching: int
    lost: int | None
    gained: int | None


class DiceRolled(SeatEvent, frozen=True, tag="liars-dice.dice-rolled.1"):
    """The seat rolled these dice, sorted."""

    dice: Dice


class BidPlaced(PublicEvent, frozen=True, tag="liars-dice.bid-placed.1"):
    """A higher bid was made."""

    bid: Placed


class RoundEnded(PublicEvent, frozen=True, tag="liars-dice.round-ended.1"):
    """The last bid was called. `dice_left` is what each seat has afterwards; `starter` begins the
    next round, if there is one."""

    shown: Shown
    dice_left: tuple[int, ...]
    starter: int | None

    def discloses(self) -> Mapping[type[BaseEvent], tuple[str, ...]]:
        return {DiceRolled: ("dice",)}


Event = DiceRolled | BidPlaced | RoundEnded


# What follows from it.


class State(Struct, frozen=True):
    """The table with all dice open. `to_act` has the turn once all have rolled; None at the end."""

    options: Options
    dice_left: tuple[int, ...]
    hands: tuple[Dice, ...]
    to_act: int | None
    round: int = 1
    bids: tuple[Placed, ...] = ()


def initial(options: Options, seats: int) -> State:
    return State(options, (options.dice,) * seats, ((),) * seats, options.first_player)


def awaits(state: State) -> Awaits:
    """Rule 1: a roll of each seat with dice, in seat order; then the seat whose turn it is."""
    if state.to_act is None:
        return OVER
    for seat in _to_roll(state):
        dice = tuple(Roll(6, f"die {number}") for number in range(1, state.dice_left[seat] + 1))
        return Awaits(draw=Draw(f"round{state.round}/roll/{seat}", dice))
    turn = f"round{state.round}/turn{len(state.bids) + 1}"
    return Awaits((state.to_act,), deadline=after(turn, state.options.turn_seconds))


def _to_roll(state: State) -> list[int]:
    """The seats that have dice and have not rolled them yet."""
    return [seat for seat, dice in enumerate(state.dice_left) if dice and not state.hands[seat]]


def _last(state: State) -> tuple[int, int]:
    """The count and face of the last bid; before the first bid, one that every bid exceeds."""
    return (state.bids[-1].count, state.bids[-1].face) if state.bids else (0, 6)


def _with_dice(dice_left: Sequence[int], seat: int) -> int:
    """The seat itself, or the next one upwards that has dice."""
    around = (other % len(dice_left) for other in range(seat, seat + len(dice_left)))
    return next(other for other in around if dice_left[other])


def legal(state: State, seat: int) -> Menu:
    """More dice of any face, as many of a higher one, or a call of the last bid."""
    if seat not in awaits(state).seats:
        return NOTHING
    (count, face), most, has_bid = _last(state), sum(state.dice_left), bool(state.bids)
    offers = (
        (count < most, Offer("bid", {"count": Between(count + 1, most), "face": Between(1, 6)})),
        (face < 6, Offer("bid", {"count": OneOf((count,)), "face": Between(face + 1, 6)})),
        (has_bid, Offer("challenge")),
        (has_bid and state.options.exact_call, Offer("exact")),
    )
    return tuple(offer for is_legal, offer in offers if is_legal)


CODES = USUAL_CODES | {
    "not_higher": "A bid is for more dice than the last one, or for as many of a higher face.",
    "too_many_dice": "There are fewer dice in play.",
    "no_bid_yet": "There is no bid yet in this round.",
    "exact_not_allowed": "In this match no bid can be called exactly right.",
}


def decide(state: State, seat: int, action: Action) -> Sequence[Event]:
    if state.to_act is None:
        raise Refused("game_over")
    if _to_roll(state):
        raise Refused("wrong_phase")
    if seat != state.to_act:
        raise Refused("not_your_turn")
    match action:
        case Bid(count) if count > sum(state.dice_left):
            raise Refused("too_many_dice")
        case Bid(count, face) if (count, face) <= _last(state):
            raise Refused("not_higher")
        case Bid(count, face):
            return (BidPlaced(Placed(seat, count, face)),)
        case Exact() if not state.options.exact_call:
            raise Refused("exact_not_allowed")
        case _ if not state.bids:
            raise Refused("no_bid_yet")
    return (_end_round(state, seat, "exact" if isinstance(action, Exact) else "challenge"),)


def _end_round(state: State, by: int, call: Call) -> RoundEnded:
    """Rules 4 to 6, and rule 2: the next starter is the loser, or the seat that called exactly
    right."""
    bid, options, dice = state.bids[-1], state.options, state.dice_left
    matches = {bid.face, 1} if options.wild_ones else {bid.face}
    matching = sum(die in matches for hand in state.hands for die in hand)
    loser: int | None = bid.seat if call == "challenge" and matching < bid.count else by
    gainer: int | None = None
    if call == "exact" and matching == bid.count:
        loser, gainer = None, (by if dice[by] < options.dice else None)
    dice = tuple(had + (seat == gainer) - (seat == loser) for seat, had in enumerate(dice))
    starter = _with_dice(dice, by if loser is None else loser)
    showdown = Shown(
        dice=state.hands, bid=bid, call=call, by=by, matching=matching, lost=loser, gained=gainer
    )
    return RoundEnded(showdown, dice, starter if sum(map(bool, dice)) > 1 else None)


def settle(state: State, draw: Draw, outcome: Outcome) -> Sequence[Event]:
    return (DiceRolled(_to_roll(state)[0], tuple(sorted(numbers(outcome)))),)


def expire(state: State, deadline: Deadline) -> Sequence[Event]:
    """Rule 7: the lowest higher bid, or else a challenge."""
    (seat,) = awaits(state).seats
    count, face = _last(state)
    lowest = Bid(count, cast(Face, face + 1)) if face < 6 else Bid(count + 1, 1)
    action = lowest if lowest.count <= sum(state.dice_left) else Challenge()
    return decide(state, seat, action)


def evolve(state: State, event: Event) -> State:
    match event:
        case DiceRolled(seat, dice):
            return replace(state, hands=set_seat(state.hands, seat, dice))
        case BidPlaced(bid):
            next_seat = _with_dice(state.dice_left, bid.seat + 1)
            return replace(state, bids=(*state.bids, bid), to_act=next_seat)
        case RoundEnded(_, dice_left, starter):
            return State(state.options, dice_left, ((),) * len(dice_left), starter, state.round + 1)


def result(state: State) -> Result | None:
    return highest_wins(state.dice_left) if state.to_act is None else None


GAME: Game[Options, State, Action, Event] = Game(
    id="liars-dice", title="Liar's Dice", rules_version=1, text=__doc__, seats=range(2, 7),
    Options=Options, Action=Action, Event=Event, codes=CODES, initial=initial, awaits=awaits,
    legal=legal, decide=decide, settle=settle, expire=expire, evolve=evolve, result=result,
    variants=({}, {"wild_ones": False, "exact_call": True}), public_result=True,
)  # fmt: skip
