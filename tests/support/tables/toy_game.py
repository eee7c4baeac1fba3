"""Blind Bid, a toy with what the real games lack: sealed phases, private draws, many deadlines.

1. A shuffle that only moderators see gives every seat a lot whose worth it alone knows.
2. Every seat bids once, sealed. When all have bid, or at the deadline, the bids are laid open.
   If no one has bid by then, the same seats go on bidding without a deadline.
3. The highest bid wins; on a tie a coin in public decides, or with `share` all of them win.
4. The winner has until a second deadline to thank; then the game is over either way.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.chance.draws import Draw, Flip, Outcome, Shuffle, orders
from domain.events import PUBLIC, PublicEvent, SealedEvent, SeatEvent
from domain.events import Event as BaseEvent
from domain.game import OVER, Awaits, Game, Refused, Result, Whole
from domain.limits import between
from domain.match.deadlines import After, Deadline, TimeOfDay
from domain.match.submissions import Invalid
from domain.menu import NOTHING, Between, Menu, Offer
from projections.audience.board import Boards
from projections.audience.disclosure import Viewer

CHIPS = 10


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How long bids are accepted, in seconds, and by what time of day, an hour on at least, thanks
    are given."""

    share: bool = False
    bid_seconds: Annotated[int, between(1, 1_000_000, "Seconds to bid.")] | None = None
    thank_by: Annotated[str, Meta(pattern="^[0-2][0-9]:[0-5][0-9]$")] | None = None


class Bid(Struct, frozen=True, tag="bid", forbid_unknown_fields=True):
    chips: Whole


class Thank(Struct, frozen=True, tag="thank", forbid_unknown_fields=True):
    pass


Action = Bid | Thank


class LotDealt(SeatEvent, frozen=True, tag="blind-bid.lot-dealt.1"):
    worth: int


class LotsLeft(SealedEvent, frozen=True, tag="blind-bid.lots-left.1"):
    worth: tuple[int, ...]


class BiddingBegan(PublicEvent, frozen=True, tag="blind-bid.bidding-began.1"):
    late: bool


class BidPlaced(SeatEvent, frozen=True, tag="blind-bid.bid-placed.1"):
    chips: int


class BidsRevealed(PublicEvent, frozen=True, tag="blind-bid.bids-revealed.1"):
    chips: tuple[int, ...]


class LotsWon(PublicEvent, frozen=True, tag="blind-bid.lots-won.1"):
    seats: tuple[int, ...]


class Thanked(PublicEvent, frozen=True, tag="blind-bid.thanked.1"):
    seat: int


class NobodyThanked(PublicEvent, frozen=True, tag="blind-bid.nobody-thanked.1"):
    pass


Event = (
    LotDealt
    | LotsLeft
    | BiddingBegan
    | BidPlaced
    | BidsRevealed
    | LotsWon
    | Thanked
    | NobodyThanked
)


class State(Struct, frozen=True):
    """`phase` is deal, bid, late, tie, thank or over; a missing bid is None."""

    options: Options
    bids: tuple[int | None, ...]
    phase: str = "deal"
    winners: tuple[int, ...] = ()


LOTS = (1, 2, 3, 4, 5)
COIN = Flip("tie")


def check(options: Options, seats: int) -> None:
    """Every set of options can be played."""


def open_(options: Options, seats: int) -> Sequence[Event]:
    return ()


def initial(options: Options, seats: int) -> State:
    return State(options, (None,) * seats)


def awaits(state: State) -> Awaits:
    everybody = tuple(range(len(state.bids)))
    match state.phase:
        case "deal":
            return Awaits(draw=Draw("lots", (Shuffle(LOTS),)))
        case "bid":
            seconds = state.options.bid_seconds
            wait = None if seconds is None else After(seconds)
            return Awaits(everybody, deadline=Deadline("bids", wait))
        case "late":
            return Awaits(everybody)
        case "tie":
            return Awaits(draw=Draw("tie", (COIN,), PUBLIC))
        case "thank":
            utc = state.options.thank_by
            until = None if utc is None else TimeOfDay(1, utc)
            return Awaits(state.winners, deadline=Deadline("thanks", until))
    return OVER


def legal(state: State, seat: int) -> Menu:
    if state.phase in ("bid", "late") and state.bids[seat] is None:
        return (Offer("bid", {"chips": Between(1, CHIPS)}),)
    if state.phase == "thank" and seat in state.winners:
        return (Offer("thank"),)
    return NOTHING


