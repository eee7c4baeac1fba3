"""Rulings, section 3: what a seat may ask for, of whom, and what takes it back.

Played with Dollar Prize of Ann and Ben, chance by hand.
"""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.commands import BeReady, Command, EndKey, IssueKey
from domain.match.deadlines import DAY
from domain.match.events import Directed, MatchPaused
from domain.people import Actor
from domain.proof.rejudging import rejudge
from domain.rulings.commands import ConsentToRuling, LapseRuling, SecondRuling, WithdrawRuling
from domain.rulings.events import (
    ConsentAsked,
    ConsentClosed,
    MatchRuled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
)
from domain.rulings.kinds import (
    Extend,
    Note,
    PauseMatch,
    ReplaceSeat,
    ResumeMatch,
    RuleResult,
    Ruling,
    VoidMatch,
)
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, MatchTable, seated
from tests.support.tables.ruling_tables import ANN, BEN, FINN, NAMELESS, REASON, a_result, rule

DRAWN = RuleResult(a_result(2), "adjudicated")
BY_ANN = Directed(None, "key-ann", giver=0)


def started(moderated: bool = True) -> MatchTable:
    table = seated(GAMES["dollar-prize"])
    if moderated:
        return table.when(START)
    open_table = MatchTable(table.game, replace(table.match.created, table=True))
    return open_table.when(BeReady(0)).when(BeReady(1))


def asked(ruling: Ruling = DRAWN, moderated: bool = True) -> MatchTable:
    """Ann asks for it."""
    return started(moderated).when(rule("r", ruling, ANN, ask_seats=True))


def test_rule_3_what_a_seat_asks_for_is_pending_and_all_seats_are_asked() -> None:
    shown: Any = {"result": DRAWN.result, "because": "adjudicated", "asker": 0}
    asked().then(
        RulingProposed("r", DRAWN, REASON, None, None, None, True, NOON + DAY),
        BY_ANN,
        ConsentAsked(0, "r", "result", REASON, **shown),
        ConsentAsked(1, "r", "result", REASON, **shown),
    )


def test_rule_3_also_what_one_moderator_could_rule_alone() -> None:
    for single in (UNSET, "single"):
        table = started()
        table.match = replace(table.match, created=replace(table.match.created, rulings=single))
        table.when(rule("r", PauseMatch(), ANN, ask_seats=True))
        assert table.match.status == "running" and table.match.rulings.waiting("r") is not None


def test_rule_3_all_other_seats_consent_and_then_a_moderator_seconds_it() -> None:
    table = asked(PauseMatch())
    table.conflicts(SecondRuling("r", FINN), "consent_missing")
    table.when(ConsentToRuling("r", 1)).then(RulingConsented("r", 1))
    table.conflicts(SecondRuling("r", NAMELESS), "same_person")
    table.when(SecondRuling("r", FINN)).then(
        MatchRuled(1, "pause", REASON, None, None),
        Directed("Finn", "key-finn"),
        RulingOrdered("r", PauseMatch(), None),
        ConsentClosed(0, "r"),
        ConsentClosed(1, "r"),
        MatchPaused(),
    )
    assert table.match.rulings.past[0].people == ("seat 0", FINN.person)
    assert rejudge(MATCH, table.records) == table.match


def test_rule_3_without_a_moderator_the_last_consent_carries_it_out() -> None:
    table = asked(PauseMatch(), moderated=False).when(ConsentToRuling("r", 1))
    assert table.new_events[1] == MatchRuled(1, "pause", REASON, None, None)
    assert table.match.status == "paused"
    assert rejudge(MATCH, table.records) == table.match


def test_rule_3_who_asks_has_consented() -> None:
    asked().conflicts(ConsentToRuling("r", 0), "already_consented")


def test_rule_3_one_is_open_a_seat() -> None:
    table = asked()
    table.conflicts(rule("s", VoidMatch(), ANN, ask_seats=True), "proposal_open")
    table.when(rule("s", VoidMatch(), BEN, ask_seats=True))
    table.when(WithdrawRuling("r", ANN)).when(rule("t", VoidMatch(), ANN, ask_seats=True))
    assert [one.asker for one in table.match.rulings.pending] == [1, 0]


def test_rule_3_it_is_withdrawn_by_the_seat() -> None:
    table = asked()
    table.conflicts(WithdrawRuling("r", BEN), "no_such_ruling")
    table.when(WithdrawRuling("r", ANN)).then(
        RulingWithdrawn("r"), BY_ANN, ConsentClosed(0, "r"), ConsentClosed(1, "r")
    )
    table.conflicts(ConsentToRuling("r", 1), "not_pending")
    assert rejudge(MATCH, table.records) == table.match


@pytest.mark.parametrize("ask_seats", [False, True])
def test_rule_3_a_seat_withdraws_nothing_that_a_moderator_ruled(ask_seats: bool) -> None:
    table = started().when(rule("r", VoidMatch(), ask_seats=ask_seats))
    table.conflicts(WithdrawRuling("r", ANN), "no_such_ruling")


def test_rule_3_it_lapses_after_a_day() -> None:
    table = asked().when(LapseRuling("r"), NOON + DAY)
    table.then(RulingLapsed("r"), ConsentClosed(0, "r"), ConsentClosed(1, "r"))


def test_rule_3_it_is_asked_only_where_it_could_be_carried_out() -> None:
    started().conflicts(rule("r", ResumeMatch(), ANN, ask_seats=True), "not_paused")


def test_rule_3_what_has_lost_its_race_is_given_up_and_another_can_be_asked_for() -> None:
    table = asked(PauseMatch()).when(rule("s", PauseMatch()))
    assert table.new_events[-3:] == [
        RulingLapsed("r"),
        ConsentClosed(0, "r"),
        ConsentClosed(1, "r"),
    ]
    table.conflicts(ConsentToRuling("r", 1), "not_pending")
    table.when(rule("t", ResumeMatch(), ANN, ask_seats=True))
    assert rejudge(MATCH, table.records) == table.match


@pytest.mark.parametrize(
    "ruling", [Extend(seconds=9), Note("public", "x", "uphold"), ReplaceSeat(1, "Zoe")], ids=str
)
def test_rule_3_a_seat_asks_for_nothing_else(ruling: Ruling) -> None:
    with pytest.raises(AssertionError):
        started().when(rule("r", ruling, ANN, ask_seats=True))


@pytest.mark.parametrize("command", [IssueKey("k", 1, None, ANN), EndKey("k", 1, ANN)], ids=str)
def test_rule_2_a_seat_directs_nothing_else(command: Command) -> None:
    with pytest.raises(AssertionError):
        started().when(command)


def test_rule_3_a_seat_that_is_asked_by_a_moderator_sees_what_would_be_done() -> None:
    table = started().when(rule("r", ReplaceSeat(1, "Zoe"), ask_seats=True, rule="4.2"))
    shown = ConsentAsked(0, "r", "replace_seat", REASON, rule="4.2", replaces=1, name="Zoe")
    assert table.new_events[2] == shown
    other = "0199aa00-0000-7000-8000-000000000001"
    table.when(rule("s", VoidMatch(other), ask_seats=True))
    assert table.new_events[2] == ConsentAsked(0, "s", "void", REASON, replaced_by=other)


def test_rule_2_who_asked_is_told_by_number_and_named_by_whose_the_seat_is() -> None:
    assert Actor.of(BY_ANN) == ANN
