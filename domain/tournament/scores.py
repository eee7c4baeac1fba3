"""What each round gives to each player of a stage, in points and in what tiebreaks need."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from domain.game import Result
from domain.tournament.history import Bye, History, Pairing
from domain.tournament.stages import StagePoints

Exact = int | Fraction
"""An exact number: a whole one is an int, with which it is much faster to reckon."""

RoundKind = Literal["played", "forfeit", "open", "void", "bye", "bye_asked", "absent"]


class Score(NamedTuple):
    """A round of a player: the points it gave, the opponents that were met or should have been met,
    with the points taken from each, whether it was won, and the score at the table."""

    round: int
    kind: RoundKind
    points: Exact = 0
    opponents: tuple[int, ...] = ()
    against: tuple[Exact, ...] = ()
    won: bool = False
    margin: Exact = 0
    score: int = 0

    @property
    def voluntary(self) -> bool:
        """Whether the player did not play this round by their own doing (FIDE C.07, 16.1.2)."""
        return self.requested or (self.kind == "forfeit" and not self.won)

    @property
    def requested(self) -> bool:
        """Whether the player asked for no opponent, or was not there (FIDE C.07, 16.1.1)."""
        return self.kind in ("bye_asked", "absent")


Scores = Mapping[int, Sequence[Score]]
"""The rounds of each entrant, in order."""


Missed = Callable[[History, int, Bye, frozenset[int]], Score]
"""A round of a player by its number without a table, where the results of these players are
annulled. One in which a player has no bye either is a bye without a reason."""


def usual_bye(history: History, number: int, bye: Bye, annulled: frozenset[int]) -> Score:
    """A bye in a round."""
    points = history.stage.points
    usual_points = {"bye": points.bye, "bye_asked": points.bye_asked, "absent": points.absent}[
        bye.kind
    ]
    is_walkover = bye.because == ("opponent_withdrawn",)
    return Score(number, bye.kind, points.win if is_walkover else usual_points)


def annulled_by_ruling(history: History) -> frozenset[int]:
    """The players whose results a ruling has annulled."""
    return frozenset(entrant.player for entrant in history.entrants if entrant.annulled)


def scores_of(
    history: History, annulled: frozenset[int] = frozenset(), score_bye: Missed = usual_bye
) -> Scores:
    """The rounds so far of each entrant; one who had not entered yet was absent. Matches of
    `annulled` players are void, and byes give them nothing."""
    points = history.stage.points
    scores: dict[int, list[Score]] = {player: [] for player in history.players}
    for number, past_round in enumerate(history.rounds, 1):
        round_scores = _of_round(points, number, past_round.pairings, annulled)
        byes = {bye.player: bye for bye in past_round.byes}
        for player, past in scores.items():
            score = round_scores.get(player)
            if score is None:
                bye = byes.get(player) or Bye(player, "absent", ())
                none = player in annulled
                score = (
                    Score(number, bye.kind) if none else score_bye(history, number, bye, annulled)
                )
            past.append(score)
    return scores


@lru_cache(maxsize=256)
def _of_round(
    points: StagePoints, number: int, pairings: tuple[Pairing, ...], annulled: frozenset[int]
) -> Mapping[int, Score]:
    """The round of each player who had a table: a result changes that of one round, and the others
    are known."""
    return {
        player: score
        for pairing in pairings
        for player, score in _of_pairing(points, number, pairing, annulled)
    }


def total(scores: Sequence[Score]) -> Exact:
    """The points of these rounds."""
    return sum(score.points for score in scores)


def ratio(number: int, of: int) -> Exact:
    """A number divided by another one, exactly."""
    return Fraction(number, of) if number % of else number // of


def after_penalties(history: History, scores: Scores) -> Mapping[int, Exact]:
    """The points of each entrant, less what penalties take."""
    penalties = history.penalties
    return {player: total(past) - penalties.get(str(player), 0) for player, past in scores.items()}


def counting(pairing: Pairing) -> Result | None:
    """The result of a pairing that is one match: that of its last one, which may be a rematch."""
    return pairing.matches[-1].result if pairing.matches else None


def deciding(pairing: Pairing) -> Result | None:
    """The result by which it was decided who goes on."""
    return pairing.deciding[-1].result if pairing.deciding else None


def _of_pairing(
    points: StagePoints, number: int, pairing: Pairing, annulled: frozenset[int]
) -> Iterator[tuple[int, Score]]:
    result = counting(pairing)
    kind = _kind_of(pairing, annulled)
    for seat, player in enumerate(pairing.players):
        others = tuple(other for other in pairing.players if other != player)
        if result is None or kind in ("open", "void"):
            yield player, Score(number, kind, opponents=others)
        else:
            seat_score = _of_seat(points, result, seat)
            yield player, seat_score._replace(round=number, kind=kind, opponents=others)


def _kind_of(pairing: Pairing, annulled: frozenset[int]) -> RoundKind:
    if not annulled.isdisjoint(pairing.players) or (pairing.matches and pairing.matches[-1].void):
        return "void"
    if counting(pairing) is None:
        return "open"
    return "forfeit" if pairing.matches[-1].forfeit else "played"


@lru_cache(maxsize=4096)
def _of_seat(points: StagePoints, result: Result, seat: int) -> Score:
    """What a result gives to a seat, of a round without a number: many matches end alike."""
    others = (other for other in range(len(result.scores)) if other != seat)
    return Score(
        0,
        "played",
        points=points_at(points, result, seat),
        against=tuple(_against(points, result, seat, other) for other in others),
        won=seat in result.winners and not result.shared,
        margin=_margin(result, seat),
        score=result.scores[seat],
    )


def points_at(points: StagePoints, result: Result, seat: int) -> Exact:
    """The points of a seat: for its place among the scores where places give points, equal scores
    sharing those of their places; else for having won, shared or lost. All lose who lose without a
    winner, and get what an absence gives. Of a result that others share one has no part."""
    if points.places is not None and result.winners:
        mine = result.scores[seat]
        above = sum(score > mine for score in result.scores)
        level = sum(score == mine for score in result.scores)
        shares = points.places[above : above + level]
        return ratio(sum(shares), level)
    if not result.winners and seat in result.losers:
        return points.absent
    if seat in result.winners:
        return points.share if result.shared else points.win
    return points.loss if _has_lost(result, seat) else points.share


def _has_lost(result: Result, seat: int) -> bool:
    """Whether a seat has lost: a seat without a share in a shared victory is not among `losers`."""
    return seat in result.losers or (result.shared and seat not in result.winners)


def _against(points: StagePoints, result: Result, seat: int, other: int) -> Exact:
    """The points that a seat took from another: for two seats those of the match, at a larger
    table those of a match between these two."""
    if len(result.scores) == 2 or not result.winners:
        return points_at(points, result, seat)
    ahead, behind = (standing(result, each_seat) for each_seat in (seat, other))
    if ahead == behind:
        return points.share
    return points.win if ahead > behind else points.loss


def standing(result: Result, seat: int) -> tuple[int, int]:
    """What orders the seats of a table, the higher the better: winners before others, losers behind
    them, then the score."""
    return (seat in result.winners) - _has_lost(result, seat), result.scores[seat]


def _margin(result: Result, seat: int) -> Exact:
    """How far a score is above the mean of the others."""
    others = len(result.scores) - 1
    if others < 1:
        return 0
    return result.scores[seat] - ratio(sum(result.scores) - result.scores[seat], others)