def decide(state: State, seat: int, action: Action) -> Sequence[Event]:
    if state.phase == "over":
        raise Refused("game_over")
    if state.phase not in (("bid", "late") if isinstance(action, Bid) else ("thank",)):
        raise Refused("wrong_phase")
    if isinstance(action, Thank):
        if seat not in state.winners:
            raise Refused("not_your_turn")
        return [Thanked(seat)]
    if state.bids[seat] is not None:
        raise Invalid("already_bid")
    if not 1 <= action.chips <= CHIPS:
        raise Invalid("beyond_stack")
    placed = BidPlaced(seat, action.chips)
    after = evolve(state, placed)
    return [placed] if None in after.bids else [placed, *_revealed(after)]


def _revealed(state: State) -> Sequence[Event]:
    bids = tuple(bid or 0 for bid in state.bids)
    best = tuple(seat for seat, bid in enumerate(bids) if bid == max(bids))
    revealed = BidsRevealed(bids)
    decided = len(best) == 1 or state.options.share
    return [revealed, LotsWon(best)] if decided else [revealed]


def settle(state: State, draw: Draw, outcome: Outcome) -> Sequence[Event]:
    if draw.id == "lots":
        worth = [int(item) for item in orders(outcome)[0]]
        seats = len(state.bids)
        dealt = [LotDealt(seat, worth[seat]) for seat in range(seats)]
        return [*dealt, LotsLeft(tuple(worth[seats:])), BiddingBegan(late=False)]
    best = max(bid or 0 for bid in state.bids)
    tied = [seat for seat, bid in enumerate(state.bids) if bid == best]
    return [LotsWon((tied[0 if outcome == ("heads",) else -1],))]


def expire(state: State, deadline: Deadline) -> Sequence[Event]:
    if state.phase == "thank":
        return [NobodyThanked()]
    return [BiddingBegan(late=True)] if set(state.bids) == {None} else _revealed(state)


def evolve(state: State, event: Event) -> State:
    match event:
        case BiddingBegan(late):
            return replace(state, phase="late" if late else "bid")
        case BidPlaced(seat, chips):
            bids = tuple(chips if s == seat else bid for s, bid in enumerate(state.bids))
            return replace(state, bids=bids)
        case BidsRevealed():
            return replace(state, phase="tie")
        case LotsWon(seats):
            return replace(state, phase="thank", winners=seats)
        case Thanked() | NobodyThanked():
            return replace(state, phase="over")
    return state


def result(state: State) -> Result | None:
    if state.phase != "over":
        return None
    shared = len(state.winners) > 1
    losers = tuple(s for s in range(len(state.bids)) if s not in state.winners and not shared)
    scores = tuple(bid or 0 for bid in state.bids)
    return Result(state.winners, losers, shared, scores)


GAME: Game[Options, State, Action, Event] = Game(
    id="blind-bid",
    title="Blind Bid",
    rules_version=1,
    text=__doc__,
    seats=range(2, 6),
    Options=Options,
    Action=Action,
    Event=Event,
    codes={
        "options_not_allowed": "An option is outside its limits.",
        "game_over": "The game is over.",
        "wrong_phase": "Bids are placed while bidding, thanks given after it.",
        "not_your_turn": "Another seat has won.",
        "already_bid": "A seat bids once.",
        "beyond_stack": "A bid is 1 to 10 chips.",
    },
    check=check,
    initial=initial,
    open=open_,
    awaits=awaits,
    legal=legal,
    decide=decide,
    settle=settle,
    expire=expire,
    evolve=evolve,
    result=result,
)


class Board(Struct, frozen=True):
    """The bids once they are revealed; a seat sees its lot and its own bid before."""

    bids: tuple[int, ...] | None = None
    winners: tuple[int, ...] = ()
    worth: int | UnsetType | None = UNSET
    own_bid: int | UnsetType | None = UNSET


def blank(options: Options, seats: int, viewer: Viewer) -> Board:
    return Board(worth=None, own_bid=None) if isinstance(viewer, int) else Board()


def shown(board: Board, event: BaseEvent, viewer: Viewer, at: int) -> Board:
    match event:
        case LotDealt(worth=worth) if board.worth is not UNSET:
            return replace(board, worth=worth)
        case BidPlaced(chips=chips) if board.own_bid is not UNSET:
            return replace(board, own_bid=chips)
        case BidsRevealed(chips):
            return replace(board, bids=chips)
        case LotsWon(seats):
            return replace(board, winners=seats)
    return board


BOARDS = Boards(view=Board, initial=blank, evolve=shown)
