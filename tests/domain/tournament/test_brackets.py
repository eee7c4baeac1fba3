"""Brackets in which players leave, and matches that no one wins (/docs/tournaments)."""

import pytest
from msgspec.structs import replace

from domain.game import Result
from domain.tournament.decide import standing_of
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.stage_commands import Withdraw
from domain.tournament.stage_decide import planned_history
from domain.tournament.stages import Stage, StageMatch
from projections.tournaments.stages import show_round
from tests.domain.tournament.stage_play import Organiser

CUP = Stage(
    "E", "elimination", StageMatch("dollar-prize"), seeding="entry", first_seat="higher_seed"
)
NO_ONE = Result((), (0, 1), False, (0, 0))


def won_by(seat: int) -> Result:
    return Result((seat,), (1 - seat,), False, (1 - seat, seat))


def leave(organiser: Organiser, *players: int) -> None:
    for player in players:
        organiser.do(Withdraw(player, "ill"))


def places(organiser: Organiser) -> list[list[int]]:
    history = planned_history(standing_of(organiser.state), 1)
    form = FORMATS["elimination"]
    return [sorted(tie) for tie in form.places(history, reckoning_of(form, history)).ties]


def settle(organiser: Organiser, **results: Result) -> None:
    """Settles matches by the two players in them, as `p0_p3`."""
    for match in organiser.running():
        players = organiser.state.matches[match].players
        name = "_".join(f"p{player}" for player in sorted(players))
        organiser.settle(match, results[name])
    organiser.create()


def test_where_lots_decide_a_shared_match_is_no_result() -> None:
    organiser = Organiser(2, replace(CUP, replays=0))
    organiser.publish()
    settle(organiser, p0_p1=Result((0, 1), (), True, (1, 1)))
    shown = show_round(organiser.state, 1, 1)
    assert [(one.result, one.because) for one in shown.pairings] == [(None, ("bracket", "lots"))]


def test_a_match_whose_players_have_both_left_is_passed_over() -> None:
    """Of 0-3 and 1-2 only the second is played, and its winner has won."""
    organiser = Organiser(4, CUP)
    organiser.draw("stage 1")
    organiser.publish()
    settle(organiser, p0_p3=won_by(0), p1_p2=won_by(0))
    leave(organiser, 0, 1)
    with pytest.raises(Exception, match="no_pairing"):
        organiser.draft()


def test_who_is_left_alone_has_won() -> None:
    """0 and 1 leave before they meet among the winners: 2, who has lost to 1, is left."""
    organiser = Organiser(3, replace(CUP, losses=2))
    organiser.draw("stage 1")
    organiser.publish()
    settle(organiser, p1_p2=won_by(0))
    assert places(organiser) == [[0, 1, 2]]
    leave(organiser, 0, 1)
    assert places(organiser) == [[2], [0, 1]]


def test_who_waits_for_the_winner_of_a_match_without_players_goes_on_at_once() -> None:
    organiser = Organiser(8, CUP)
    organiser.draw("stage 1")
    organiser.publish()
    settle(organiser, p0_p7=won_by(0), p3_p4=won_by(0), p1_p6=won_by(0), p2_p5=won_by(0))
    leave(organiser, 0, 3)
    organiser.publish()
    (match,) = organiser.running()
    assert sorted(organiser.state.matches[match].players) == [1, 2]
    organiser.settle(match, won_by(0))
    assert places(organiser)[0] == [1]


def test_no_one_goes_on_from_a_match_that_no_one_wins_and_both_take_its_place() -> None:
    organiser = Organiser(4, CUP)
    organiser.draw("stage 1")
    organiser.publish()
    settle(organiser, p0_p3=NO_ONE, p1_p2=won_by(0))
    with pytest.raises(Exception, match="no_pairing"):
        organiser.draft()
    assert places(organiser) == [[1], [0, 2, 3]]


def test_a_final_without_a_winner_has_no_champion_and_two_second_places() -> None:
    organiser = Organiser(2, CUP)
    organiser.draw("stage 1")
    organiser.publish()
    settle(organiser, p0_p1=NO_ONE)
    assert places(organiser) == [[0, 1]]
