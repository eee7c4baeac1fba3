"""The state of a match of Grouping Black & White, and how each event changes it."""

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.dispatch import by_kind
from domain.game import Result
from domain.games.grouping_bw.events import (
    AntesPaid,
    Called,
    GameWon,
    GroupingEnded,
    GroupsDrawn,
    GroupsSubmitted,
    NumberTold,
    OrderUsed,
    Pair,
    PassBegan,
    Raised,
    RoundBegan,
    RoundEnded,
    SetBegan,
    StarterNamed,
    SuddenDeathBegan,
    TilesLaid,
)
from domain.games.grouping_bw.grouping import Grouping, Numbers, is_partition
from domain.games.grouping_bw.options import House, Item, Items, Options, complete
from domain.match.seats import set_seat
from domain.match.submissions import Sealed, open_phase, submit

Phase = Literal["name_starter", "grouping", "deal", "betting", "over"]


class State(Struct, frozen=True):
    """The whole table, with everything hidden.

    `pass_` and `round` count from 1 in the set and the pass; `starter` starts the round and
    `to_act` makes its next bet, number `bet`. `ante` is due, and includes `increases` that the
    seats agreed on. `groups` are in force, `standing` has the seats' submissions in the present
    grouping. `items` are unused ones; `ordered` seats will see their order at the next deal.
    `tiles` are in the order in which they will be played; in `sudden_death` there are no more bets.
    """

    house: House
    phase: Phase
    stacks: Pair
    items: tuple[Items, ...]
    ante: int = 1
    set: int = 1
    pass_: int = 1
    round: int = 1
    starter: int = 0
    to_act: int | None = None
    bet: int = 1
    bets: Pair = (0, 0)
    discarded: int = 0
    increases: int = 0
    groups: tuple[Grouping | None, ...] = (None, None)
    standing: Sealed[GroupsSubmitted] = open_phase(2)
    ordered: tuple[bool, ...] = (False, False)
    tiles: tuple[Numbers, ...] = ((), ())
    sudden_death: bool = False
    winner: int | None = None

    @property
    def numbers(self) -> Pair:
        """The tiles of the present round."""
        first, second = self.tiles
        return first[self.round - 1], second[self.round - 1]

    @property
    def to_call(self) -> int:
        """How much higher the other bet is than that of the seat to act."""
        return 0 if self.to_act is None else self.bets[1 - self.to_act] - self.bets[self.to_act]


def initial(options: Options | House, _seats: int) -> State:
    house = complete(options)
    return State(house, "name_starter", house.stacks, house.items)


def result(state: State) -> Result | None:
    """The scores are the stacks."""
    if state.winner is None:
        return None
    return Result((state.winner,), (1 - state.winner,), False, state.stacks)


def reopened(state: State) -> State:
    """A grouping that a rewind has opened again."""
    return replace(state, standing=replace(state.standing, reopened=True))


def spend(items: tuple[Items, ...], seat: int, item: Item) -> tuple[Items, ...]:
    """The unused items of each seat, once `seat` has used `item`."""
    return set_seat(items, seat, tuple(other for other in items[seat] if other != item))


def put_in(stacks: Pair, bets: Pair, seat: int, chips: int) -> tuple[Pair, Pair]:
    """Stacks and bets once the seat has put in `chips` more."""
    (first, second), (own, others) = stacks, bets
    if seat == 0:
        return (first - chips, second), (own + chips, others)
    return (first, second - chips), (own, others + chips)


def _starter_named(state: State, event: StarterNamed) -> State:
    """This uses up the bonus of the seat that has it."""
    items = spend(spend(state.items, 0, "bonus"), 1, "bonus")
    return replace(state, starter=event.starter, items=items)


def _set_began(state: State, event: SetBegan) -> State:
    return replace(
        state, phase="grouping", set=event.set, pass_=1, round=1, ante=event.ante, tiles=((), ())
    )


def _groups_submitted(state: State, event: GroupsSubmitted) -> State:
    return replace(state, standing=submit(state.standing, event.seat, event))


def _order_used(state: State, event: OrderUsed) -> State:
    return replace(
        state,
        items=spend(state.items, event.seat, "order"),
        ordered=set_seat(state.ordered, event.seat, True),
    )


