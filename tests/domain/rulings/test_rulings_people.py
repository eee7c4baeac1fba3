"""Rulings, section 3: how many people a ruling needs, who may not rule, and what is pending.

Played with the toy game Blind Bid of Ann and Ben, chance by hand.
"""

import pytest
from msgspec.structs import replace

from domain.events import only_seat
from domain.match.commands import Command
from domain.match.deadlines import DAY, SECOND
from domain.match.events import DeadlinePassed, Directed, SeatNamed
from domain.people import Actor, KeyOrigin
from domain.rulings.commands import ConsentToRuling, LapseRuling, SecondRuling, WithdrawRuling
from domain.rulings.decide import DueCommand, due_lapse, people_needed
from domain.rulings.events import (
    ConsentAsked,
    ConsentClosed,
    MatchRuled,
    MatchVoided,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SeatReplaced,
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
from tests.support.tables import toy_game
from tests.support.tables.bidding import LOTS
from tests.support.tables.directing import START
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.ruling_tables import (
    BY_EVE,
    BY_FINN,
    EVE,
    FINN,
    NAMELESS,
    REASON,
    a_result,
    pass_time,
    rule,
)

TIMED = toy_game.Options(bid_seconds=10**6)
ZOE = ReplaceSeat(1, "Zoe")
HIS = KeyOrigin(None, "operator", NOON)

ONE: tuple[Ruling, ...] = (PauseMatch(), Extend(seconds=1), Note("sealed", "x", "uphold"))
TWO: tuple[Ruling, ...] = (ZOE, VoidMatch(), RuleResult(a_result(2), "adjudicated"))


def created(single: bool = False) -> MatchTable:
    table = seated(toy_game.GAME, options=TIMED, clock="rules")
    if single:
        table.match = replace(table.match, created=replace(table.match.created, rulings="single"))
    return table


def started(single: bool = False) -> MatchTable:
    return created(single).when(START).when(LOTS)


def proposed(ruling: Ruling = ZOE, ask_seats: bool = False) -> MatchTable:
    """Eve has ruled, and it is pending."""
    return started().when(rule("r", ruling, ask_seats=ask_seats))


# How many.


@pytest.mark.parametrize("ruling", ONE, ids=str)
def test_rule_3_one_person_pauses_extends_and_notes(ruling: Ruling) -> None:
    table = started().when(rule("r", ruling))
    assert people_needed(table.match, ruling) == 1
    assert table.match.rulings.pending == ()


def test_rule_3_one_person_lets_the_match_go_on() -> None:
    table = started().when(rule("r", PauseMatch())).when(rule("s", ResumeMatch()))
    assert table.match.status == "running"


@pytest.mark.parametrize("ruling", TWO, ids=str)
def test_rule_3_what_cannot_be_taken_back_needs_two_people(ruling: Ruling) -> None:
    proposed(ruling).then(
        RulingProposed("r", ruling, REASON, None, None, None, False, NOON + DAY), BY_EVE
    )


@pytest.mark.parametrize("ruling", TWO, ids=str)
def test_rule_3_another_person_carries_it_out(ruling: Ruling) -> None:
    table = proposed(ruling).when(SecondRuling("r", FINN))
    assert isinstance(table.new_events[0], MatchRuled)
    assert table.new_events[1:3] == [BY_FINN, RulingOrdered("r", ruling, None)]
    assert table.match.rulings.pending == ()
    (past,) = table.match.rulings.past
    assert (past.n, past.people) == (1, (EVE.person, FINN.person))


def test_rule_3_before_the_start_one_person_voids_a_match() -> None:
    table = created().when(rule("r", VoidMatch()))
    assert table.new_events[-1] == MatchVoided(None)


@pytest.mark.parametrize("ruling", TWO, ids=str)
def test_rule_3_in_a_match_created_for_single_rulings_one_person_is_enough(ruling: Ruling) -> None:
    table = started(single=True).when(rule("r", ruling))
    assert isinstance(table.new_events[0], MatchRuled)


@pytest.mark.parametrize("actor", [EVE, Actor("EVE", "another key"), Actor("  eve", "a third")])
def test_rule_3_the_second_person_is_another_one_however_spelt(actor: Actor) -> None:
    proposed().conflicts(SecondRuling("r", actor), "same_person")


def test_rule_2_a_key_without_a_name_acts_alone_and_never_seconds() -> None:
    for proposer in (NAMELESS, EVE):
        table = started().when(rule("r", ZOE, proposer))
        for nameless in (NAMELESS, Actor(None, "another"), Actor(None, "third", HIS)):
            table.conflicts(SecondRuling("r", nameless), "same_person")
    table.when(SecondRuling("r", FINN)).new_events.index(SeatReplaced(1))


@pytest.mark.parametrize("issuer", [EVE, Actor("EVE", "her other key"), NAMELESS])
def test_rule_2_a_key_that_the_proposer_issued_seconds_once_it_is_its_holders(
    issuer: Actor,
) -> None:
    by_proposer = KeyOrigin(issuer.by, issuer.key_id)
    table = started().when(rule("r", ZOE, NAMELESS if issuer is NAMELESS else EVE))
    table.conflicts(SecondRuling("r", replace(FINN, origin=by_proposer)), "key_not_renewed")
    his = replace(by_proposer, since=NOON)
    table.when(SecondRuling("r", replace(FINN, origin=his)))
    assert table.new_events[1] == Directed("Finn", "key-finn", issuer.by, issuer.key_id, NOON)


def test_rule_2_the_record_says_of_whoever_seconds_whose_key_it_is_and_of_nobody_else() -> None:
    issued = KeyOrigin("Gus", "key-gus")
    table = started().when(rule("r", ZOE, replace(EVE, origin=issued)))
    assert table.new_events[1] == BY_EVE
    table.when(SecondRuling("r", replace(FINN, origin=issued)))
    assert table.new_events[1] == Directed("Finn", "key-finn", "Gus", "key-gus", None)


def test_rule_2_a_key_without_a_name_decides_no_appeal() -> None:
    table = started().when(rule("r", PauseMatch()))
    table.conflicts(rule("s", ResumeMatch(), NAMELESS, appeals="r"), "own_ruling")


def test_rule_2_nor_does_one_that_may_still_be_in_the_hands_of_who_ruled() -> None:
    table = started().when(rule("r", PauseMatch()))
    hers = KeyOrigin(EVE.by, EVE.key_id)
    appealed = rule("s", ResumeMatch(), replace(FINN, origin=hers), appeals="r")
    table.conflicts(appealed, "key_not_renewed")
    table.when(replace(appealed, actor=replace(FINN, origin=replace(hers, since=NOON))))
    assert table.new_events[1] == Directed("Finn", "key-finn", "Eve", "key-eve", NOON)


# Who may not.


@pytest.mark.parametrize("name", ["Ann", "ann", "Ben", "BEN"])
def test_rule_3_nobody_rules_in_a_match_in_which_they_play(name: str) -> None:
    player = Actor(name, "a moderator's key")
    started().conflicts(rule("r", PauseMatch(), player), "moderator_plays")
    proposed().conflicts(SecondRuling("r", player), "moderator_plays")
    proposed().conflicts(WithdrawRuling("r", player), "moderator_plays")


def test_rule_3_who_has_got_a_seat_does_not_rule_nor_who_has_left_it() -> None:
    table = proposed().when(SecondRuling("r", FINN))
    for name in ("Zoe", "Ben"):
        table.conflicts(rule("s", PauseMatch(), Actor(name, "k")), "moderator_plays")


def test_rule_2_the_new_name_of_a_seat_is_nobodys_who_ruled() -> None:
    started().conflicts(rule("r", ReplaceSeat(1, "eve")), "moderator_plays")
    table = started().when(rule("r", PauseMatch(), FINN))
    table.conflicts(rule("s", ReplaceSeat(1, "Finn")), "moderator_plays")
    proposed(ReplaceSeat(1, "Finn")).conflicts(SecondRuling("r", FINN), "moderator_plays")


def test_rule_3_nobody_decides_an_appeal_against_their_own_ruling() -> None:
    table = proposed().when(SecondRuling("r", FINN))
    uphold = Note("public", "It stands.", "uphold")
    for own in (EVE, FINN):
        table.conflicts(rule("s", uphold, own, appeals="r"), "own_ruling")
    table.when(rule("s", uphold, Actor("Gus", "k"), appeals="r"))
    assert table.new_events[0] == MatchRuled(2, "note", REASON, None, "r")


def test_rule_3_nor_do_they_second_it() -> None:
    table = started().when(rule("r", PauseMatch(), FINN))
    table.when(rule("s", VoidMatch(), appeals="r"))
    table.conflicts(SecondRuling("s", FINN), "own_ruling")


def test_rule_3_an_appeal_is_against_a_ruling_that_was_carried_out() -> None:
    proposed().conflicts(rule("s", PauseMatch(), appeals="r"), "no_such_ruling")
    proposed().conflicts(rule("s", PauseMatch(), appeals="x"), "no_such_ruling")
    withdrawn = proposed().when(WithdrawRuling("r", EVE))
    withdrawn.conflicts(rule("s", PauseMatch(), appeals="r"), "no_such_ruling")


@pytest.mark.parametrize("to", ["sealed", "seat:0"])
def test_rule_3_a_ruling_does_not_tell_more_people_of_one_that_they_may_not_see(to: str) -> None:
    table = started().when(rule("r", Note(to, "x", "warning"), FINN))
    table.conflicts(rule("s", Note("public", "x", "uphold"), appeals="r"), "not_public")
    table.conflicts(rule("s", Note("seat:1", "x", "uphold"), appeals="r"), "not_public")
    table.when(rule("s", Note(to, "x", "uphold"), appeals="r"))


# What is pending.


def test_rule_3_a_pending_ruling_is_known_to_moderators_alone() -> None:
    assert {event.audience for event in proposed().new_events} == {"sealed"}


def test_rule_3_a_pending_ruling_is_withdrawn() -> None:
    table = proposed().when(WithdrawRuling("r", FINN)).then(RulingWithdrawn("r"), BY_FINN)
    for command in (SecondRuling("r", FINN), WithdrawRuling("r", EVE), LapseRuling("r")):
        table.conflicts(command, "not_pending")


def test_rule_3_a_pending_ruling_lapses_after_a_day_at_its_instant() -> None:
    table = proposed()
    lapse = due_lapse(table.match)
    assert lapse == DueCommand(NOON + DAY, LapseRuling("r"))
    with pytest.raises(AssertionError):
        table.when(LapseRuling("r"), NOON + DAY - 1)
    table.when(LapseRuling("r"), NOON + DAY).then(RulingLapsed("r"))
    assert due_lapse(table.match) is None
    table.conflicts(SecondRuling("r", FINN), "not_pending")


def test_rule_3_a_deadline_passes_before_what_lapses_at_its_instant() -> None:
    day = toy_game.Options(bid_seconds=DAY // SECOND)
    table = seated(toy_game.GAME, options=day, clock="rules").when(START)
    table.when(LOTS).when(rule("r", ZOE))
    pass_time(table, NOON + DAY)
    kinds = [type(event) for event in table.events]
    assert kinds.index(DeadlinePassed) < kinds.index(RulingLapsed)


@pytest.mark.parametrize(
    "command",
    [SecondRuling("x", FINN), WithdrawRuling("x", FINN), LapseRuling("x"), ConsentToRuling("x", 0)],
    ids=str,
)
def test_rule_3_what_was_never_ruled_is_unknown(command: Command) -> None:
    proposed().conflicts(command, "no_such_ruling")


def test_rule_3_what_does_not_fit_any_more_is_given_up() -> None:
    table = started().when(rule("r", ZOE)).when(rule("s", ReplaceSeat(0, "zoe")))
    table.when(SecondRuling("r", FINN))
    assert table.new_events[-1] == RulingLapsed("s")
    table.conflicts(SecondRuling("s", FINN), "not_pending")
    assert table.match.rulings.pending == ()


def test_rule_3_nothing_is_pending_once_the_match_is_over_and_nobody_is_told() -> None:
    table = started().when(rule("r", ZOE)).when(rule("s", VoidMatch(), ask_seats=True))
    table.when(rule("t", VoidMatch())).when(SecondRuling("t", FINN))
    assert table.new_events[-1] == MatchVoided(None)
    table.conflicts(ConsentToRuling("s", 0), "not_pending")
    table.conflicts(WithdrawRuling("r", EVE), "not_pending")


# The consent of every seat.


def test_rule_3_every_seat_is_asked_and_told_what_would_be_done() -> None:
    table = proposed(ask_seats=True)
    asked = [event for event in table.new_events if isinstance(event, ConsentAsked)]
    assert asked == [
        ConsentAsked(seat, "r", "replace_seat", REASON, replaces=1, name="Zoe") for seat in (0, 1)
    ]


def test_rule_3_the_consent_of_every_seat_carries_it_out() -> None:
    table = proposed(ask_seats=True)
    table.when(ConsentToRuling("r", 1)).then(RulingConsented("r", 1))
    table.when(ConsentToRuling("r", 0)).then(
        RulingConsented("r", 0),
        MatchRuled(1, "replace_seat", REASON, None, None),
        RulingOrdered("r", ZOE, None),
        ConsentClosed(0, "r"),
        ConsentClosed(1, "r"),
        SeatReplaced(1),
        SeatNamed(1, "Zoe", bytes(16)),
    )
    assert table.match.rulings.past[0].people == (EVE.person,)


def test_rule_3_only_moderators_see_who_has_consented() -> None:
    table = proposed(ask_seats=True).when(ConsentToRuling("r", 1))
    assert [event.audience for event in table.new_events] == ["sealed"]
    assert only_seat(table.new_events[0]) is None


def test_rule_3_a_seat_consents_once_and_to_what_it_was_asked() -> None:
    table = proposed(ask_seats=True).when(ConsentToRuling("r", 1))
    table.conflicts(ConsentToRuling("r", 1), "already_consented")
    table.conflicts(ConsentToRuling("r", 2), "no_such_seat")
    proposed().conflicts(ConsentToRuling("r", 1), "no_such_ruling")
    withdrawn = proposed().when(WithdrawRuling("r", EVE))
    withdrawn.conflicts(ConsentToRuling("r", 1), "no_such_ruling")


@pytest.mark.parametrize("command", [SecondRuling("r", FINN), WithdrawRuling("r", EVE)], ids=str)
def test_rule_3_the_seats_are_told_when_their_consent_is_not_needed_any_more(
    command: Command,
) -> None:
    table = proposed(ask_seats=True).when(ConsentToRuling("r", 1)).when(command)
    told = [event for event in table.new_events if isinstance(event, ConsentClosed)]
    assert told == [ConsentClosed(0, "r"), ConsentClosed(1, "r")]
    table.conflicts(ConsentToRuling("r", 0), "not_pending")


def test_rule_3_a_consent_tells_no_seat_that_it_is_the_last() -> None:
    """What cannot be carried out any more is refused to every seat, however many have consented."""
    for consents in ([], [ConsentToRuling("r", 1)]):
        table = started().when(rule("r", ZOE, ask_seats=True))
        for consent in consents:
            table.when(consent)
        table.when(rule("s", ReplaceSeat(0, "Zoe"))).when(SecondRuling("s", FINN))
        table.conflicts(ConsentToRuling("r", 0), "not_pending")
