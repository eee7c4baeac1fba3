"""Places of an elimination that is closed, computed again from its bracket, without code of the
product. Points there are those of single matches, which an export does not show."""

from collections.abc import Mapping, Sequence

from tests.domain.tournament.independent_places import JSON, Key


def places(stage: JSON, bracket: Sequence[JSON]) -> Mapping[int, int]:
    """The place of each player: those who have lost the last time in one round share one."""
    last = _last_losses(stage, bracket)
    return {player: 1 + sum(other > key for other in last.values()) for player, key in last.items()}


def _last_losses(stage: JSON, bracket: Sequence[JSON]) -> Mapping[int, Key]:
    """By the round of the bracket of the last loss, which is negative among losers; then, for those
    who met about the third place in round 0, whether that was won. Where no one has won, both are
    out, as if they had lost among losers too."""
    last: dict[int, Key] = dict.fromkeys(stage["entrants"], (2,))
    losses = dict.fromkeys(stage["entrants"], 0)
    for slot in sorted(bracket, key=lambda one: one["round"] == 0):
        winner, loser_to = slot["winner"], slot["loser_to"]
        if winner is None and None in slot["players"]:
            continue
        below = winner is None and loser_to and stage["losses"] == 2
        number = bracket[loser_to - 1]["round"] if below else slot["round"]
        for player in {*slot["players"]} - {None}:
            if slot["round"] == 0:
                last[player] = (*last[player], player == winner)
            elif player != winner:
                losses[player] += 1
                if losses[player] == stage["losses"] or winner is None:
                    last[player] = (number > 0, abs(number))
    return last
