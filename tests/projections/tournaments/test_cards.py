"""A player's card says of each round what the standings add up."""

from fractions import Fraction

from domain.rulings.commands import Rule
from domain.rulings.kinds import Penalty
from domain.rulings.tournament_decide import RuleTournament
from domain.tournament.stage_commands import AskBye
from domain.tournament.stages import Stage, StageMatch
from projections.tournaments.cards import show_card
from projections.tournaments.stages import show_standings
from tests.domain.tournament.stage_play import Organiser
from tests.support.instants import NOON
from tests.support.tables.correction_tables import OLGA


def test_a_card_adds_up_to_the_standings() -> None:
    one = Organiser(5, Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3))
    one.publish()
    one.play()
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
