"""Cases on the record of a match, and the rulings that close them (/docs/cases)."""

import pytest
from msgspec.structs import replace

from domain.cases.match_events import MatchCaseClosed, MatchCaseOpened, RecordedCase, any_open
from domain.match.commands import CloseCase, OpenCase
from domain.match.events import Directed, MatchPaused
from domain.match.seat_holders import holders
from domain.people import Actor, KeyOrigin
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.events import MatchRuled, MatchVoided, RulingOrdered
from domain.rulings.kinds import Note, PauseMatch, VoidMatch
from projections.audience.disclosure import may_see
from tests.support.tables import toy_game
from tests.support.tables.bidding import LOTS, bidding
from tests.support.tables.directing import START
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.ruling_tables import BY_EVE, EVE, FINN, NAMELESS, REASON, rule

NOTE = Note("sealed", "It stands.", "uphold")


def opened() -> MatchTable:
    """A match with an open case of a seat."""
    return bidding().when(OpenCase("coin"))


def appealed() -> MatchTable:
    """Eve has closed the case, and it was appealed."""
    return opened().when(CloseCase("coin", EVE)).when(OpenCase("coin"))


def test_a_seat_opens_a_case_without_a_name() -> None:
    opened().then(MatchCaseOpened("coin", True))


def test_a_moderator_opens_a_case_with_a_name() -> None:
    bidding().when(OpenCase("coin", EVE)).then(MatchCaseOpened("coin", False), BY_EVE)


def test_a_note_closes_a_case() -> None:
    table = opened().when(CloseCase("coin", EVE)).then(MatchCaseClosed("coin", None), BY_EVE)
    assert table.match.cases == (RecordedCase("coin", False, False, (EVE.person,)),)


def test_a_ruling_closes_its_case_before_its_effect() -> None:
    table = opened().when(rule("r", PauseMatch(), case="coin"))
    ruled, directed, ordered, closed, effect, *_ = table.new_events
    assert ruled == MatchRuled(1, "pause", REASON, None, None)
    assert (directed, ordered) == (BY_EVE, RulingOrdered("r", PauseMatch(), "coin"))
    assert closed == MatchCaseClosed("coin", "r")
    assert isinstance(effect, MatchPaused)
    assert table.match.cases == (RecordedCase("coin", False, False, (EVE.person,)),)


def test_a_pending_ruling_closes_its_case_when_it_is_carried_out() -> None:
    table = opened().when(rule("r", VoidMatch(), case="coin"))
    assert any_open(table.match.cases)
    table.when(SecondRuling("r", FINN))
    assert table.new_events[-2:] == [MatchCaseClosed("coin", "r"), MatchVoided(None)]
    assert table.match.cases[0].people == (EVE.person, FINN.person)


def test_the_last_consent_closes_the_case_of_a_ruling() -> None:
    table = opened().when(rule("r", VoidMatch(), case="coin", ask_seats=True))
    for seat in table.seats:
        table.when(ConsentToRuling("r", seat))
    assert MatchCaseClosed("coin", "r") in table.new_events
    assert table.match.cases[0].people == (EVE.person,)


@pytest.mark.parametrize(("case", "code"), [("none", "no_such_case"), ("coin", "case_closed")])
def test_only_an_open_case_of_the_match_is_closed(case: str, code: str) -> None:
    table = opened().when(CloseCase("coin", EVE))
    table.conflicts(CloseCase(case, EVE), code)
    table.conflicts(rule("r", NOTE, case=case), code)
    table.conflicts(rule("r", VoidMatch(), case=case), code)


def test_a_pending_ruling_is_not_carried_out_for_a_closed_case() -> None:
    table = opened().when(rule("r", VoidMatch(), case="coin")).when(CloseCase("coin", FINN))
    table.conflicts(SecondRuling("r", FINN), "not_pending")


def test_a_case_is_open_once_more_after_an_appeal() -> None:
    table = appealed().then(MatchCaseOpened("coin", True))
    assert any_open(table.match.cases)
    table.when(CloseCase("coin", FINN)).conflicts(OpenCase("coin"), "already_appealed")
    assert not any_open(table.match.cases)


def test_who_closed_a_case_does_not_decide_its_appeal() -> None:
    table = appealed()
    for actor in (EVE, Actor("EVE", "another-key")):
        table.conflicts(CloseCase("coin", actor), "own_ruling")
        table.conflicts(rule("r", NOTE, actor, case="coin"), "own_ruling")
    table.when(rule("r", VoidMatch(), FINN, case="coin"))
    table.conflicts(SecondRuling("r", EVE), "own_ruling")


def test_a_key_without_a_name_or_of_who_closed_a_case_does_not_decide_its_appeal() -> None:
    table, hers = appealed(), KeyOrigin(EVE.by, EVE.key_id)
    opened().when(CloseCase("coin", NAMELESS))
    table.conflicts(CloseCase("coin", NAMELESS), "own_ruling")
    table.conflicts(CloseCase("coin", replace(FINN, origin=hers)), "key_not_renewed")
    table.when(CloseCase("coin", replace(FINN, origin=replace(hers, since=1))))
    assert table.new_events[1] == Directed("Finn", "key-finn", "Eve", "key-eve", 1)


def test_who_ruled_on_a_case_does_not_decide_its_appeal() -> None:
    table = opened().when(rule("r", NOTE, case="coin")).when(OpenCase("coin"))
    table.conflicts(CloseCase("coin", EVE), "own_ruling")
    table.when(rule("s", NOTE, FINN, case="coin"))


def test_a_player_closes_no_case() -> None:
    table = opened()
    table.conflicts(CloseCase("coin", Actor(holders(table.match)[0], "k")), "moderator_plays")


@pytest.mark.parametrize("state", ["created", "running", "paused"])
def test_a_case_works_until_the_match_is_over(state: str) -> None:
    table = seated(toy_game.GAME)
    if state != "created":
        table.when(START).when(LOTS)
    if state == "paused":
        table.when(rule("p", PauseMatch()))
    table.when(OpenCase("coin")).when(CloseCase("coin", EVE))


def test_the_record_of_a_match_that_is_over_does_not_grow() -> None:
    table = opened().when(rule("r", VoidMatch())).when(SecondRuling("r", FINN))
    for command in (OpenCase("more"), OpenCase("more", EVE), CloseCase("coin", EVE)):
        table.conflicts(command, "match_over")


def test_nobody_but_moderators_sees_that_there_is_a_case() -> None:
    for event in (MatchCaseOpened("coin", True), MatchCaseClosed("coin", None)):
        assert may_see("moderator", event)
        assert not any(may_see(viewer, event) for viewer in ("public", 0, 1))
