"""Standings, cards and reports of a stage: they say the same, also to other programs."""

import csv
from fractions import Fraction
from random import Random

import pytest
from caissify_pairings.trf import parse_trf
from msgspec.structs import replace

from domain.game import Refused, Result
from domain.rulings.commands import Rule
from domain.rulings.kinds import Penalty
from domain.rulings.tournament_decide import RuleTournament
from domain.tournament.stage_commands import AskBye, Withdraw
from domain.tournament.stages import Stage, StageMatch, StagePoints
from projections.tournaments.players import show_card, show_player
from projections.tournaments.reports import report_of, table_of
from projections.tournaments.stage_standings import show_standings
from projections.tournaments.standings import Standing, rank_standings, tally_match
from tests.domain.tournament.stage_play import Organiser
from tests.support.instants import NOON
from tests.support.tables.correction_tables import OLGA

CHESS = StagePoints(win=2, share=1, loss=0, bye=2, bye_asked=1, absent=0)
FOOTBALL = StagePoints(win=3, share=1, loss=0, bye=3, bye_asked=1, absent=0)


def played(points: StagePoints = CHESS, seed: int = 0) -> Organiser:
    """A Swiss of eleven with a bye that was asked for, a withdrawal, and an open last round."""
    stage = Stage("Swiss", "swiss", StageMatch("dollar-prize"), points=points, rounds=6)
    organiser = Organiser(11, stage, rng=Random(seed))
    organiser.do(AskBye(3, 1, 2))
    for number in range(5):
        if number == 3:
            organiser.do(Withdraw(5, "ill"))
        organiser.rounds(1)
    organiser.publish()
    return organiser


def report(organiser: Organiser) -> str:
    state = organiser.state
    return report_of("Spring Cup", state.competition, 1, state.results, state.players)


@pytest.mark.parametrize(("points", "win"), [(CHESS, 1.0), (FOOTBALL, 3.0)], ids=["2-1-0", "3-1-0"])
@pytest.mark.parametrize("seed", range(5))
def test_a_report_says_who_met_whom_with_which_result(
    points: StagePoints, win: float, seed: int
) -> None:
    organiser = played(points, seed)
    stage = organiser.state.competition.stages[0]
    read = parse_trf(report(organiser))
    rows = {one["starting_number"] - 1: one for one in read["players"]}
    assert read["tournament"]["name"] == "Spring Cup"
    assert [rows[player]["name"] for player in range(11)] == list(organiser.state.players)
    given = {"1": win, "=": points.share * win / points.win, "0": 0.0, "U": win, "Z": 0.0}
    given["H"] = given["="]
    for row in rows.values():
        assert row["score"] == pytest.approx(
            sum(given[one["result"]] for one in row["results"].values()), abs=0.05
        )
        assert set(row["results"]) == {1, 2, 3, 4, 5}, "the open round is left out"
    for one in stage.rounds[:5]:
        for table in one.tables:
            first, second = (rows[player]["results"][one.number] for player in table.players)
            assert (first["opponent"] - 1, second["opponent"] - 1) == table.players[::-1]
            assert (first["color"], second["color"]) == ("w", "b")
    assert rows[3]["results"][2]["result"] == "H"
    assert rows[5]["results"][4]["result"] == "Z"


@pytest.mark.parametrize(
    ("points", "lines"),
    [
        (CHESS, []),
        (FOOTBALL, ["BBW  3.0", "BBD  1.0"]),
        (replace(CHESS, bye=1, absent=1), ["BBZ  0.5", "BBU  0.5"]),
        (replace(CHESS, loss=1), ["BBL  0.5", "BBF  0.5"]),
    ],
    ids=["2-1-0", "3-1-0", "bye and absence", "loss"],
)
def test_points_that_are_not_those_of_chess_stand_in_the_report(
    points: StagePoints, lines: list[str]
) -> None:
    text = report(played(points)).splitlines()
    assert [line for line in text if line.startswith("BB")] == lines


