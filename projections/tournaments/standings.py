"""The standings of a tournament: how matches count in them, and how players are ranked."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from domain.game import Result
from domain.tournament.state import Tournament
from projections.fields import Player

Tally = tuple[int, int, int, int]
"""How many matches: played, won, shared, lost."""

AS_THEY_COUNT: Mapping[str, Result | None] = {}


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
    state: Tournament, changed: Mapping[str, Result | None] = AS_THEY_COUNT
) -> list[Standing]:
    """The standings of a tournament, as if these matches counted with the results `changed`, or not
    at all with None. Those of players whose results a ruling has annulled count for no one."""
    annulled = {player for player, one in state.competition.people.items() if one.annulled}
    tallies = {player: [0, 0, 0, 0] for player in range(len(state.players))}
    for match, added in state.matches.items():
        result = changed.get(match, added.result)
        if result is None or not annulled.isdisjoint(added.players):
            continue
        for player, tally in counted(added.players, result):
            if player in tallies:
                tallies[player] = [sum(both) for both in zip(tallies[player], tally, strict=True)]
    return ranked(Standing(player, state.players[player], *one) for player, one in tallies.items())
