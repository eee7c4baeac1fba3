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


def rank_standings(standings: Iterable[Standing]) -> list[Standing]:
    """Most matches won first, then most shared, then by name."""
    return sorted(standings, key=lambda row: (-row.won, -row.shared, row.name))


def tally_match(players: Iterable[int], result: Result) -> Iterator[tuple[int, Tally]]:
    """What a match that counts adds to the tally of each of its players, seat by seat."""
    for seat, player in enumerate(players):
        has_won = seat in result.winners
        has_lost = not has_won and seat in result.losers
        has_shared = has_won and result.shared
        yield player, (1, int(has_won and not has_shared), int(has_shared), int(has_lost))


def standings(
    state: Tournament, corrections: Mapping[str, Result | None] = AS_THEY_COUNT
) -> list[Standing]:
    """The standings of a tournament, as if these matches counted with these `corrections`, or not
    at all with None. Those of players whose results a ruling has annulled count for no one."""
    annulled = {player for player, facts in state.competition.people.items() if facts.annulled}
    tallies = {player: [0, 0, 0, 0] for player in range(len(state.players))}
    for match, entry in state.matches.items():
        result = corrections.get(match, entry.result)
        if result is None or not annulled.isdisjoint(entry.players):
            continue
        for player, tally in tally_match(entry.players, result):
            if player in tallies:
                tallies[player] = [sum(both) for both in zip(tallies[player], tally, strict=True)]
    return rank_standings(
        Standing(player, state.players[player], *tally_row) for player, tally_row in tallies.items()
    )
