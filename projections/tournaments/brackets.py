"""What everyone sees of the bracket of an elimination."""

from typing import Literal

from msgspec import Struct

from domain.tournament.bracket import Side
from domain.tournament.formats.elimination import progress_of
from domain.tournament.history import History, Pairing
from projections.fields import Player
from projections.tournaments.stages import count_wins


class ShownSide(Struct, frozen=True):
    """Where a player of a slot comes from: a seed, or the winner or loser of a slot, by its
    `number`, from 1."""

    kind: Literal["seed", "winner", "loser"]
    number: int


class ShownSlot(Struct, frozen=True, rename={"from_": "from"}):
    """A match of a bracket (a `slot`), and how many `wins` each of its players has. Rounds of the
    losers' bracket are negative, the match about the third place is in round 0. The winner goes on
    to the slot `winner_to`, the loser to `loser_to`, if any."""

    slot: int
    round: int
    players: tuple[Player | None, Player | None]
    from_: tuple[ShownSide, ShownSide]
    wins: tuple[int, int]
    winner: Player | None
    winner_to: int | None
    loser_to: int | None


def show_bracket(history: History) -> list[ShownSlot]:
    """The bracket of an elimination."""
    progress = progress_of(history)
    leads = {
        (side.kind, side.number): slot.number + 1
        for slot in progress.bracket
        for side in slot.sides
    }
    by_players = {
        frozenset(pairing.players): pairing for past in history.rounds for pairing in past.pairings
    }
    slots = []
    for slot in progress.bracket:
        players = progress.so_far(slot)
        outcome = progress.outcomes.get(slot.number)
        first, second = players
        pairing = (
            None if first is None or second is None else by_players.get(frozenset((first, second)))
        )
        slots.append(
            ShownSlot(
                slot=slot.number + 1,
                round=slot.round,
                players=players,
                from_=(_side(slot.sides[0]), _side(slot.sides[1])),
                wins=_wins_of(pairing, players),
                winner=None if outcome is None else outcome.winner,
                winner_to=leads.get(("winner", slot.number)),
                loser_to=leads.get(("loser", slot.number)),
            )
        )
    return slots


def _side(side: Side) -> ShownSide:
    return ShownSide(side.kind, side.number + 1)


def _wins_of(pairing: Pairing | None, players: tuple[int | None, int | None]) -> tuple[int, int]:
    if pairing is None:
        return 0, 0
    wins = dict(zip(pairing.players, count_wins(pairing.matches, 2), strict=True))
    return wins[players[0] or 0], wins[players[1] or 0]
