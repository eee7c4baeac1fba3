"""Rulings, section 3: what each kind of ruling puts on record when it is carried out.

Played with the toy game Blind Bid, chance by hand: bids for 60 s, thanks by 13:00.
"""

import pytest
from msgspec import ValidationError, convert

from domain.events import Event
from domain.game import Result
from domain.match.commands import OpenCase, PassDeadline
from domain.match.deadlines import HOUR, SECOND
from domain.match.events import (
    AwaitingChanged,
    DeadlinePassed,
    DeadlineSet,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    SeatNamed,
)
from domain.match.seat_holders import holders
from domain.rulings.commands import SecondRuling
from domain.rulings.events import (
    MatchRuled,
    MatchVoided,
    PublicNoted,
    ResultRuled,
    RulingOrdered,
    SealedNoted,
    SealedRuled,
    SeatNoted,
    SeatReplaced,
    SeatRuled,
)
from domain.rulings.kinds import (
    Extend,
    KindName,
    Note,
    PauseMatch,
    ReplaceSeat,
    ResumeMatch,
    RuleResult,
    Ruling,
    VoidMatch,
)
from domain.tournament.absences import BY_ITSELF
from tests.support.instants import NOON
from tests.support.tables import toy_game
from tests.support.tables.bidding import LOTS, TIMED, timed_bidding
from tests.support.tables.directing import START
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.ruling_tables import BY_EVE, BY_FINN, EVE, FINN, REASON, a_result, rule
from tests.support.tables.toy_game import Bid

DUE = NOON + 60 * SECOND


def created() -> MatchTable:
    return seated(toy_game.GAME, options=TIMED, clock="rules")


def paused() -> MatchTable:
    """40 s of the bids are left."""
    return timed_bidding().when(rule("p", PauseMatch()), NOON + 20 * SECOND)


def ruled(n: int, kind: KindName, ruling: Ruling) -> list[Event]:
    """What stands before the effect of a public ruling by Eve."""
    return [MatchRuled(n, kind, REASON, None, None), BY_EVE, RulingOrdered("r", ruling, None)]


def test_rule_3_a_pause_keeps_the_time_left() -> None:
    timed_bidding().when(rule("r", PauseMatch()), NOON + 20 * SECOND).then(
        *ruled(1, "pause", PauseMatch()),
        MatchPaused(40 * SECOND),
        AwaitingChanged((0, 1), None, "bids", None),
    )


def test_rule_3_the_match_goes_on_with_the_time_that_was_left() -> None:
    paused().when(rule("r", ResumeMatch()), NOON + HOUR).then(
        *ruled(2, "resume", ResumeMatch()),
        MatchResumed(),
        AwaitingChanged((0, 1), None, "bids", NOON + HOUR + 40 * SECOND),
    )


@pytest.mark.parametrize("ruling", [Extend(seconds=30), Extend(deadline=DUE + 30 * SECOND)])
def test_rule_3_an_extension_moves_the_deadline_in_force(ruling: Extend) -> None:
    after = DUE + 30 * SECOND
    timed_bidding().when(rule("r", ruling), NOON + SECOND).then(
        *ruled(1, "extend", ruling),
        DeadlineSet("bids", after, "ruling", DUE, after),
        AwaitingChanged((0, 1), None, "bids", after),
    )


def test_rule_3_an_extended_deadline_passes_at_its_new_instant() -> None:
    table = timed_bidding().when(rule("r", Extend(seconds=30)))
    table.at = DUE
    table.conflicts(PassDeadline(), "nothing_to_close")
    assert table.when(PassDeadline(), DUE + 30 * SECOND).new_events[0] == DeadlinePassed("bids")


def test_rule_3_what_is_counted_from_an_extended_deadline_counts_from_what_it_was() -> None:
    """Thanks are due by 13:00, at least an hour after the bids at 12:01, so tomorrow. Extended
    beyond 13:00, it would be the day after without this."""
    table = timed_bidding().when(rule("r", Extend(seconds=24 * 3600))).accepted(0, Bid(4))
    assert table.when(PassDeadline(), DUE + 24 * HOUR).due == NOON + 25 * HOUR


