"""How rounds follow one another: antes, showdowns, sudden death, passes, sets and the end."""

from collections.abc import Iterable
from typing import NamedTuple

from domain.games.grouping_bw.events import (
    AnteMissed,
    AntesPaid,
    End,
    Event,
    Folded,
    GameWon,
    GroupingEnded,
    NumberTold,
    OrderUsed,
    OwnTileTold,
    Pair,
    PassBegan,
    RoundBegan,
    RoundEnded,
    SetBegan,
    SuddenDeathBegan,
)
from domain.games.grouping_bw.grouping import EIGHT, ROUNDS, colour
from domain.games.grouping_bw.options import House
from domain.games.grouping_bw.state import State, evolve


class Payout(NamedTuple):
    """The stacks after a round, and how many chips left the game."""

    stacks: Pair
    discarded: int


def most_to_raise(state: State, seat: int) -> int:
    """Rule 3: by how much the seat may raise; below 1 it may not. No one raises by more than the
    other seat could call."""
    own, other = state.stacks[seat], state.stacks[1 - seat]
    return min(state.house.raise_cap, other, own - state.to_call)


def may_call(state: State, seat: int) -> bool:
    """Rule 3: at equal bets only the starter may, and only by that option."""
    if state.to_call > 0:
        return True
    return state.house.leader_check and seat == state.starter


def after_fold(house: House, stacks: Pair, bets: Pair, folder: int, penalty: int) -> Payout:
    """Rule 4: `penalty` is the cost of the folded tile, limited to what is left."""
    other = 1 - folder
    fined = min(penalty, stacks[folder])
    if house.on_fold == "pot":
        return Payout(_plus(stacks, other, sum(bets), folder, -fined), fined)
    return Payout(_plus(stacks, other, bets[other], folder, -fined), fined + bets[folder])


def after_showdown(house: House, stacks: Pair, bets: Pair, winner: int | None) -> Payout:
    """Rule 5: without a winner the tiles are equal."""
    if winner is None:
        if house.on_call == "pot" or not any(stacks):
            return Payout((stacks[0] + bets[0], stacks[1] + bets[1]), 0)
        return Payout(stacks, sum(bets))
    if house.on_call == "pot":
        return Payout(_plus(stacks, winner, sum(bets), 1 - winner, 0), 0)
    return Payout(_plus(stacks, winner, bets[winner], 1 - winner, 0), bets[1 - winner])


def _plus(stacks: Pair, seat: int, chips: int, other: int, others: int) -> Pair:
    mine, theirs = stacks[seat] + chips, stacks[other] + others
    return (mine, theirs) if seat == 0 else (theirs, mine)


def evolve_all(state: State, events: Iterable[Event]) -> State:
    """The state after all of these."""
    for event in events:
        state = evolve(state, event)
    return state


def set_begun(state: State, number: int) -> SetBegan:
    """A set, and the house's ante for it with all increases agreed on before."""
    growth = (number - 1) // state.house.ante_every_sets
    return SetBegan(number, 1 + growth + state.increases)


def grouping_ended(state: State) -> list[Event]:
    """Rule 1: the last submissions count; the ante grows only by an increase that both seats
    named."""
    submissions = state.standing.standing
    orders: list[Event] = [
        OrderUsed(submission.seat)
        for submission in submissions
        if submission is not None and submission.use_order
    ]
    first, second = (
        None if submission is None else submission.ante_increase for submission in submissions
    )
    increase = first if first is not None and first == second else 0
    return [*orders, GroupingEnded(increase, state.ante + increase)]


def round_begun(state: State, number: int) -> list[Event]:
    """Rules 1 and 2 of a round: colours are shown, antes paid; in sudden death tiles are shown."""
    first, second = (tiles[number - 1] for tiles in state.tiles)
    began: list[Event] = [RoundBegan(number, (colour(first), colour(second)), state.starter)]
    if state.house.own_tile_visible:
        began += [OwnTileTold(0, first), OwnTileTold(1, second)]
    after = evolve_all(state, began)
    return [*began, *(sudden_death(after) if state.sudden_death else _antes(after))]


def _antes(state: State) -> list[Event]:
    """Rule 2: the ante, or all of the smaller stack; by the other rule a seat that is short
    loses."""
    short = tuple(seat for seat in (0, 1) if state.stacks[seat] < state.ante)
    if short and state.house.short_ante == "lose":
        return [AnteMissed(short), *_short(state, short)]
    paid = AntesPaid(min(state.ante, *state.stacks))
    after = evolve(state, paid)
    return [paid] if after.to_act is not None else [paid, *showdown(after, "allin")]


def _short(state: State, short: tuple[int, ...]) -> list[Event]:
    """Rule 2: a seat that is short loses; if both are, the one with fewer chips, if there is
    one."""
    if len(short) == 1:
        return [GameWon(1 - short[0])]
    first, second = state.stacks
    if first != second:
        return [GameWon(int(second > first))]
    began = SuddenDeathBegan()
    return [began, *sudden_death(evolve(state, began))]


def sudden_death(state: State) -> list[Event]:
    """Rule 2: the tiles of the round are shown, and the higher one wins the match."""
    winner = _higher(state)
    ended = RoundEnded(
        end="sudden_death",
        winner=winner,
        folder=None,
        numbers=state.numbers,
        stacks=state.stacks,
        discarded=0,
        folded_8=False,
    )
    if winner is not None:
        return [ended, GameWon(winner)]
    return [ended, *_next(evolve(state, ended))]


def showdown(state: State, end: End) -> list[Event]:
    """Rule 5: both numbers are shown."""
    winner = _higher(state)
    payout = after_showdown(state.house, state.stacks, state.bets, winner)
    ended = RoundEnded(end, winner, None, state.numbers, *payout, False)
    return [ended, *_after_round(evolve(state, ended))]


def _higher(state: State) -> int | None:
    """The seat with the higher tile."""
    first, second = state.numbers
    return None if first == second else int(second > first)


def fold(state: State, folder: int) -> list[Event]:
    """Rule 4: only the folder sees the other seat's number."""
    penalty = state.house.fold_8_penalty if state.numbers[folder] == EIGHT else 0
    payout: Payout = after_fold(state.house, state.stacks, state.bets, folder, penalty)
    revealed = NumberTold(folder, state.numbers[1 - folder], "fold")
    ended = RoundEnded("fold", 1 - folder, folder, None, *payout, penalty > 0)
    return [Folded(folder), revealed, ended, *_after_round(evolve(state, ended))]


def _after_round(state: State) -> list[Event]:
    """Rule 7: no one goes on without chips, unless the next ante decides the match."""
    if state.house.short_ante == "all_in" and 0 in state.stacks:
        return [GameWon(int(state.stacks[0] == 0))]
    return _next(state)


def _next(state: State) -> list[Event]:
    """The next round, pass or set. Sudden death stays in its set."""
    if state.round < ROUNDS:
        return round_begun(state, state.round + 1)
    if state.sudden_death or state.pass_ < state.house.passes_per_set:
        return [PassBegan(state.pass_ + 1)]
    return [set_begun(state, state.set + 1)]