@pytest.mark.parametrize(
    "stage",
    [
        Stage("T", "swiss", StageMatch("together"), seats=4),
        Stage("P", "swiss", StageMatch("dollar-prize"), points=StagePoints(places=(3, 1))),
        Stage("N", "swiss", StageMatch("dollar-prize")),
    ],
    ids=["tables", "places", "not begun"],
)
def test_a_stage_that_a_report_cannot_tell_is_refused(stage: Stage) -> None:
    with pytest.raises(Refused, match="no_report"):
        report(Organiser(8, stage))


def test_a_table_has_a_row_a_player_in_order_of_place() -> None:
    organiser = played()
    state = organiser.state
    people = [show_player(state, number) for number in range(11)]
    people[2] = type(people[2])(2, "=1+1", "entered", 1800, None, "@home", None)
    text = table_of(state.competition, 1, state.results, people)
    rows = list(csv.DictReader(text.splitlines()))
    assert [int(row["place"]) for row in rows] == sorted(int(row["place"]) for row in rows)
    by_player = {int(row["player"]): row for row in rows}
    assert (by_player[2]["name"], by_player[2]["team"]) == ("'=1+1", "'@home")
    assert by_player[5]["status"] == "withdrawn"
    assert by_player[3]["round 2 met"] == "bye_asked"
    for one in organiser.state.competition.stages[0].rounds:
        for table in one.tables:
            first, second = table.players
            assert by_player[first][f"round {one.number} met"] == str(second)


def test_a_card_adds_up_to_the_standings() -> None:
    one = Organiser(5, Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3))
    one.rounds(1)
    one.do(AskBye(1, 1, 2))
    one.do(RuleTournament(Rule("r", Penalty(0, 1, 1), "late", OLGA), None, NOON))
    one.publish()
    state = one.state
    standings = {1: show_standings(state.competition, 1, state.results, state.players)}
    rounds = state.competition.stages[0].rounds
    for row in standings[1].rows:
        card = show_card(state, row.player, standings)
        (stage,) = card.stages
        assert (stage.place, stage.points, stage.penalty) == (row.place, row.points, row.penalty)
        assert Fraction(card.rounds[-1].total) - row.penalty == Fraction(row.points)
        assert [one.round for one in card.rounds] == [1, 2]
        for shown, played in zip(card.rounds, rounds, strict=True):
            tables = [table for table in played.tables if row.player in table.players]
            met = {player for table in tables for player in table.players} - {row.player}
            assert set(shown.opponents) == met
            assert shown.matches == (tables[0].matches if tables else ())
            assert (shown.result is None) == (shown.score is None) == (shown.kind != "played")
    assert show_card(state, 1, standings).rounds[1].kind == "bye_asked"
    assert show_card(state, 0, standings).stages[0].penalty == 1


WON = Result((0,), (1,), False, (3, 1))
SHARED = Result((0, 1), (), True, (2, 2))
SIDES = Result((0, 2), (1,), False, (3, 1, 3, 0))


def test_a_match_counts_for_everybody_who_played_in_it() -> None:
    assert list(tally_match((7, 4), WON)) == [(7, (1, 1, 0, 0)), (4, (1, 0, 0, 1))]
    assert list(tally_match((7, 4), SHARED)) == [(7, (1, 0, 1, 0)), (4, (1, 0, 1, 0))]


def test_a_side_wins_together_and_the_undecided_have_played() -> None:
    assert list(tally_match((3, 2, 1, 0), SIDES)) == [
        (3, (1, 1, 0, 0)), (2, (1, 0, 0, 1)), (1, (1, 1, 0, 0)), (0, (1, 0, 0, 0)),
    ]  # fmt: skip


def test_a_winner_has_not_lost() -> None:
    assert list(tally_match((0,), Result((0,), (0,), False, (1,)))) == [(0, (1, 1, 0, 0))]


def test_standings_are_sorted_by_won_shared_and_name() -> None:
    ann, ben = Standing(0, "Ann", 3, 1, 1, 1), Standing(1, "Ben", 1, 1, 0, 0)
    cy, abe = Standing(2, "Cy", 1, 0, 1, 0), Standing(3, "Abe", 9, 0, 0, 9)
    zoe = Standing(4, "Zoe", 0, 0, 0, 0)
    assert rank_standings([zoe, abe, cy, ben, ann]) == [ann, ben, cy, abe, zoe]
