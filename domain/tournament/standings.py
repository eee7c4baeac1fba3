"""The standings of a stage: a fold of what counts in it, the same for every reader."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct

from domain.tournament.scores import Exact
from domain.tournament.stages import Tiebreak
from domain.tournament.tiebreaks import Crosstable, Parts, parts_of, value_of

Rank = Callable[[int], Any]
"""What orders players before their tiebreaks: the higher is the better."""


class StandingRow(Struct, frozen=True):
    """A player of a stage: `points` less what penalties took, `tiebreaks` in the order of the
    stage's. Players whom nothing separates share a place."""

    place: int
    player: int
    points: Exact
    played: int
    tiebreaks: tuple[Exact, ...]
    penalty: int = 0


class Level(NamedTuple):
    """A tiebreak of a player, and the players who were level until it."""

    value: Exact
    players: Sequence[int]


class Ranking(NamedTuple):
    """Players from the first to the last, those whom nothing separates together, and the tiebreaks
    of each as far as they were asked, in order."""

    ties: Sequence[Sequence[int]]
    levels: Mapping[int, Sequence[Level]]


class Reckoning(NamedTuple):
    """What the places of a stage are computed from."""

    tiebreaks: Sequence[Tiebreak]
    points: Mapping[int, Exact]
    crosstable: Crosstable

    def order(self, players: Sequence[int], rank: Rank | None = None) -> Ranking:
        """The order of these players: by `rank`, which is their points unless it is given, then by
        each tiebreak among those who are level until there."""
        levels: dict[int, list[Level]] = {player: [] for player in players}
        ties = _separated(players, rank or self.points.__getitem__)
        for tiebreak in self.tiebreaks:
            for tie in ties:
                for player in tie:
                    value = value_of(tiebreak, self.crosstable, player, tie)
                    levels[player].append(Level(value, tie))
            ties = [
                part
                for tie in ties
                for part in _separated(tie, lambda player: levels[player][-1].value)
            ]
        return Ranking(ties, levels)

    def rows(self, order: Ranking) -> list[StandingRow]:
        """The table of players in an order."""
        rows, place = [], 1
        for tie in order.ties:
            rows += [self._row(place, player, order.levels[player]) for player in sorted(tie)]
            place += len(tie)
        return rows

    def explained(self, player: int, order: Ranking) -> list[tuple[Tiebreak, Exact, Parts]]:
        """Each tiebreak of a player with what it is made of."""
        return [
            (tiebreak, level.value, parts_of(tiebreak, self.crosstable, player, level.players))
            for tiebreak, level in zip(self.tiebreaks, order.levels[player], strict=True)
        ]

    def _row(self, place: int, player: int, levels: Sequence[Level]) -> StandingRow:
        played = sum(score.kind == "played" for score in self.crosstable.scores[player])
        penalty = self.crosstable.history.penalties.get(str(player), 0)
        values = tuple(level.value for level in levels)
        return StandingRow(place, player, self.points[player], played, values, penalty)


def _separated(players: Sequence[int], rank: Rank) -> list[tuple[int, ...]]:
    """Players in falling order of rank, those of one rank together in order of number."""
    ordered = sorted(sorted(players), key=rank, reverse=True)
    return [tuple(tie) for _, tie in groupby(ordered, key=rank)]
