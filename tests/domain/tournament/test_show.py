"""Elimination shows (/docs/tournaments#an-elimination-show): who is safe, who meets whom, who goes
home, and whose garnets are whose then."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from domain.events import HOUR, Event
from domain.game import Refused, Result
from domain.people import Actor
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import Correction, NameCandidates
from domain.rulings.tournament_decide import RuleTournament
from domain.rulings.tournament_effects import MatchFacts
from domain.tournament.decide import NewPlayer, SettleMatch
from domain.tournament.episodes import DeathMatch, EpisodePlan, MainMatch, Named
from domain.tournament.events import MatchSettled
from domain.tournament.ledger import purse
from domain.tournament.show import OpenEpisode
from domain.tournament.show_events import (
    CandidatesNamed,
    ChoiceOpened,
    ImmuneNamed,
    OpponentChosen,
    PlayerEliminated,
)
from domain.tournament.stage_commands import (
    AddStage,
    ChooseOpponent,
    CloseStage,
    CloseTournament,
    OpenChoice,
    Withdraw,
)
from domain.tournament.stage_events import RoundClosed, StageClosed
from domain.tournament.stages import PlacesOf, Stage, StageMatch
from projections.tournaments.stages import show_round, show_standings
from service.cli.simulating.simulated_tournament import simulate_one
from service.cli.simulating.tournament_play import TournamentPlay
from tests.support.tables.correction_tables import MO, OLGA

GUIDE = Path("service/web/docs/tournaments.md")
NAMES = ("Ann", "Ben", "Cy", "Di", "Ed")
ANN, BEN, CY, DI, ED = range(5)
DEATH = DeathMatch("grouping-bw")


class Show(TournamentPlay):
    """A show of five whose candidates choose, or say nothing."""

    def __init__(self, *garnets: int, **parts: Any) -> None:
        super().__init__(0)
        for name, brought in zip(NAMES, garnets or (0,) * 5, strict=True):
            self.do(NewPlayer(name, brought))
        self.do(AddStage(Stage("Show", "show", StageMatch(), **parts)))

    def choose(self, episode: OpenEpisode) -> None:
        """It is left to the test."""

    def begin(self, best_of: Any = 1) -> None:
        """Publishes a round; seats are those of the roster."""
        here = [one.player for one in self.history().entrants if one.presence == "here"]
        death = DeathMatch("dollar-prize", best_of=best_of)
        self.publish(show=EpisodePlan(MainMatch("liars-dice"), death, (tuple(here),)))

    def end_main(self, won: Any, lost: Any, named: Named | None = None) -> list[Event]:
        """The main match ends with these players as winners and losers."""
        (match,) = self.running()
        players = self.state.matches[match].players
        seats = [tuple(players.index(player) for player in each) for each in (won, lost)]
        result = Result(seats[0], seats[1], len(won) > 1, (0,) * len(players))
        return self.then(SettleMatch(match, result, named=named))

    def end_death(self, winner: int | None) -> list[Event]:
        """The death match is won by this player, or by no one."""
        (match,) = self.running()
        players = self.state.matches[match].players
        if winner is None:
            return self.then(SettleMatch(match, Result((), (0, 1), False, (0, 0))))
        seat = players.index(winner)
        return self.then(SettleMatch(match, Result((seat,), (1 - seat,), False, (0, 0))))

    def then(self, command: Any) -> list[Event]:
        """What follows from a command, and what the service does then; no settlements."""
        before = len(self.events)
        self.do(command)
        self.create()
        return [one for one in self.events[before:] if not isinstance(one, MatchSettled)]

    def choice(self, player: int, by: int, at: int = 0) -> list[Event]:
        """A player chooses."""
        return self.then(ChooseOpponent(1, len(self.rounds), player, by, at))

    @property
    def rounds(self) -> Any:
        return self.state.competition.stages[0].rounds

    def purses(self) -> dict[int, int]:
        return {one: self.state.balances.get(purse(one), 0) for one in range(5)}


def candidate(*garnets: int, best_of: Any = 1, **parts: Any) -> Show:
    """Ann has won the main match of the first round, and Ed is to choose whom he meets."""
    show = Show(*garnets, **parts)
    show.begin(best_of)
    show.end_main([ANN], [ED])
    return show


def duel(*garnets: int, **parts: Any) -> Show:
    """Ed has chosen Ben."""
    show = candidate(*garnets, **parts)
    show.choice(BEN, ED)
    return show


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events]


def guide_rows() -> list[list[str]]:
    """The worked example of the guide: a row a round."""
    rows = [line.strip("| ").split(" | ") for line in GUIDE.read_text().splitlines()]
    start = next(n for n, row in enumerate(rows) if row[:3] == ["episode", "wins", "loses"])
    return rows[start + 2 : start + 5]


def test_the_example_of_the_guide() -> None:
    show = Show(3, 2, 1, 0, 2)
    for row in guide_rows():
        wins, loses, chosen, home = (NAMES.index(name) for name in row[1:5])
        show.begin()
        show.end_main([wins], [loses])
        show.choice(chosen, loses)
        (winner,) = {loses, chosen} - {home}
        assert PlayerEliminated(1, len(show.rounds), home) in show.end_death(winner)
        left = [one for one in range(5) if not show.state.competition.people[one].out]
        assert row[5] == ", ".join(f"{NAMES[one]} {show.purses()[one]}" for one in left)
    places = show.events[-1]
    assert isinstance(places, StageClosed)
    in_order = ", ".join(NAMES[player] for player in places.places)
    assert f"The places: {in_order}." in " ".join(GUIDE.read_text().split())


def test_the_winners_are_immune_and_the_loser_chooses() -> None:
    show = Show()
    show.begin()
    followed = show.end_main([ANN], [ED])
    assert followed[:2] == [ImmuneNamed(1, 1, (ANN,)), CandidatesNamed(1, 1, (ED,))]
    assert isinstance(followed[2], ChoiceOpened)
    assert followed[2].player == ED
    assert show.choice(BEN, ED)[0] == OpponentChosen(1, 1, BEN, "player", ED)
    (match,) = show.running()
    assert show.state.matches[match].players == (ED, BEN)


def test_a_game_names_who_is_immune_and_who_meets() -> None:
    show = Show()
    show.begin()
    followed = show.end_main([ANN], [ED], Named((0, 2), (1, 3)))
    assert followed[:2] == [ImmuneNamed(1, 1, (ANN, CY)), CandidatesNamed(1, 1, (BEN, DI))]
    (match,) = show.running()
    assert show.state.matches[match].players == (BEN, DI)
    assert kinds(show.end_death(DI)) == [PlayerEliminated, RoundClosed]


def test_of_several_losers_lots_name_one() -> None:
    show = Show()
    show.begin()
    show.end_main([ANN], [BEN, CY, DI])
    (candidate,) = show.rounds[0].show.candidates
    assert candidate in (BEN, CY, DI)


@pytest.mark.parametrize(("won", "lost"), [((ANN, BEN, CY, DI, ED), ()), ((ANN,), ())])
def test_without_a_candidate_no_one_goes_home(won: Any, lost: Any) -> None:
    show = Show()
    show.begin()
    assert kinds(show.end_main(won, lost)) == [ImmuneNamed, CandidatesNamed, RoundClosed]


def named(*players: int, ident: str = "r") -> RuleTournament:
    """Staff rule that these are candidates."""
    return RuleTournament(Rule(ident, NameCandidates(None, players), "x", OLGA), None, 0)


def without_candidate() -> Show:
    """A round that is closed because no one was a candidate."""
    show = Show()
    show.begin()
    show.end_main([ANN], [])
    return show


@pytest.mark.parametrize("players", [(BEN,), (BEN, CY)])
def test_staff_name_candidates_where_there_were_none_and_the_round_goes_on(
    players: tuple[int, ...],
) -> None:
    show = without_candidate()
    show.do(named(*players))
    followed = show.then(RuleTournament(SecondRuling("r", MO), None, 0))
    assert CandidatesNamed(1, 1, players) in followed
    assert show.rounds[0].status == "published"
    if len(players) == 1:
        show.choice(CY, BEN)
    assert kinds(show.end_death(BEN)) == [PlayerEliminated, RoundClosed]
    assert show.rounds[0].show.eliminated == CY
    with pytest.raises(Refused, match="round_closed"):
        show.do(named(DI, ident="s"))


@pytest.mark.parametrize(
    ("players", "code"),
    [
        ((ANN,), "immune"),
        ((BEN, BEN), "paired_twice"),
        ((BEN, CY, ED), "wrong_table_size"),
        ((9,), "no_such_player"),
        ((DI,), "player_not_active"),
    ],
)
def test_a_candidate_whom_staff_name_is_neither_immune_nor_gone(
    players: tuple[int, ...], code: str
) -> None:
    show = without_candidate()
    show.do(Withdraw(DI, "ill"))
    with pytest.raises(Refused, match=code):
        show.do(named(*players))


def test_candidates_are_named_in_the_last_round_alone_once_it_is_closed() -> None:
    show = Show()
    with pytest.raises(Refused, match="no_such_round"):
        show.do(named(BEN))
    show.begin()
    with pytest.raises(Refused, match="round_open"):
        show.do(named(BEN))
    show.end_main([ANN], [])
    show.begin()
    with pytest.raises(Refused, match="round_open"):
        show.do(named(BEN))


def test_where_all_others_are_immune_no_one_goes_home() -> None:
    show = Show()
    show.begin()
    assert RoundClosed(1, 1) in show.end_main([ANN, BEN, CY, DI], [ED])


def test_a_choice_that_is_not_made_is_made_by_lots() -> None:
    show = candidate(choice_hours=0.5)
    until = show.rounds[0].show.choice_until
    assert until == len(show.events) - 1 + HOUR // 2
    with pytest.raises(Refused, match="lots_drawn"):
        show.draw("opponent 1 1", until - 1)
    show.draw("opponent 1 1", until)
    chosen = show.events[-1]
    assert isinstance(chosen, OpponentChosen)
    assert (chosen.by, chosen.player in (BEN, CY, DI)) == ("lots", True)


def test_with_no_hours_lots_choose_at_once() -> None:
    show = Show(choice_hours=0.0)
    show.begin()
    assert OpponentChosen in kinds(show.end_main([ANN], [ED]))


@pytest.mark.parametrize(
    ("player", "by", "late", "code"),
    [
        (CY, DI, False, "not_candidate"),
        (ANN, DI, False, "not_candidate"),
        (ANN, ED, False, "immune"),
        (BEN, ED, False, "eliminated"),
        (ED, ED, False, "player_not_active"),
        (9, ED, False, "player_not_active"),
        (DI, ED, False, "player_not_active"),
        (CY, ED, True, "choice_over"),
    ],
)
def test_a_choice_is_refused(player: int, by: int, late: bool, code: str) -> None:
    """In the second round; Ben was eliminated in the first, Di has left since."""
    show = Show()
    show.begin()
    show.end_main([ANN], [BEN])
    show.choice(CY, BEN)
    show.end_death(CY)
    show.begin()
    show.end_main([ANN], [ED])
    show.do(Withdraw(DI, "ill"))
    at = show.rounds[1].show.choice_until if late else 0
    with pytest.raises(Refused, match=code):
        show.choice(player, by, at)


def test_a_choice_is_made_once() -> None:
    show = candidate()
    assert show.do(OpenChoice(1, 1, 9)) == []
    assert show.choice(BEN, ED)
    assert show.choice(BEN, ED) == []
    with pytest.raises(Refused, match="choice_over"):
        show.choice(CY, ED)


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
    show.begin()
    show.end_main([ANN], [ED])
    show.choice(BEN, ED)
    assert show.end_death(BEN)[-1] == StageClosed(1, (ANN, BEN, CY, DI, ED))
    assert show.history(2).players == (ANN, BEN, CY, DI)


def test_a_show_in_which_enough_players_leave_is_over() -> None:
    show = Show(until=4)
    show.begin()
    show.end_main([ANN], [])
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
        show.begin()
        show.end_main([wins], [loses])
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