def test_rule_3_while_paused_an_extension_adds_to_the_time_left() -> None:
    table = paused().when(rule("r", Extend(seconds=30)))
    table.then(*ruled(2, "extend", Extend(seconds=30)), MatchPaused(70 * SECOND))
    resumed = table.when(rule("s", ResumeMatch()), NOON + HOUR)
    assert resumed.due == NOON + HOUR + 70 * SECOND


@pytest.mark.parametrize("deadline", [DUE, DUE - 1, NOON, 0])
def test_rule_3_an_extension_is_later_than_now_and_than_the_deadline(deadline: int) -> None:
    timed_bidding().conflicts(rule("r", Extend(deadline=deadline)), "not_in_future")


def test_rule_3_without_a_deadline_nothing_is_extended() -> None:
    untimed = seated(toy_game.GAME, clock="none").when(START).when(LOTS)
    untimed.conflicts(rule("r", Extend(seconds=1)), "no_deadline")
    untimed.when(rule("p", PauseMatch())).conflicts(rule("r", Extend(seconds=1)), "no_deadline")
    paused().conflicts(rule("r", Extend(deadline=NOON + HOUR)), "no_deadline")
    created().conflicts(rule("r", Extend(seconds=1)), "match_not_running")


@pytest.mark.parametrize("fields", [{}, {"deadline": 1, "seconds": 1}, {"seconds": 0}], ids=str)
def test_rule_3_an_extension_has_either_a_deadline_or_seconds(fields: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        convert({"kind": "extend", **fields}, Ruling)


def test_rule_3_a_match_is_paused_while_it_runs_and_resumed_while_it_is_paused() -> None:
    created().conflicts(rule("r", PauseMatch()), "match_not_running")
    created().conflicts(rule("r", ResumeMatch()), "not_paused")
    timed_bidding().conflicts(rule("r", ResumeMatch()), "not_paused")
    paused().conflicts(rule("r", PauseMatch()), "match_not_running")


def test_rule_3_a_public_note_is_for_everybody() -> None:
    ruling = Note("public", "Bids are whole chips.", "clarification")
    timed_bidding().when(rule("r", ruling)).then(
        *ruled(1, "note", ruling), PublicNoted("Bids are whole chips.", "clarification")
    )


def test_rule_3_a_note_to_a_seat_is_ruled_for_that_seat_alone_and_not_counted() -> None:
    ruling = Note("seat:1", "Do not talk.", "warning")
    table = timed_bidding().when(rule("r", ruling))
    table.then(
        SeatRuled(1, "note", REASON, None, None),
        BY_EVE,
        RulingOrdered("r", ruling, None),
        SeatNoted(1, "Do not talk.", "warning"),
    )
    table.conflicts(rule("s", Note("seat:2", "Who?", "warning")), "no_such_seat")


def test_rule_3_a_sealed_note_is_for_moderators_alone_and_not_counted() -> None:
    ruling = Note("sealed", "They sit together.", "warning")
    table = timed_bidding().when(rule("r", ruling))
    table.then(
        SealedRuled("note", REASON, None, None),
        BY_EVE,
        RulingOrdered("r", ruling, None),
        SealedNoted("They sit together.", "warning"),
    )
    table.when(rule("s", PauseMatch()))
    assert table.new_events[0] == MatchRuled(1, "pause", REASON, None, None)


@pytest.mark.parametrize("to", ["seat:", "seat:-1", "seat:01", "seat:1\n", "moderator", "", "Ann"])
def test_rule_3_a_note_is_to_the_public_a_seat_or_moderators(to: str) -> None:
    with pytest.raises(ValidationError):
        convert({"kind": "note", "to": to, "text": "x", "severity": "uphold"}, Ruling)


def test_rule_3_a_result_that_is_ruled_ends_the_match() -> None:
    ruling = RuleResult(a_result(2), "forfeit")
    table = timed_bidding().when(rule("r", ruling)).when(SecondRuling("r", FINN))
    table.then(
        MatchRuled(1, "result", REASON, None, None),
        BY_FINN,
        RulingOrdered("r", ruling, None),
        ResultRuled(a_result(2), "forfeit"),
        MatchEnded(a_result(2)),
    )
    assert (table.match.status, table.match.result, table.due) == ("ended", a_result(2), None)


@pytest.mark.parametrize(
    "result",
    [
        Result((0,), (1,), False, (1,)),
        Result((0,), (0, 1), False, (1, 0)),
        Result((2,), (1,), False, (1, 0)),
        Result((-1,), (1,), False, (1, 0)),
        Result((0,), (1,), True, (1, 0)),
    ],
    ids=str,
)
def test_rule_3_a_result_names_each_seat_once_and_scores_them_all(result: Result) -> None:
    timed_bidding().conflicts(rule("r", RuleResult(result, "adjudicated")), "result_does_not_fit")


def test_rule_3_a_match_that_is_void_is_over_and_waits_for_nobody() -> None:
    table = paused().when(rule("r", VoidMatch("another"))).when(SecondRuling("r", FINN))
    assert table.new_events[-1] == MatchVoided("another")
    assert (table.match.status, table.match.result) == ("void", None)
    assert table.match.awaiting == AwaitingChanged()


def test_rule_3_a_seat_that_is_replaced_has_a_new_name() -> None:
    table = timed_bidding().when(rule("r", ReplaceSeat(1, "Zoe"))).when(SecondRuling("r", FINN))
    assert table.new_events[-2:] == [SeatReplaced(1), SeatNamed(1, "Zoe", bytes(16))]
    assert holders(table.match) == ("Ann", "Zoe")
    assert table.match.awaiting == timed_bidding().match.awaiting


@pytest.mark.parametrize("name", ["Ann", "ANN", " Zoe", "", "x" * 65])
def test_rule_3_a_new_name_can_be_read_and_is_nobody_elses(name: str) -> None:
    timed_bidding().conflicts(rule("r", ReplaceSeat(1, name)), "name_not_allowed")


def test_rule_3_there_is_such_a_seat() -> None:
    timed_bidding().conflicts(rule("r", ReplaceSeat(2, "Zoe")), "no_such_seat")


@pytest.mark.parametrize("end", [VoidMatch(), RuleResult(a_result(2), "forfeit")], ids=str)
def test_rule_3_after_a_final_result_nothing_is_ruled(end: Ruling) -> None:
    table = timed_bidding().when(rule("open", VoidMatch())).when(rule("r", end))
    table.when(SecondRuling("r", FINN))
    for ruling in (PauseMatch(), ResumeMatch(), Extend(seconds=1), VoidMatch(), end):
        table.conflicts(rule("s", ruling), "result_final")
    table.conflicts(rule("s", Note("sealed", "late", "uphold")), "result_final")
    table.conflicts(SecondRuling("open", FINN), "not_pending")


def test_rule_3_an_open_case_and_a_rule_are_named() -> None:
    table = timed_bidding().when(OpenCase("case-7"))
    table.when(rule("r", PauseMatch(), rule="4.2", case="case-7"))
    assert table.new_events[0] == MatchRuled(1, "pause", REASON, "4.2", None)
    assert table.new_events[2] == RulingOrdered("r", PauseMatch(), "case-7")
    assert EVE.person not in repr(table.new_events[0])


def test_the_setting_by_which_the_service_rules_forfeits_is_named_by_the_service_alone() -> None:
    ruling = rule("r", RuleResult(a_result(2), "forfeit"), rule=BY_ITSELF)
    timed_bidding().conflicts(ruling, "rule_of_service")