def _grouping_ended(state: State, event: GroupingEnded) -> State:
    groups = tuple(
        old if submission is None else submission.groups
        for old, submission in zip(state.groups, state.standing.standing, strict=True)
    )
    return replace(
        state,
        phase="deal",
        groups=groups,
        standing=open_phase(2),
        ante=event.ante,
        increases=state.increases + event.increase,
    )


def _groups_drawn(state: State, event: GroupsDrawn) -> State:
    return replace(state, groups=set_seat(state.groups, event.seat, event.groups))


def _pass_began(state: State, event: PassBegan) -> State:
    return replace(state, phase="deal", pass_=event.number, round=1, tiles=((), ()))


def _tiles_laid(state: State, event: TilesLaid) -> State:
    return replace(state, tiles=event.tiles, ordered=(False, False))


def _round_began(state: State, event: RoundBegan) -> State:
    return replace(state, phase="betting", round=event.round, starter=event.starter)


def _antes_paid(state: State, event: AntesPaid) -> State:
    """A seat without chips cannot bet, and no one can bet against it."""
    first, second = state.stacks
    rest = (first - event.chips, second - event.chips)
    to_act = state.starter if min(rest) > 0 else None
    return replace(state, stacks=rest, bets=(event.chips, event.chips), to_act=to_act, bet=1)


def _sudden_death_began(state: State, _event: SuddenDeathBegan) -> State:
    return replace(state, sudden_death=True)


def _raised(state: State, event: Raised) -> State:
    chips = state.bets[1 - event.seat] - state.bets[event.seat] + event.by
    stacks, bets = put_in(state.stacks, state.bets, event.seat, chips)
    return replace(state, stacks=stacks, bets=bets, to_act=1 - event.seat, bet=state.bet + 1)


def _called(state: State, event: Called) -> State:
    chips = state.bets[1 - event.seat] - state.bets[event.seat]
    stacks, bets = put_in(state.stacks, state.bets, event.seat, chips)
    return replace(state, stacks=stacks, bets=bets, to_act=None)


def _number_revealed(state: State, event: NumberTold) -> State:
    if event.by == "peek":
        return replace(state, items=spend(state.items, event.seat, "peek"))
    return state


def _round_ended(state: State, event: RoundEnded) -> State:
    return replace(
        state,
        stacks=event.stacks,
        bets=(0, 0),
        discarded=state.discarded + event.discarded,
        starter=state.starter if event.winner is None else event.winner,
        to_act=None,
    )


def _game_won(state: State, event: GameWon) -> State:
    return replace(state, phase="over", winner=event.seat, to_act=None)


evolve = by_kind(
    _starter_named,
    _set_began,
    _groups_submitted,
    _order_used,
    _grouping_ended,
    _groups_drawn,
    _pass_began,
    _tiles_laid,
    _round_began,
    _antes_paid,
    _sudden_death_began,
    _raised,
    _called,
    _number_revealed,
    _round_ended,
    _game_won,
)


def chips_stay(state: State) -> bool:
    """Every chip from the start is in a stack, in a bet or has left the game."""
    there = sum(state.stacks) + sum(state.bets) + state.discarded
    return there == sum(state.house.stacks)


def nothing_is_negative(state: State) -> bool:
    return min(*state.stacks, *state.bets, state.discarded) >= 0


def a_call_is_within_the_stack(state: State) -> bool:
    return state.to_act is None or 0 <= state.to_call <= state.stacks[state.to_act]


def a_pot_discards_nothing(state: State) -> bool:
    """As in a death match: where all chips go to the pot's winner, none leaves the game."""
    house = state.house
    goes = {house.on_fold, house.on_call}
    return state.discarded == 0 or goes != {"pot"} or house.fold_8_penalty > 0


def groups_hold_every_tile(state: State) -> bool:
    groupings = (groups for groups in state.groups if groups is not None)
    return all(is_partition(groups.a, groups.b, groups.c) for groups in groupings)


INVARIANTS: Mapping[str, Callable[[State], bool]] = {
    "chips stay": chips_stay,
    "nothing is negative": nothing_is_negative,
    "a call is within the stack": a_call_is_within_the_stack,
    "a pot discards nothing": a_pot_discards_nothing,
    "groups hold every tile": groups_hold_every_tile,
}
