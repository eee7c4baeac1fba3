"""Swiss: players of equal points meet, no one meets the same opponent twice while that can be
avoided. Two seats by the FIDE Dutch system, more by tables."""

from domain.game import Refused
from domain.tournament.dutch import draft_round
from domain.tournament.format import Format
from domain.tournament.history import Draft, History, byes_beforehand, present
from domain.tournament.scores import after_penalties, scores_of
from domain.tournament.stages import Stage
from domain.tournament.tables import table_sizes, tables_of


def _rounds(stage: Stage, entrants: int) -> int:
    """As many as the stage says, or as decide among so many players."""
    return stage.rounds or max(1, (entrants - 1).bit_length())


def _check(stage: Stage, entrants: int) -> None:
    if stage.seats > 2:
        table_sizes(entrants, stage.seats)
        return
    if entrants < 2:
        raise Refused("too_few_players", "a round needs two players")
    most = entrants - 1 + entrants % 2
    if _rounds(stage, entrants) > most:
        raise Refused("too_many_rounds", f"{entrants} players can play {most} rounds")


def _draft(history: History) -> Draft:
    rounds = _rounds(history.stage, len(history.entrants))
    if history.next_round > rounds:
        raise Refused("no_pairing", f"the stage has {rounds} rounds")
    if history.stage.seats == 2:
        return draft_round(history, rounds)
    players = [entrant.player for entrant in present(history)]
    points = after_penalties(history, scores_of(history))
    return Draft("tables", "1", tables_of(history, players, points), byes_beforehand(history))


FORMAT = Format(
    "swiss",
    range(2, 65),
    ("buchholz_cut_1", "buchholz", "head_to_head", "wins"),
    _draft,
    _check,
    _rounds,
    late_entry=True,
)
