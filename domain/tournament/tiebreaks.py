"""Tiebreaks, by the rules of FIDE C.07 where it defines them (in force from 1 March 2026), and the
standings of a stage: a fold of what counts in it, the same for every reader.

Every value is an exact number; the higher is the better. Articles in brackets are those of C.07.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct

from domain.tournament.history import History, order_by_lots
from domain.tournament.scores import Exact, Score, Scores, total
from domain.tournament.stages import Tiebreak

LOWEST_RATE = Fraction(1, 3)
"""The least that an opponent's rate of wins counts."""


class Part(NamedTuple):
    """What a round, or one opponent in it, adds to a tiebreak, and whether it is counted."""

    round: int
    player: int | None
    points: Exact
    counted: bool = True
    voluntary: bool = False


class Crosstable:
    """All that the tiebreaks of one player depend on. `predetermined`: who meets whom does not
    depend on results, so a forfeit counts like a match (15.2) and a free round not at all."""

    def __init__(self, history: History, scores: Scores, predetermined: bool = False) -> None:
        self.history = history
        self.scores = scores
        self.predetermined = predetermined
        self.totals = {player: total(past) for player, past in scores.items()}
        self.adjusted = {player: self._adjusted(player) for player in scores}
        self.met = {player: self._opponents_met(past) for player, past in scores.items()}
        self.rates = {player: self._rate(past) for player, past in scores.items()}
        self._opponents: dict[int, Sequence[Part]] = {}
        self.lots = {} if history.lots is None else order_by_lots(history)

    def _adjusted(self, player: int) -> Exact:
        """A player's points as they count for the opponents: rounds at the end for which the player
        was not there count as shared (16.2.5, 16.3.2)."""
        past = self.scores[player]
        if self.predetermined or not past or not past[-1].voluntary:
            return self.totals[player]
        share = self.history.stage.points.share
        at_the_end = True
        points: Exact = 0
        for score in reversed(past):
            points += share if at_the_end and score.requested else score.points
            at_the_end = at_the_end and score.voluntary
        return points

    def _rate(self, past: Sequence[Score]) -> Fraction:
        """What a player took of the points that could be had in matches played."""
        played_scores = [score for score in past if score.kind == "played"]
        best = self.history.stage.points
        possible = len(played_scores) * max(best.places or (best.win,))
        return max(LOWEST_RATE, Fraction(total(played_scores), possible or 1))

    def encounters(self, past: Sequence[Score]) -> Sequence[Score]:
        """The rounds in which opponents were met, by a forfeit only in predetermined ones."""
        kinds = ("played", "forfeit") if self.predetermined else ("played",)
        return [score for score in past if score.kind in kinds]

    def _opponents_met(self, past: Sequence[Score]) -> set[int]:
        return {opponent for score in self.encounters(past) for opponent in score.opponents}

    def dummy(self, player: int, score: Score) -> Exact:
        """The points of the opponent whom a player has in an unplayed round: their own, at most
        those of the opponent they should have met (16.4.1), or those of one who shares every round
        (16.4.2)."""
        own = self.totals[player]
        if score.kind == "forfeit":
            return min(own, *(self.adjusted[opponent] for opponent in score.opponents))
        return min(own, self.history.stage.points.share * len(self.scores[player]))

    def opponents(self, player: int) -> Sequence[Part]:
        """What Buchholz sums: the points of the opponent of each round (8.1)."""
        if player not in self._opponents:
            self._opponents[player] = tuple(self._opponents_of(player))
        return self._opponents[player]

    def _opponents_of(self, player: int) -> Iterator[Part]:
        for score in self.scores[player]:
            unplayed = score.kind == "void" or not score.opponents
            if score.kind == "open" or (self.predetermined and unplayed):
                continue
            if score.kind == "played" or (score.kind == "forfeit" and self.predetermined):
                for opponent in score.opponents:
                    yield Part(score.round, opponent, self.adjusted[opponent])
            else:
                opponent_missed = score.opponents[0] if len(score.against) == 1 else None
                dummy = self.dummy(player, score)
                yield Part(score.round, opponent_missed, dummy, voluntary=score.voluntary)


Parts = Sequence[Part]


def _without_lowest(parts: Parts) -> Parts:
    """The lowest part is cut, of rounds that were not played voluntarily first (14.1, 16.5)."""
    lowest = min(parts, key=lambda part: (not part.voluntary, part.points), default=None)
    return [part._replace(counted=False) if part is lowest else part for part in parts]


