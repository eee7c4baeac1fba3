"""Elimination shows (/docs/tournaments#an-elimination-show): who meets whom, who goes
home, and whose garnets are whose then."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from domain.game import Refused, Result
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import Correction
from domain.rulings.tournament_decide import MatchFacts, RuleTournament
from domain.tournament.commands import NewPlayer
from domain.tournament.ledger import purse
from domain.tournament.stage_commands import AddStage, CloseStage, CloseTournament, Withdraw
from domain.tournament.stage_events import PlayerEliminated, StageClosed
from domain.tournament.stages import DeathMatch, EpisodePlan, MainMatch, PlacesOf, Stage, StageMatch
from projections.tournaments.stage_standings import show_standings
from projections.tournaments.stages import show_round
from service.cli.simulating.simulated_tournament import simulate_one
from service.cli.simulating.tournament_play import TournamentPlay
from tests.domain.tournament.show_play import ANN, BEN, CY, DEATH, DI, ED, NAMES, Show, duel, kinds

GUIDE = Path("service/web/docs/tournaments.md")


def guide_rows() -> list[list[str]]:
    """The worked example of the guide: a row a round."""
    rows = [line.strip("| ").split(" | ") for line in GUIDE.read_text().splitlines()]
    start = next(n for n, row in enumerate(rows) if row[:3] == ["episode", "wins", "loses"])
    return rows[start + 2 : start + 5]


def test_the_example_of_the_guide() -> None:
    show = Show(3, 2, 1, 0, 2)
    for row in guide_rows():
        wins, loses, chosen, home = (NAMES.index(name) for name in row[1:5])
        show.round([wins], [loses])
        show.choice(chosen, loses)
        (winner,) = {loses, chosen} - {home}
        assert PlayerEliminated(1, len(show.rounds), home) in show.end_death(winner)
        left = [one for one in range(5) if not show.state.competition.people[one].out]
        assert row[5] == ", ".join(f"{NAMES[one]} {show.purses()[one]}" for one in left)
    places = show.events[-1]
    assert isinstance(places, StageClosed)
    in_order = ", ".join(NAMES[player] for player in places.places)
    assert f"The places: {in_order}." in " ".join(GUIDE.read_text().split())


def test_a_death_match_takes_as_many_as_it_needs_and_one_goes_home() -> None:
    show = duel(best_of=3)
    assert show.end_death(BEN) == show.events[-2:]
    show.end_death(ED)
    assert PlayerEliminated(1, 1, ED) in show.end_death(BEN)


@pytest.mark.parametrize(
    ("options", "choosers"), [({}, [1, 0, 1]), ({"starter_chooser": 0}, [0, 0, 0])], ids=str
)
def test_the_chosen_opponent_names_the_starter_of_each_match(
    options: dict[str, Any], choosers: list[int]
) -> None:
    """Unless the round says otherwise."""
    show = Show()
    death = DeathMatch("grouping-bw", options, best_of=3)
    show.publish(show=EpisodePlan(MainMatch("liars-dice"), death, (tuple(range(5)),)))
    show.end_main([ANN], [ED])
    show.choice(BEN, ED)
    for winner in (BEN, ED, BEN):
        show.end_death(winner)
    named = [show.setups[f"1-1-2-{n}"].options["starter_chooser"] for n in range(3)]
    assert named == choosers


def test_where_both_lose_lots_send_one_home() -> None:
    show = duel()
    assert PlayerEliminated in kinds(show.end_death(None))


@pytest.mark.parametrize(
    ("inherit", "winners", "losers"), [("winner", 5, 0), ("house", 2, 0), ("purse", 2, 3)]
)
def test_the_garnets_of_a_player_who_goes_home(inherit: str, winners: int, losers: int) -> None:
    show = duel(0, 2, 0, 0, 3, inherit=inherit)
    show.end_death(BEN)
    assert (show.purses()[BEN], show.purses()[ED]) == (winners, losers)


def test_a_show_that_is_over_closes_and_gives_the_final_its_players() -> None:
    show = Show(until=4)
    final = PlacesOf(1, (1, 4))
    show.do(AddStage(Stage("Final", "elimination", StageMatch("dollar-prize"), entrants=final)))
    show.round([ANN], [ED])
    show.choice(BEN, ED)
    assert show.end_death(BEN)[-1] == StageClosed(1, (ANN, BEN, CY, DI, ED))
    assert show.history(2).players == (ANN, BEN, CY, DI)


def test_a_show_in_which_enough_players_leave_is_over() -> None:
    show = Show(until=4)
    show.round([ANN], [])
    assert isinstance(show.do(Withdraw(ED, "ill"))[-1], StageClosed)


@pytest.mark.parametrize(
    ("groups", "code"),
    [
        (None, "lots_not_drawn"),
        (((0, 1), (2, 3)), "not_paired"),
        (((0, 1), (1, 2, 3, 4)), "paired_twice"),
        (((0, 1, 9), (2, 3, 4)), "player_not_active"),
    ],
)
def test_groups_are_complete_or_drawn(groups: Any, code: str) -> None:
    with pytest.raises(Refused, match=code):
        TournamentPlay.draft(NotDrawn(), show=EpisodePlan(MainMatch("together"), DEATH, groups))


class NotDrawn(Show):
    """No one draws lots."""

    def draw(self, purpose: str, at: int | None = None) -> None:
        raise Refused("lots_not_drawn", f"{purpose} {at}")


def test_every_round_has_lots_of_its_own_for_its_seats() -> None:
    show, plan = Show(), EpisodePlan(MainMatch("liars-dice"), DEATH)
    seated = []
    for _ in range(2):
        show.publish(show=plan)
        seated.append(show.rounds[-1].tables[0].players)
        show.end_main([ANN], [])
    assert seated[0] != seated[1]
    assert set(seated[0]) == set(seated[1]) == set(range(5))


@pytest.mark.parametrize(
    "stage", [Stage("S", "show", StageMatch("dollar-prize")), Stage("S", "swiss", StageMatch())]
)
def test_a_show_has_no_game_and_every_other_stage_has_one(stage: Stage) -> None:
    with pytest.raises(Refused, match="settings_do_not_fit"):
        Show().do(AddStage(stage))


def test_a_round_of_a_show_names_its_games_and_no_other_round_does() -> None:
    with pytest.raises(Refused, match="settings_do_not_fit"):
        Show().publish(by_hand=Show().draft(show=EpisodePlan(MainMatch("together"), DEATH)))


def test_a_correction_changes_nothing_that_was_played_since() -> None:
    show = duel()
    show.end_death(BEN)
    before = show.rounds
    result = Result((1,), (2,), False, (0,) * 5)
    order = Correction("1-1-1-0", result)
    rule = Rule("r", order, "swapped", Actor("Olga", "org"))
    show.do(RuleTournament(rule, MatchFacts(NAMES, True, None), 0))
    assert show.rounds == before
    shown = show_round(show.state, 1, 1).show
    assert shown is not None
    assert (shown.immune, shown.candidates, shown.eliminated) == ((ANN,), (ED,), ED)
    assert shown.corrected is not None
    assert (shown.corrected.immune, shown.corrected.losers) == ((BEN,), (CY,))


def test_standings_are_by_the_round_of_elimination() -> None:
    show = Show()
    for wins, loses in ((ANN, ED), (BEN, DI)):
        show.round([wins], [loses])
        show.choice(CY, loses)
        show.end_death(CY)
    rows = show_standings(show.state.competition, 1, show.state.results, NAMES).rows
    assert [(row.place, row.player) for row in rows] == [(1, 0), (1, 1), (1, 2), (4, 3), (5, 4)]


def test_sixteen_play_a_whole_show_by_the_rules_of_its_games() -> None:
    """Together, Grouping Black & White, and a final of three games of Dollar Prize."""
    cup = TournamentPlay(0)
    for number in range(16):
        cup.do(NewPlayer(f"P{number}", 2))
    cup.do(AddStage(Stage("Show", "show", StageMatch())))
    final = PlacesOf(1, (1, 2))
    coins = StageMatch("dollar-prize")
    cup.do(AddStage(Stage("Final", "elimination", coins, final, best_of=3)))

    def play(stage: int, show: Any = UNSET) -> None:
        cup.publish(stage, show=show)
        while running := cup.running():
            cup.play_by_bots(running[0], f"{stage} {len(cup.events)}")
            cup.create()

    while cup.state.competition.stages[0].status != "closed":
        left = sum(not person.out for person in cup.state.competition.people.values())
        brought = {"garnets": [1] + [0] * (left - 1)} if left == 16 else {}
        game = MainMatch("together", brought) if left > 3 else MainMatch("liars-dice")
        play(1, EpisodePlan(game, DEATH))
    play(2)
    cup.do(CloseStage(2))
    cup.do(CloseTournament())
    (champion,) = cup.state.competition.champions or ()
    gone = [one.player for one in cup.events if isinstance(one, PlayerEliminated)]
    assert len(set(gone)) == 14
    assert champion not in gone
    assert len([match for match in cup.state.matches if match.startswith("2-")]) in (2, 3)
    assert all(cup.state.balances.get(purse(player), 0) == 0 for player in gone)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_whatever_happens_a_show_holds(number: int) -> None:
    assert simulate_one("shows", number, 8, "show").broken == ()
