"""What may be bet in a round, and who gets which chips when it is over."""

from typing import NamedTuple

from domain.games.grouping_bw.events import Pair
from domain.games.grouping_bw.options import House
from domain.games.grouping_bw.state import State


class Payout(NamedTuple):
    """The stacks after a round, and how many chips left the game."""

    stacks: Pair
    discarded: int


def most_to_raise(state: State, seat: int) -> int:
    """Rule 3: by how much the seat may raise; below 1 it may not. Nobody raises by more than the
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
