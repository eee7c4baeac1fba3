"""The contract of a format: what follows from the public record of a stage; and a pairing of two
that is decided by the best of several matches."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from domain.tournament.history import Draft, History, Pairing
from domain.tournament.scores import (
    Missed,
    after_penalties,
    annulled_by_ruling,
    scores_of,
    usual_bye,
)
from domain.tournament.stages import BestOf, Stage, Tiebreak
from domain.tournament.tiebreaks import Crosstable, Ranking, Reckoning


def any_stage(stage: Stage, entrants: int) -> None:
    """The default `check`: any settings, any number of entrants."""


def by_points(history: History, reckoning: Reckoning) -> Ranking:
    """The default `places`: by points, then by the tiebreaks."""
    return reckoning.order(history.players)


def everyone(history: History) -> Collection[int]:
    """The default `left`: no one is out before the stage is over."""
    return history.players


def no_groups(history: History) -> Sequence[Sequence[int]]:
    """The default `groups`: all meet all."""
    return ()


def as_set(stage: Stage, entrants: int) -> int | None:
    """The default `rounds`: as many as the stage says."""
    return stage.rounds


Next = Literal["match", "lots"] | None


def one_match(stage: Stage, pairing: Pairing) -> Next:
    """The default `goes_on`: a pairing is one match."""
    return None


@dataclass(frozen=True)
class Format:
    """A format. Every function is pure and total, but `check` and `draft` raise Refused.

    `check` is asked with the number of entrants before the stage opens; `rounds` says how many
    rounds there are then, None for as many as the organiser publishes. `draft` is the next round,
    `places` orders the players. `seats`: how many may sit at a table. `predetermined`: who meets
    whom does not depend on results. `missed` and `annulled` say how rounds without a table
    count, and whose results count for no one; `goes_on` what a pairing needs besides its matches so
    far. With `late_entry` players who enter while the stage is open are paired in its next rounds;
    with `byes_asked` players may ask for a bye. `groups` are those in which the players meet, if
    there are several; `left` are those who cannot be left out of the next round. With `episodes`
    each round names its games, as that of a show does.
    """

    id: str
    seats: range
    tiebreaks: tuple[Tiebreak, ...]
    draft: Callable[[History], Draft]
    check: Callable[[Stage, int], None] = any_stage
    rounds: Callable[[Stage, int], int | None] = as_set
    places: Callable[[History, Reckoning], Ranking] = by_points
    predetermined: bool = False
    late_entry: bool = False
    byes_asked: bool = True
    episodes: bool = False
    goes_on: Callable[[Stage, Pairing], Next] = one_match
    missed: Missed = usual_bye
    annulled: Callable[[History], frozenset[int]] = annulled_by_ruling
    groups: Callable[[History], Sequence[Sequence[int]]] = no_groups
    left: Callable[[History], Collection[int]] = everyone


def group_numbers(form: Format, history: History) -> Mapping[int, int]:
    """The group of each player, from 1; empty where there are none, or one alone."""
    if history.stage.groups == 1:
        return {}
    groups = enumerate(form.groups(history), 1)
    return {player: number for number, group in groups for player in group}


def reckoning_of(form: Format, history: History) -> Reckoning:
    """What the places of a stage in this format are computed from."""
    tiebreaks = history.stage.tiebreaks
    scores = scores_of(history, form.annulled(history), form.missed)
    return Reckoning(
        form.tiebreaks if tiebreaks is None else tiebreaks,
        after_penalties(history, scores),
        Crosstable(history, scores, form.predetermined),
    )


def winner_of(best_of: BestOf, pairing: Pairing) -> tuple[bool, int | None]:
    """Whether a pairing is decided, and for whom: the first to win more than half of `best_of`, or
    whom lots name; no one if all have lost."""
    if pairing.lots is not None:
        return True, pairing.lots
    wins = [0] * len(pairing.players)
    for match in pairing.deciding:
        if match.result is None or match.result.shared:
            continue
        if not match.result.winners:
            return True, None
        wins[match.result.winners[0]] += 1
    best = max(wins)
    if best <= best_of // 2:
        return False, None
    return True, pairing.players[wins.index(best)]


def goes_on(stage: Stage, pairing: Pairing) -> Next:
    """Another match while none has won enough; lots after `replays` matches that were shared."""
    if any(match.open for match in pairing.matches) or winner_of(stage.best_of, pairing)[0]:
        return None
    draw_count = sum(match.result is not None and match.result.shared for match in pairing.matches)
    return "lots" if draw_count > stage.replays else "match"


def death_goes_on(stage: Stage, best_of: BestOf, pairing: Pairing) -> Next:
    """The same for the death match of a show, of which one goes home: lots decide if both have
    lost."""
    if winner_of(best_of, pairing) == (True, None):
        return "lots"
    return goes_on(replace(stage, best_of=best_of), pairing)
