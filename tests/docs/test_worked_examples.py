"""The worked examples of the guide to tournaments are what the formats compute."""

import re
from collections.abc import Iterator

import pytest

from domain.game import Result
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.history import Entrant, History, Pairing, PastRound, PlayedMatch
from domain.tournament.stages import Stage, StageMatch
from domain.tournament.tiebreaks import value_of
from tests.domain.tournament.stage_play import Organiser
from tests.support.repository import ROOT

Cells = dict[str, str]
MATCH = StageMatch("dollar-prize")
OUTCOMES = {
    "+": Result((0,), (1,), False, (1, 0)),
    "=": Result((0, 1), (), True, (1, 1)),
    "-": Result((1,), (0,), False, (0, 1)),
}


def table(head: str) -> list[Cells]:
    """The rows of the table whose head begins so."""
    page = (ROOT / "service/web/docs/tournaments.md").read_text()
    lines = page[page.index(f"| {head} |") :].partition("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def rounds(rows: list[Cells]) -> Iterator[PastRound]:
    """The rounds of a crosstable, each pairing once, by the player with the lower number."""
    for number in (1, 2, 3):
        found = [(int(row["player"].split()[0]), row[f"round {number}"]) for row in rows]
        yield PastRound(
            tuple(
                Pairing(1, (player, int(met[1:])), (), (PlayedMatch(OUTCOMES[met[0]]),))
                for player, met in found
                if player < int(met[1:])
            )
        )


def test_standings_are_as_shown() -> None:
    rows = table("player")
    players = tuple(Entrant(player) for player in range(len(rows)))
    history = History(Stage("S", "swiss", MATCH), players, tuple(rounds(rows)))
    form = FORMATS["swiss"]
    reckoning = reckoning_of(form, history)
    shown = [int(row["player"].split()[0]) for row in rows]
    assert [player for tie in form.places(history, reckoning).ties for player in tie] == shown
    for player, row in zip(shown, rows, strict=True):
        assert str(reckoning.points[player]) == row["points"]
        for tiebreak in ("buchholz_cut_1", "buchholz", "sonneborn_berger", "wins"):
            value = value_of(tiebreak, reckoning.crosstable, player, [player])
            assert str(value) == row[tiebreak], (player, tiebreak)


@pytest.mark.parametrize("row", table("format | players"), ids=lambda row: row["format"])
def test_rounds_are_as_shown(row: Cells) -> None:
    form, seats = row["format"].split("`")[1], re.search(r"`seats` (\d)", row["format"])
    stage = Stage("S", form, MATCH, seats=int(seats[1]) if seats else 2, seeding="entry")
    organiser = Organiser(int(row["players"]), stage)
    for number in (1, 2, 3):
        if shown := row[f"round {number}"]:
            organiser.publish()
            tables = organiser.state.competition.stages[0].rounds[-1].tables
            assert " ".join("-".join(map(str, one.players)) for one in tables) == shown
            for match in organiser.running():
                organiser.settle(match, lowest_wins(organiser.state.matches[match].players))


def lowest_wins(players: tuple[int, ...]) -> Result:
    best = players.index(min(players))
    losers = tuple(seat for seat in range(len(players)) if seat != best)
    return Result((best,), losers, False, tuple(9 - player for player in players))
