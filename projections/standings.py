"""The standings of a tournament, from what everybody may see of it."""

from msgspec import Struct

from domain.game import Result
from projections.tournaments import Shown


class Standing(Struct, frozen=True):
    """How a player has done in the matches that count: played, won alone or with a side, shared
    with all the others who won, lost. A match may be played without winning or losing it."""

    player: int
    name: str
    played: int
    won: int
    shared: int
    lost: int


def standings(shown: Shown) -> list[Standing]:
    """Every player of the roster: most matches won first, then most shared, then by name."""
    tallies = [[0, 0, 0, 0] for _ in shown.players]
    for match in shown.matches.values():
        if match.result is not None:
            for seat, player in enumerate(match.players):
                tally = tallies[player]
                tally[0] += 1
                counted = _counted(match.result, seat)
                if counted is not None:
                    tally[counted] += 1
    rows = [
        Standing(player, name, *tally)
        for player, (name, tally) in enumerate(zip(shown.players, tallies, strict=True))
    ]
    return sorted(rows, key=lambda row: (-row.won, -row.shared, row.name))


def _counted(result: Result, seat: int) -> int | None:
    """Which column of the tally a seat's outcome is counted in: 1 won, 2 shared, 3 lost."""
    if seat in result.winners:
        return 2 if result.shared else 1
    return 3 if seat in result.losers else None
