"""Cases about a tournament, and the rulings that close them or a case of a match of it
(/docs/cases#about-a-tournament)."""

import pytest

from domain.cases.match_events import RecordedCase, TournamentCaseClosed, TournamentCaseOpened
from domain.match.commands import CloseCase, Conflict, OpenCase
from domain.people import Actor, KeyOrigin
from domain.rulings.commands import Rule
from domain.rulings.kinds import AnyRuling, Correction, Penalty, SeedPlayers
from domain.rulings.tournament_decide import MatchFacts, RuleTournament
from domain.tournament.commands import Command
from domain.tournament.decide import decide
from domain.tournament.events import TournamentDirected, TournamentRulingOrdered
from domain.tournament.stages import Stage, StageMatch
from tests.domain.tournament.stage_play import Organiser
from tests.support.instants import NOON
from tests.support.tables.correction_tables import MO, OLGA, WHY

PENALTY = Penalty(0, 1, 1)
SWISS = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3)
BY_MO = TournamentDirected("Mo", "key-mo")


def cup() -> Organiser:
    """A tournament with an open case of a player, and a stage that goes on."""
    one = Organiser(4, SWISS)
    one.rounds(1)
    one.do(OpenCase("place"))
    return one


def appealed() -> Organiser:
    """Mo has closed the case, and it was appealed."""
    one = cup()
    one.do(CloseCase("place", MO))
    one.do(OpenCase("place"))
    return one


def rule(
    case: str,
    ruling: AnyRuling = PENALTY,
    actor: Actor = OLGA,
    of_match: RecordedCase | None = None,
) -> RuleTournament:
    facts = None
    if isinstance(ruling, Correction):
        facts = MatchFacts(("P0", "P1"), True, None, (), () if of_match is None else (of_match,))
    return RuleTournament(Rule("r", ruling, WHY, actor, case=case), facts, NOON)


def refused(one: Organiser, command: Command) -> str:
    with pytest.raises(Conflict) as refusal:
        decide(one.state, command)
    return refusal.value.code


def test_who_opens_and_who_closes_a_case_stands_on_record_of_the_staff_alone() -> None:
    one = cup()
    assert one.do(OpenCase("pairing", MO)) == [TournamentCaseOpened("pairing", False), BY_MO]
    assert one.do(CloseCase("place", MO)) == [TournamentCaseClosed("place", None), BY_MO]
    assert one.state.cases == (
        RecordedCase("place", open=False, people=(MO.person,)),
        RecordedCase("pairing"),
    )


def test_a_ruling_closes_its_case_before_its_effect() -> None:
    one = cup()
    version = one.state.version
    _, _, ordered, closed, _ = one.do(rule("place"))
    assert ordered == TournamentRulingOrdered("r", PENALTY, "place")
    assert closed == TournamentCaseClosed("place", "r")
    assert one.state.cases == (RecordedCase("place", open=False, people=(OLGA.person,)),)
    assert one.state.version == version + 3, "the ruling is, the case is no part of it"


def test_a_ruling_on_a_match_closes_a_case_of_that_match() -> None:
    one = cup()
    ruling, of_match = Correction(next(iter(one.state.matches)), None), RecordedCase("coin")
    assert TournamentCaseClosed("coin", "r") in one.do(rule("coin", ruling, of_match=of_match))
    assert [each.id for each in one.state.cases] == ["place"]


CASE_OF_MATCH = RecordedCase("coin", open=True, appealed=True, people=(OLGA.person,))


@pytest.mark.parametrize(
    ("ruling", "case", "code"),
    [
        (PENALTY, "coin", "no_such_case"),
        (SeedPlayers((1, 0)), "coin", "no_such_case"),
        (None, "tie", "no_such_case"),
        (None, "coin", "own_ruling"),
        (PENALTY, "pairing", "case_closed"),
    ],
)
def test_a_ruling_closes_no_other_case(ruling: AnyRuling | None, case: str, code: str) -> None:
    one = cup()
    one.do(OpenCase("pairing", MO))
    one.do(CloseCase("pairing", MO))
    given = ruling or Correction(next(iter(one.state.matches)), None)
    assert refused(one, rule(case, given, of_match=CASE_OF_MATCH)) == code


RENEWED = Actor("Zoe", "key-zoe", KeyOrigin("Mo", "key-mo"))


@pytest.mark.parametrize(
    ("actor", "code"), [(MO, "own_ruling"), (RENEWED, "key_not_renewed"), (OLGA, None)]
)
def test_after_an_appeal_another_person_decides(actor: Actor, code: str | None) -> None:
    one = appealed()
    for command in (CloseCase("place", actor), rule("place", actor=actor)):
        if code is None:
            assert decide(one.state, command)
        else:
            assert refused(one, command) == code


def test_a_case_is_open_once_and_appealed_once_and_closed_by_no_player() -> None:
    one = cup()
    assert refused(one, OpenCase("place")) == "case_open"
    assert refused(one, CloseCase("place", Actor(one.state.players[2], "key"))) == "moderator_plays"
    one = appealed()
    one.do(CloseCase("place", OLGA))
    assert refused(one, OpenCase("place")) == "already_appealed"
