"""Shootout: the best of each table go on until one table is left."""

from collections.abc import Mapping, Sequence

from domain.game import Refused, Result
from domain.tournament.format import Format
from domain.tournament.history import (
    Draft,
    History,
    Pairing,
    byes_beforehand,
    order_by_lots,
    present,
)
from domain.tournament.scores import counting, deciding, scores_of, standing, total
from domain.tournament.stages import MOST_ROUNDS, Stage
from domain.tournament.tables import table_sizes, tables_of
from domain.tournament.tiebreaks import Ranking, Reckoning


def _rounds(stage: Stage, entrants: int) -> int:
    """The rounds until one table is left. Raises Refused, naming the round, if one before has no
    tables or lets as many go on as it had."""
    players, number = entrants, 1
    while True:
        try:
            tables = len(table_sizes(players, stage.seats))
        except Refused as refused:
            raise Refused(refused.code, f"round {number}: {refused.text}") from None
        if tables == 1:
            return number
        remaining = tables * stage.advance
        if remaining >= players or number == MOST_ROUNDS:
            raise Refused("too_few_players", f"round {number}: as many go on as sit down")
        players, number = remaining, number + 1


def _check(stage: Stage, entrants: int) -> None:
    _rounds(stage, entrants)


def _draft(history: History) -> Draft:
    """The tables of those who are left; one who has withdrawn leaves a seat empty."""
    if history.rounds and len(history.rounds[-1].pairings) == 1:
        raise Refused("no_pairing", "the last table has been played")
    here = {entrant.player for entrant in present(history)}
    players = [player for player in _still_in(history) if player in here]
    points = {player: total(scores) for player, scores in scores_of(history).items()}
    tables = tables_of(history, players, points)
    byes = byes_beforehand(history) if not history.rounds else ()
    return Draft("tables", "1", tables, byes)


def _still_in(history: History) -> Sequence[int]:
    """The players who can go on: the best of each table of the last round."""
    if not history.rounds:
        return history.players
    lots = order_by_lots(history)
    return [
        player
        for pairing in history.rounds[-1].pairings
        for player in _rank(pairing, lots)[: history.stage.advance]
    ]


def _rank(pairing: Pairing, lots: Mapping[int, int]) -> Sequence[int]:
    """The players of a table from the best to the worst; lots separate those who are level."""
    result = deciding(pairing)
    if result is None:
        return ()
    order = {player: place for place, player in enumerate(pairing.players)}
    return sorted(
        pairing.players, key=lambda player: (*_worst_first(result, order[player]), lots[player])
    )


def _worst_first(result: Result, seat: int) -> tuple[int, int]:
    outcome, score = standing(result, seat)
    return -outcome, -score


def _places(history: History, reckoning: Reckoning) -> Ranking:
    """By the round that was reached, then by the result and the score at its table."""
    best: dict[int, tuple[int, int, int]] = dict.fromkeys(history.players, (0, 0, 0))
    for number, past_round in enumerate(history.rounds, 1):
        for pairing in past_round.pairings:
            result = counting(pairing)
            for seat, player in enumerate(pairing.players):
                at_table = (0, 0) if result is None else standing(result, seat)
                best[player] = (number, *at_table)
    return reckoning.order(history.players, best.__getitem__)


FORMAT = Format(
    "shootout",
    range(3, 65),
    (),
    _draft,
    check=_check,
    rounds=_rounds,
    places=_places,
    byes_asked=False,
    left=_still_in,
)
