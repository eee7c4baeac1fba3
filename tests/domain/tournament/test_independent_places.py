"""Points, tiebreaks and places are those that an independent program computes from the export."""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from domain.events import Event
from domain.tournament.competition import history_of
from domain.tournament.stage_events import RoundClosed, StageClosed
from domain.tournament.state import Tournament
from projections.tournaments.brackets import show_bracket
from projections.tournaments.players import show_player
from projections.tournaments.stage_standings import show_standings
from service.cli.simulating.simulated_tournament import SimulatedTournament, players_of, stages_of
from service.cli.simulating.tournament_checks import TournamentChecks
from service.http.tournaments.exports import exported_stage
from tests.domain.tournament import independent_knockout as knockout
from tests.domain.tournament.independent_places import Row, Standings
from tests.support.effort import times

pytestmark = pytest.mark.longer


class ComputedAgain(TournamentChecks):
    """Whenever a round or a stage is closed, all standings are computed twice."""

    def read(self, events: Sequence[Event], state: Tournament, at: int) -> Iterator[str]:
        if any(isinstance(event, RoundClosed | StageClosed) for event in events):
            for number, stage in enumerate(state.competition.stages, 1):
                if stage.status != "planned":
                    yield from compared(state, number)


def plain(shown: object) -> Any:
    """What is shown, as anyone reads it."""
    return json.loads(msgspec.json.encode(shown))


def compared(state: Tournament, number: int) -> Iterator[str]:
    """What the other program computes otherwise of a stage. Of an elimination, whose matches the
    export does not show, these are the places at its close, up to what tiebreaks separate."""
    competition = state.competition
    standings = show_standings(competition, number, state.results, state.players)
    exported = plain(exported_stage(state, standings))
    people = plain([show_player(state, player) for player in range(len(state.players))])
    history = history_of(competition, number, state.results)
    for entrant in history.entrants:
        people[entrant.player]["seed"] = entrant.seed  # a ruling may have given another
    lots = competition.stages[number - 1].lots or ()
    annulled = [entrant.player for entrant in history.entrants if entrant.annulled]
    shown = [
        Row(row.place, row.player, row.points, row.played, row.tiebreaks) for row in standings.rows
    ]
    if exported["stage"]["format"] == "elimination":
        if exported["stage"]["status"] != "closed":
            return
        bracket = plain(show_bracket(history))
        places = knockout.places(exported["stage"], bracket)
        order = [places[row.player] for row in shown]
        given = sorted(order) if standings.tiebreaks else [row.place for row in shown]
        if order != given:
            yield f"stage {number}: {order} and not {given} in {exported}"
        return
    for row, again in zip(shown, Standings(exported, people, lots, annulled).rows(), strict=True):
        if row != again:
            yield f"stage {number}: {again} and not {row} in {exported}"


@pytest.mark.parametrize("form", ["swiss", "round_robin", "elimination", "shootout", "by_hand"])
def test_standings_are_computed_again(form: str) -> None:
    for number in range(times("tournaments computed again")):
        rng = Random(f"again/{form}/{number}")
        players = players_of(rng, 12)
        cup = SimulatedTournament(rng, players)
        cup.checks = ComputedAgain()
        cup.play(stages_of(rng, players, form))
        assert not cup.broken, cup.broken[:3]