def _without_highest(parts: Parts) -> Parts:
    counting = [part for part in parts if part.counted]
    highest = max(counting, key=lambda part: part.points, default=None)
    return [part._replace(counted=False) if part is highest else part for part in parts]


def _buchholz(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    return field.opponents(player)


def _buchholz_cut_1(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    return _without_lowest(field.opponents(player))


def _median_buchholz(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    return _without_highest(_without_lowest(field.opponents(player)))


def _sonneborn_berger(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """The points of each opponent times those taken from them (9.1)."""
    points_taken: dict[tuple[int, int | None], Exact] = {}
    for score in field.scores[player]:
        for opponent, points in zip(score.opponents, score.against, strict=False):
            points_taken[score.round, opponent] = points
        points_taken.setdefault((score.round, None), score.points)
    return [
        part._replace(points=part.points * points_taken[part.round, part.player])
        for part in field.opponents(player)
    ]


def _progressive(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """The sum of what the player had after each round (7.5)."""
    parts: list[Part] = []
    so_far: Exact = 0
    for score in field.scores[player]:
        so_far += score.points
        parts.append(Part(score.round, None, so_far))
    return parts


def _wins(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """The matches won, without byes (/docs/tournaments)."""
    return [Part(score.round, None, 1) for score in field.scores[player] if score.won]


def _head_to_head(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """The points taken from those who are level until here, if all of them have met (6); by a
    forfeit only where who meets whom does not depend on results (6.1.1, 15.2)."""
    levels = frozenset(level)
    if not all(levels - {player_here} <= field.met[player_here] for player_here in level):
        return []
    return [
        Part(score.round, opponent, points)
        for score in field.encounters(field.scores[player])
        for opponent, points in zip(score.opponents, score.against, strict=True)
        if opponent in levels
    ]


def _opponents_win_rate(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """The mean of what each opponent took of the points that could be had in matches played, each
    at least a third, as in Magic."""
    opponents = [
        (score.round, opponent)
        for score in field.scores[player]
        if score.kind == "played"
        for opponent in score.opponents
    ]
    return [
        Part(number, opponent, field.rates[opponent] / len(opponents))
        for number, opponent in opponents
    ]


def _score_difference(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    return [
        Part(score.round, None, score.margin) for score in field.scores[player] if score.opponents
    ]


def _score_sum(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    return [Part(score.round, None, score.score) for score in field.scores[player]]


def _lots(field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """The stage's order of lots: whoever stands first in it is better. Until lots are drawn it
    separates no one."""
    return [Part(0, None, len(field.lots) - field.lots.get(player, len(field.lots)))]


_PARTS: Mapping[Tiebreak, Callable[[Crosstable, int, Sequence[int]], Parts]] = {
    "head_to_head": _head_to_head,
    "buchholz": _buchholz,
    "buchholz_cut_1": _buchholz_cut_1,
    "median_buchholz": _median_buchholz,
    "sonneborn_berger": _sonneborn_berger,
    "progressive": _progressive,
    "wins": _wins,
    "opponents_win_rate": _opponents_win_rate,
    "score_difference": _score_difference,
    "score_sum": _score_sum,
    "lots": _lots,
}


def parts_of(tiebreak: Tiebreak, field: Crosstable, player: int, level: Sequence[int]) -> Parts:
    """What a tiebreak of a player is made of, among the players who are `level` until there."""
    return _PARTS[tiebreak](field, player, level)


def value_of(tiebreak: Tiebreak, field: Crosstable, player: int, level: Sequence[int]) -> Exact:
    """A tiebreak of a player, among the players who are `level` until there."""
    parts = parts_of(tiebreak, field, player, level)
    return sum(part.points for part in parts if part.counted)


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
        ties = _separate(players, rank or self.points.__getitem__)
        for tiebreak in self.tiebreaks:
            for tie in ties:
                for player in tie:
                    value = value_of(tiebreak, self.crosstable, player, tie)
                    levels[player].append(Level(value, tie))
            ties = [
                part
                for tie in ties
                for part in _separate(tie, lambda player: levels[player][-1].value)
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
        match_count = sum(score.kind == "played" for score in self.crosstable.scores[player])
        penalty = self.crosstable.history.penalties.get(str(player), 0)
        values = tuple(level.value for level in levels)
        return StandingRow(place, player, self.points[player], match_count, values, penalty)


def _separate(players: Sequence[int], rank: Rank) -> list[tuple[int, ...]]:
    """Players in falling order of rank, those of one rank together in order of number."""
    by_rank = sorted(sorted(players), key=rank, reverse=True)
    return [tuple(tie) for _, tie in groupby(by_rank, key=rank)]
