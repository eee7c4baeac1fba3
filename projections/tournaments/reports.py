"""A stage for other programs: as a report of FIDE (TRF16), and as a table."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from typing import Any

from caissify_pairings.trf import write_trf
from msgspec.structs import replace

from domain.game import Refused
from domain.tournament.competition import (
    Competition,
    Results,
    StageState,
    history_of,
    stage_of,
    with_stage,
)
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.history import History, Pairing, seeded
from domain.tournament.scores import Score, Scores, counting
from domain.tournament.stages import StagePoints
from projections.tournaments.players import ShownPlayer

SEATS = ("w", "b")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def report_of(
    title: str, competition: Competition, number: int, results: Results, players: Sequence[str]
) -> str:
    """The closed rounds of a stage for two seats as a TRF16 text. Players are numbered as they are
    seeded, from 1; their points are those before penalties.

    Raises Refused for a stage that such a report cannot tell.
    """
    history = closed_history(competition, number, results)
    points = history.stage.points
    if history.stage.seats != 2 or points.places is not None or not history.entrants:
        raise Refused("no_report")
    form = FORMATS[history.stage.format]
    reckoning = reckoning_of(form, history)
    order = [player for tie in form.places(history, reckoning).ties for player in tie]
    numbers = {entrant.player: place for place, entrant in enumerate(seeded(history), 1)}
    unit, scores = _unit(points), reckoning.crosstable.scores
    rows = [
        {
            "starting_number": numbers[player],
            "name": players[player],
            "rating": competition.people[player].rating or 0,
            "score": float(sum(score.points for score in scores[player]) / unit),
            "rank": 1 + order.index(player),
            "results": dict(_rounds(history, scores, player, numbers)),
        }
        for player in history.players
    ]
    rounds = form.rounds(history.stage, len(history.entrants)) or len(history.rounds)
    head = {"name": title, "system": history.stage.format, "color_method": "white1"}
    return "\n".join((write_trf(head, rows, rounds), *_point_lines(points, unit), ""))


def closed_history(competition: Competition, number: int, results: Results) -> History:
    """The history of a stage without the rounds that are not closed."""
    stage: StageState = stage_of(competition, number)
    rounds = tuple(round_ for round_ in stage.standing if round_.status == "closed")
    return history_of(
        with_stage(competition, number, replace(stage, rounds=rounds)), number, results
    )


def _unit(points: StagePoints) -> Fraction:
    """What counts as one point: a win, if tenths of it then tell all points; else a point."""
    win = points.win or 1
    values = (points.share, points.loss, points.bye, points.bye_asked, points.absent)
    return Fraction(win if all(value * 10 % win == 0 for value in values) else 1)


def _point_lines(points: StagePoints, unit: Fraction) -> Iterator[str]:
    """The points that are not those of chess."""
    usual = {
        "BBW": (points.win, Fraction(1)),
        "BBD": (points.share, Fraction(1, 2)),
        "BBL": (points.loss, Fraction(0)),
        "BBF": (points.loss, Fraction(0)),
        "BBZ": (points.absent, Fraction(0)),
        "BBU": (points.bye, points.win / unit),
    }
    for code, (value, usual_value) in usual.items():
        if value / unit != usual_value:
            yield f"{code} {float(value / unit):4.1f}"


def _rounds(
    history: History, scores: Scores, player: int, numbers: Mapping[int, int]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rounds of a player, by their number."""
    for score, past in zip(scores[player], history.rounds, strict=True):
        pairing = next((table for table in past.pairings if player in table.players), None)
        if pairing is None or score.kind == "void":
            yield score.round, {"result": _unpaired(score, history.stage.points)}
            continue
        seat = pairing.players.index(player)
        opponent = numbers[pairing.players[1 - seat]]
        result = _result(pairing, seat, score)
        yield score.round, {"opponent": opponent, "color": SEATS[seat], "result": result}


def _unpaired(score: Score, points: StagePoints) -> str:
    """The letter of a round without an opponent. Raises Refused if no letter gives its points."""
    if score.kind == "bye" and score.points == points.bye:
        return "U"
    letters = {points.win: "F", points.share: "H", points.absent: "Z", 0: "Z"}
    if score.points not in letters:
        raise Refused("no_report")
    return letters[int(score.points)]


def _result(pairing: Pairing, seat: int, score: Score) -> str:
    """The sign of a match: a win, a share or a loss, by play or by an absence."""
    result = counting(pairing)
    if result is not None and result.shared:
        return "="
    win, loss = ("+", "-") if score.kind == "forfeit" else ("1", "0")
    return win if score.won else loss


def table_of(
    competition: Competition, number: int, results: Results, players: Sequence[ShownPlayer]
) -> str:
    """The standings of a stage as CSV with a head (RFC 4180): for each player the place, what the
    roster says, points, tiebreaks, and for each round the points and the opponents, whose numbers
    are those of the roster. What a spreadsheet would take for a formula is preceded by `'`."""
    history = history_of(competition, number, results)
    form = FORMATS[history.stage.format]
    reckoning = reckoning_of(form, history)
    rounds = [round_.number for round_ in stage_of(competition, number).standing]
    text = StringIO()
    table = csv.writer(text)
    columns = ["player", "name", "status", "rating", "seed", "team"]
    about = ["place", *columns, "points", "played", "penalty", *reckoning.tiebreaks]
    table.writerow(
        about + [f"round {round_} {what}" for round_ in rounds for what in ("points", "met")]
    )
    for row in reckoning.rows(form.places(history, reckoning)):
        player = players[row.player]
        facts = [_cell(getattr(player, name)) for name in columns]
        values = [row.place, *facts, row.points, row.played, row.penalty, *row.tiebreaks]
        past = reckoning.crosstable.scores[row.player]
        table.writerow(
            values + [cell for score in past for cell in (score.points, _opponents_of(score))]
        )
    return text.getvalue()


def _opponents_of(score: Score) -> str:
    """The opponents of a round, or what it was instead."""
    return " ".join(map(str, score.opponents)) or score.kind


def _cell(value: object) -> object:
    """A value as a cell that no spreadsheet computes."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value
