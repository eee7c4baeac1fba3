"""A result is corrected in an elimination: who goes on by it, and when that stays
(/docs/tournaments)."""

import pytest

from domain.game import Result
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import Correction
from domain.rulings.tournament_decide import MatchFacts, RuleTournament
from domain.tournament.stage_commands import CloseStage, WithdrawRound
from tests.domain.tournament.stage_play import Organiser
from tests.domain.tournament.test_brackets import cup, places, settle, won_by

FIRST, SECOND = won_by(0), won_by(1)
OLGA = Actor("Olga", "org")


def correct(organiser: Organiser, match: str, result: Result) -> None:
    names = tuple(f"P{player}" for player in organiser.state.matches[match].players)
    ruling = f"r{len(organiser.state.rulings.past)}"
    rule = Rule(ruling, Correction(match, result), "swapped", OLGA)
    organiser.do(RuleTournament(rule, MatchFacts(names, True, None), len(organiser.events)))


def semifinals() -> Organiser:
    """A cup of four after its first round, in which 0 and 1 have won."""
    organiser = cup(4)
    settle(organiser, p0_p3=FIRST, p1_p2=FIRST)
    return organiser


def drafted(organiser: Organiser) -> list[set[int]]:
    return [set(pairing.players) for pairing in organiser.draft().pairings]


def test_who_has_won_by_the_corrected_result_goes_on() -> None:
    organiser = semifinals()
    assert drafted(organiser) == [{0, 1}]
    correct(organiser, "1-1-1-0", SECOND)
    assert drafted(organiser) == [{3, 1}]
    assert places(organiser)[-1] == [0, 2]


def test_a_round_that_is_published_stands() -> None:
    organiser = semifinals()
    correct(organiser, "1-1-1-0", SECOND)
    organiser.publish()
    before = places(organiser)
    correct(organiser, "1-1-1-0", FIRST)
    assert places(organiser) == before
    settle(organiser, p1_p3=FIRST)
    assert places(organiser)[-1] == [0, 2]


def test_a_round_that_is_withdrawn_stands_no_more() -> None:
    organiser = semifinals()
    organiser.publish()
    organiser.do(WithdrawRound(1, 2, "the first match was entered the wrong way round"))
    correct(organiser, "1-1-1-0", SECOND)
    assert drafted(organiser) == [{3, 1}]


@pytest.mark.parametrize("is_closed", [False, True])
def test_the_final_decides_by_its_corrected_result_until_the_stage_is_closed(
    *, is_closed: bool
) -> None:
    organiser = semifinals()
    organiser.publish()
    settle(organiser, p0_p1=FIRST)
    if is_closed:
        organiser.do(CloseStage(1))
    correct(organiser, "1-2-1-0", SECOND)
    assert places(organiser)[0] == [0 if is_closed else 1]
    if not is_closed:
        organiser.do(CloseStage(1))
    assert organiser.state.competition.stages[0].places[0] == (0 if is_closed else 1)
