"""The rounds of an elimination show, folded from their events."""

from msgspec.structs import replace

from domain.tournament.competition import MatchTable, PublishedRound, Results
from domain.tournament.episodes import DEATH, TWO, Episode
from domain.tournament.show_events import (
    CandidatesNamed,
    ChoiceOpened,
    ImmuneNamed,
    OpponentChosen,
    PlayerEliminated,
    ShowEvent,
)


def round_after(before: PublishedRound, event: ShowEvent, results: Results) -> PublishedRound:
    """A round of a show after an event of it; the death match has a table once two are to meet. One
    that was closed without candidates is open again when some are named."""
    assert before.show is not None, "it is a round of a show"
    show = _episode_after(before.show, event, before, results)
    meet = _who_meets(show)
    death = (MatchTable(DEATH, meet, ()),) if meet and len(before.tables) < DEATH else ()
    tables = (*before.tables, *death)
    return replace(before, show=show, tables=tables, status="published", closed=None)


def _episode_after(
    show: Episode, event: ShowEvent, before: PublishedRound, results: Results
) -> Episode:
    match event:
        case ImmuneNamed(players=players):
            counted = results[before.tables[0].matches[-1]].result
            return replace(show, immune=players, counted=counted)
        case CandidatesNamed(players=players):
            return replace(show, candidates=players)
        case ChoiceOpened(until=until):
            return replace(show, choice_until=until)
        case OpponentChosen(player=player, by=by):
            return replace(show, opponent=player, chosen_by=by)
        case PlayerEliminated(player=player):
            return replace(show, eliminated=player)


def _who_meets(show: Episode) -> tuple[int, ...]:
    """The two players of the death match; none while they are not known."""
    candidates = show.candidates or ()
    if len(candidates) == TWO:
        return candidates
    return () if show.opponent is None else (*candidates, show.opponent)
