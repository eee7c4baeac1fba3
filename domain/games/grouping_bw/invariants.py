"""What must hold in every state of Grouping Black & White."""

from collections.abc import Callable, Mapping

from domain.games.grouping_bw.grouping import is_partition
from domain.games.grouping_bw.state import State


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
    made = (groups for groups in state.groups if groups is not None)
    return all(is_partition(groups.a, groups.b, groups.c) for groups in made)


INVARIANTS: Mapping[str, Callable[[State], bool]] = {
    "chips stay": chips_stay,
    "nothing is negative": nothing_is_negative,
    "a call is within the stack": a_call_is_within_the_stack,
    "a pot discards nothing": a_pot_discards_nothing,
    "groups hold every tile": groups_hold_every_tile,
}
