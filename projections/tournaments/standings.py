"""The standings of a tournament: how matches count in them, and how players are ranked."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from domain.game import Result
from projections.fields import Player

Tally = tuple[int, int, int, int]
"""How many matches: played, won, shared, lost."""


class Standing(Struct, frozen=True):
    """How a player has done in the matches that count: played, won alone or with a side, shared
    with all the others who won, lost. A match may be played without winning or losing it."""

    player: Player
    name: str
    played: int
    won: int
    shared: int
    lost: int


def ranked(standings: Iterable[Standing]) -> list[Standing]:
    """Most matches won first, then most shared, then by name."""
    return sorted(standings, key=lambda row: (-row.won, -row.shared, row.name))


def counted(players: Iterable[int], result: Result) -> Iterator[tuple[int, Tally]]:
    """What a match that counts adds to the tally of each of its players, seat by seat."""
    for seat, player in enumerate(players):
        won = seat in result.winners
        lost = not won and seat in result.losers
        shared = won and result.shared
        yield player, (1, int(won and not shared), int(shared), int(lost))


def standings(
    players: Sequence[str],
    matches: Iterable[tuple[Sequence[int], Result | None]],
    annulled: Collection[int] = (),
) -> list[Standing]:
    """The standings of these players after matches between some of them, by their numbers, seat by
    seat, with the result that counts, if any. Those of `annulled` players count for no one."""
    tallies = {player: [0, 0, 0, 0] for player in range(len(players))}
    for seats, result in matches:
        counts = result is not None and not set(seats).intersection(annulled)
        for player, tally in counted(seats, result) if counts and result is not None else ():
            if player in tallies:
                tallies[player] = [sum(both) for both in zip(tallies[player], tally, strict=True)]
    return ranked(Standing(player, players[player], *tally) for player, tally in tallies.items())
