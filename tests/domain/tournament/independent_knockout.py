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
    out, as if they had lost among losers too. The last winner may have lost before, and been
    moved."""
    last: dict[int, Key] = dict.fromkeys(stage["entrants"], (2,))
    before_final = max(slot["round"] for slot in bracket) - 1
    for slot in sorted(bracket, key=lambda one: one["round"] == 0):
        winner, loser_to = slot["winner"], slot["loser_to"]
        if winner is None and None in slot["players"]:
            continue
        below = winner is None and loser_to and stage["losses"] == 2
        number = bracket[loser_to - 1]["round"] if below else slot["round"]
        for player in {*slot["players"]} - {None}:
            if slot["round"] == 0:
                last[player] = (True, before_final, player == winner)
            elif player == winner and slot["winner_to"] is None:
                last[player] = (2,)
            elif player != winner and (stage["losses"] == 1 or winner is None or not loser_to):
                last[player] = (number > 0, abs(number))
    return last
