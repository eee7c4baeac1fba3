"""12 Chips: the seat closest to 21 with four chips wins a token; three tokens win."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.chance.draws import Draw, Outcome
from domain.dispatch import by_kind
from domain.game import OVER, USUAL_CODES, Awaits, Game, Refused, Result, highest_wins
from domain.games.twelve_chips.actions import Action, Enter, Play, Take
from domain.games.twelve_chips.chips import (
    HAND,
    Chips,
    by_colour,
    chips_for,
    colours,
    deal_draw,
    is_hand,
    miscounted,
    read_deal,
    remove_one,
    round_winners,
    takeable,
)
from domain.games.twelve_chips.events import (
    ChipPlayed,
    ChipsMiscounted,
    ChipsSetAside,
    ChipTaken,
    ChipWon,
    DealCompleted,
    Event,
    HandDealt,
    HandEntered,
    RoundBegan,
    RoundScored,
    TrickBegan,
    TrickWon,
)
from domain.games.twelve_chips.options import Options
from domain.match.deadlines import Deadline, after
from domain.match.seats import set_seat
from domain.match.submissions import Invalid
from domain.menu import NOTHING, ListOf, Menu, Offer, OneOf
from domain.registry import text_beside

CODES: Mapping[str, str] = USUAL_CODES | {
    "wrong_phase": "Chips are played while a trick is being played and taken once all have "
    "played; while chips are dealt, neither.",
    "no_such_hand": "A hand is four chips of the set, two red and two blue if they are dealt so.",
    "not_in_hand": "You have no such chip in your hand.",
    "not_in_centre": "There is no such chip in the centre.",
    "red_first": "A red chip lies in the centre, so a red one must be taken.",
}

Phase = Literal["deal", "play", "take", "over"]


class State(Struct, frozen=True, gc=False):
    """The table with all hands open.

    `round_starter` started the round, `starter` the present trick. `centre` is in play order, a
    hand in the order in which it was picked up. `reopened`: a rewind has opened the entry of hands
    again.
    """

    options: Options
    seats: int
    round: int
    round_starter: int
    starter: int
    hands: tuple[Chips, ...]
    fronts: tuple[Chips, ...]
    tokens: tuple[int, ...]
    trick: int = 1
    phase: Phase = "deal"
    to_act: int | None = None
    centre: Chips = ()
    reopened: bool = False


def _round(options: Options, number: int, starter: int, tokens: tuple[int, ...]) -> State:
    """A round before its deal."""
    none: tuple[Chips, ...] = ((),) * len(tokens)
    return State(
        options, len(tokens), number, starter, starter, hands=none, fronts=none, tokens=tokens
    )


def initial(options: Options, seats: int) -> State:
    return _round(options, 1, options.first_starter, (0,) * seats)


def open_(options: Options, seats: int) -> tuple[Event, ...]:
    return (RoundBegan(1, options.first_starter),)


def awaits(state: State) -> Awaits:
    """The deal, all seats that enter their hands, or the seat whose turn it is; each turn has a
    deadline of its own."""
    if state.phase == "over":
        return OVER
    if state.to_act is None and state.options.hands == "entered":
        return Awaits(tuple(range(state.seats)), deadline=Deadline(f"round{state.round}/hands"))
    if state.to_act is None:
        return Awaits(draw=deal_draw(state.round, state.seats, state.options.deal))
    turn = f"round{state.round}/trick{state.trick}/{state.phase}/seat{state.to_act}"
    return Awaits((state.to_act,), deadline=after(turn, state.options.turn_seconds))


def legal(state: State, seat: int) -> Menu:
    """Rules 2 and 4: any chip of the hand, or what may be taken from the centre."""
    if _enters(state):
        return (_hand_offer(state, seat),)
    if seat != state.to_act:
        return NOTHING
    if state.phase == "play":
        return (Offer("play", {"chip": OneOf(tuple(sorted(set(state.hands[seat]))))}),)
    return (Offer("take", {"chip": OneOf(takeable(state.centre))}),)


def _enters(state: State) -> bool:
    """Whether seats enter their hands now."""
    return state.phase == "deal" and state.options.hands == "entered"


def _hand_offer(state: State, seat: int) -> Offer:
    """The entry of a hand, with one that is possible."""
    chips, own = chips_for(state.seats), slice(2 * seat, 2 * seat + 2)
    example = [chip for half in by_colour(chips) for chip in half[own]]
    fields = {"chips": ListOf(OneOf(tuple(sorted(set(chips)))), HAND, HAND)}
    return Offer("enter", fields, exact=False, examples=({"chips": example},))


def decide(state: State, seat: int, action: Action) -> tuple[Event, ...]:
    """What follows from playing or taking a chip; raises Refused with one of `CODES`."""
    if state.phase == "over":
        raise Refused("game_over")
    if isinstance(action, Enter):
        return _enter(state, seat, action.chips)
    if state.phase != ("play" if isinstance(action, Play) else "take"):
        raise Refused("wrong_phase")
    if seat != state.to_act:
        raise Refused("not_your_turn")
    if isinstance(action, Play):
        return _play(state, seat, action.chip)
    return _take(state, seat, action.chip)


def misshapen(options: Options, seats: int, action: Action) -> str | None:
    """A hand of more chips than a hand can have."""
    too_many = isinstance(action, Enter) and len(action.chips) > HAND
    return f"a hand is {HAND} chips" if too_many else None


def _enter(state: State, seat: int, chips: Chips) -> tuple[Event, ...]:
    """Rule 1: the last hand completes the deal, unless a rewind has opened it again: then a
    moderator closes it (`domain.match.submissions`)."""
    if not _enters(state):
        raise Refused("wrong_phase")
    if not is_hand(chips, state.seats, state.options.deal):
        raise Invalid("no_such_hand")
    entered = HandEntered(seat, tuple(sorted(chips)))
    after_it = evolve(state, entered)
    if state.reopened or not all(after_it.hands):
        return (entered,)
    return entered, *_picked_up(after_it, after_it.hands)


def _picked_up(state: State, hands: tuple[Chips, ...], aside: Chips = ()) -> tuple[Event, ...]:
    """Each seat has its hand, and all see that the deal is done."""
    backs = tuple(map(colours, hands)) if state.options.hand_colours_public else None
    return (
        *(HandDealt(seat, hand) for seat, hand in enumerate(hands)),
        *((ChipsSetAside(aside),) if aside else ()),
        DealCompleted(backs),
        TrickBegan(1, state.starter),
    )


def standing(state: State, seat: int) -> Enter | None:
    """The hand that the seat has entered, while seats do."""
    return Enter(state.hands[seat]) if _enters(state) and state.hands[seat] else None


def _play(state: State, seat: int, chip: int) -> tuple[Event, ...]:
    """Rules 2 and 3: when the last seat has played, the trick has a winner."""
    if chip not in state.hands[seat]:
        raise Refused("not_in_hand")
    played = ChipPlayed(seat, chip)
    centre = (*state.centre, chip)
    if len(centre) < state.seats:
        return (played,)
    # Rule 3: of equal chips the first wins.
    return played, TrickWon((state.starter + centre.index(max(centre))) % state.seats)


def _take(state: State, seat: int, chip: int) -> tuple[Event, ...]:
    """Rules 4 to 6: the first to take is the winner; after the last the next trick begins."""
    if chip not in takeable(state.centre):
        raise Refused("red_first" if chip in state.centre else "not_in_centre")
    if len(state.centre) == state.seats:
        return (ChipWon(seat, chip),)
    taken = ChipTaken(seat, chip)
    if len(state.centre) > 1:
        return (taken,)
    winner = (seat + 1) % state.seats  # the last to take sits just before the first
    if state.hands[winner]:
        return taken, TrickBegan(state.trick + 1, winner)
    return taken, *_count(evolve(state, taken), winner)


def _count(state: State, last_winner: int) -> tuple[Event, ...]:
    """Rules 6 to 8: hands are opened and counted; if no one has won, a new round begins."""
    fours = tuple(
        tuple(sorted(hand + front)) for hand, front in zip(state.hands, state.fronts, strict=True)
    )
    sums = tuple(map(sum, fours))
    winners = round_winners(sums, state.options.over_21)
    scored = RoundScored(fours, sums, winners)
    wrong = miscounted([chip for four in fours for chip in four], state.seats)
    events = (scored, ChipsMiscounted(*wrong)) if any(wrong) else (scored,)
    if evolve(state, scored).phase == "over":
        return events
    starters = {
        "last_trick_winner": last_winner,
        "rotate": (state.round_starter + 1) % state.seats,
        "round_winner": min(winners),
    }
    return *events, RoundBegan(state.round + 1, starters[state.options.round_starter])


def settle(state: State, draw: Draw, outcome: Outcome) -> tuple[Event, ...]:
    """Rule 1: each seat sees its hand, and all see that the deal is done."""
    hands, aside = read_deal(outcome, state.seats)
    return _picked_up(state, hands, aside)


def expire(state: State, deadline: Deadline) -> tuple[Event, ...]:
    """Time is up: the lowest chip that may be played or taken is. Hands that were entered are
    dealt if none is missing."""
    if _enters(state):
        return _picked_up(state, state.hands) if all(state.hands) else ()
    (seat,) = awaits(state).seats
    if state.phase == "play":
        return decide(state, seat, Play(min(state.hands[seat])))
    return decide(state, seat, Take(takeable(state.centre)[0]))


def result(state: State) -> Result | None:
    """Rule 8: the seat with the most tokens; several share."""
    return highest_wins(state.tokens) if state.phase == "over" else None


def _round_began(state: State, event: RoundBegan) -> State:
    return _round(state.options, event.round, event.starter, state.tokens)


def _hand_dealt(state: State, event: HandDealt | HandEntered) -> State:
    return replace(state, hands=set_seat(state.hands, event.seat, event.chips))


def _trick_began(state: State, event: TrickBegan) -> State:
    starter = event.starter
    return replace(state, trick=event.trick, phase="play", starter=starter, to_act=starter)


def _chip_played(state: State, event: ChipPlayed) -> State:
    seat = event.seat
    return replace(
        state,
        to_act=(seat + 1) % state.seats,
        centre=(*state.centre, event.chip),
        hands=set_seat(state.hands, seat, remove_one(state.hands[seat], event.chip)),
    )


def _trick_won(state: State, event: TrickWon) -> State:
    return replace(state, phase="take", to_act=event.seat)


def _chip_won(state: State, event: ChipWon) -> State:
    seat = event.seat
    return replace(
        state,
        to_act=(seat + 1) % state.seats,
        centre=remove_one(state.centre, event.chip),
        fronts=set_seat(state.fronts, seat, (*state.fronts[seat], event.chip)),
    )


def _chip_taken(state: State, event: ChipTaken) -> State:
    seat = event.seat
    return replace(
        state,
        to_act=(seat + 1) % state.seats,
        centre=remove_one(state.centre, event.chip),
        hands=set_seat(state.hands, seat, (*state.hands[seat], event.chip)),
    )


def _round_scored(state: State, event: RoundScored) -> State:
    tokens = tuple(had + (seat in event.winners) for seat, had in enumerate(state.tokens))
    over = max(tokens) >= state.options.tokens_to_win
    return replace(state, tokens=tokens, phase="over" if over else "deal", to_act=None)


evolve = by_kind(
    _chip_played,
    _chip_taken,
    _chip_won,
    _trick_won,
    _trick_began,
    _hand_dealt,
    _round_began,
    _round_scored,
)

GAME: Game[Options, State, Action, Event] = Game(
    id="twelve-chips",
    title="12 Chips",
    rules_version=1,
    text=text_beside(__name__, "rules.md"),
    seats=range(2, 5),
    Options=Options,
    Action=Action,
    Event=Event,
    codes=CODES,
    initial=initial,
    open=open_,
    awaits=awaits,
    legal=legal,
    decide=decide,
    settle=settle,
    expire=expire,
    evolve=evolve,
    result=result,
    misshapen=misshapen,
    sealed_phase=lambda phase: phase.endswith("/hands"),
    standing=standing,
    reopened=lambda state: replace(state, reopened=True),
    conceals=lambda options: options.hands == "entered",
)
