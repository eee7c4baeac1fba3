"""Rulings, section 4: to which points a match is rewound, by how many people, and how much time is
left then."""

import pytest
from msgspec.structs import replace

from domain.events import PUBLIC
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.games.liars_dice import Bid, BidPlaced
from domain.match.commands import Act, Command, IssueKey, PassDeadline
from domain.match.deadlines import HOUR, SECOND
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    Chance,
    DeadlinePassed,
    DrawAsked,
    DrawSettled,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    SealedDrawSettled,
)
from domain.proof.rejudging import rejudge
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.events import (
    ActionStruck,
    ConsentAsked,
    MatchRewound,
    MatchRuled,
    RewindOrdered,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
)
from domain.rulings.kinds import Change, Extend, Note, PauseMatch, Rewind, RuleResult, VoidMatch
from tests.support.instants import NOON
from tests.support.tables.match_table import MATCH, replayed, seated
from tests.support.tables.rewind_positions import (
    by_two,
    coins,
    dice,
    first,
    flipped,
    kinds,
    last,
    no_rewind,
    redraw,
    resume,
    rewind,
    sent,
    submitting,
)
from tests.support.tables.ruling_tables import BY_EVE, EVE, FINN, REASON, a_result, rule
from tests.support.tables.together_tables import a

# How many people it takes.


def test_rule_3_one_person_is_enough_for_a_public_draw_mistyped_and_nothing_since() -> None:
    table = by_two(flipped())
    ruling = Rewind(last(table, DrawSettled), (redraw(*("tails",) * 5),))
    assert isinstance(table.when(rule("r", ruling)).new_events[0], MatchRuled)


def test_rule_3_refusals_do_not_count_as_something_since() -> None:
    table = by_two(flipped()).act(0, ChooseSide("heads")).act(1, Place("penny"))
    table.when(rule("r", Rewind(last(table, DrawSettled))))
    assert isinstance(table.new_events[0], MatchRuled)


SINCE = (
    Act(0, Place("penny"), {"type": "place", "coin": "penny"}),
    IssueKey("k", 0, None, EVE),
    rule("note", Note("sealed", "as it stands", "uphold")),
    rule("pause", PauseMatch()),
    rule("pending", VoidMatch()),
)


@pytest.mark.parametrize("since", SINCE, ids=lambda one: type(one).__name__)
def test_rule_3_after_anything_else_it_takes_two(since: Command) -> None:
    table = by_two(flipped()).when(since)
    table.when(rule("r", Rewind(last(table, DrawSettled))))
    assert isinstance(table.new_events[0], RulingProposed)


def test_rule_3_what_told_one_seat_something_takes_two() -> None:
    table = by_two(dice((1,), (2,)))
    assert isinstance(table.new_events[0], SealedDrawSettled)
    table.when(rule("r", Rewind(last(table, AwaitingChanged))))
    assert isinstance(table.new_events[0], RulingProposed)


def test_rule_3_what_took_two_is_not_undone_by_one() -> None:
    table = by_two(flipped()).accepted(0, Place("penny"))
    table.when(rule("r", Rewind(last(table, DrawSettled)))).when(SecondRuling("r", FINN))
    undoing = rule("s", Rewind(last(table, MatchRewound)))
    assert isinstance(table.when(undoing).new_events[0], RulingProposed)


def test_rule_3_nor_is_what_took_the_consent_of_the_seats() -> None:
    table = by_two(flipped()).accepted(0, Place("penny"))
    table.when(rule("r", Rewind(last(table, DrawSettled)), ask_seats=True))
    table.when(ConsentToRuling("r", 0)).when(ConsentToRuling("r", 1))
    table.when(rule("s", Rewind(last(table, MatchRewound))))
    assert isinstance(table.new_events[0], RulingProposed)


def test_rule_3_what_one_person_ruled_one_person_undoes() -> None:
    table = by_two(flipped())
    table.when(rule("r", Rewind(last(table, DrawSettled))))
    table.when(rule("s", Rewind(last(table, MatchRewound))))
    assert isinstance(table.new_events[0], MatchRuled)


def test_rule_3_a_strike_in_an_open_sealed_phase_takes_two() -> None:
    table = by_two(submitting()).accepted(0, a(0))
    ruling = Rewind(None, (Change(strike=last(table, ActionReceived)),))
    table.when(rule("r", ruling))
    assert isinstance(table.new_events[0], RulingProposed)
    assert ActionStruck in kinds(table.when(SecondRuling("r", FINN)))


def test_rule_3_the_seats_are_asked_with_before_and_the_last_consent_carries_it_out() -> None:
    table = by_two(dice((1,), (2,))).accepted(0, Bid(1, 3))
    before = last(table, ActionReceived)
    table.when(rule("r", Rewind(last(table, BidPlaced)), ask_seats=True))
    asked = [ConsentAsked(seat, "r", "rewind", REASON, before) for seat in (0, 1)]
    assert [e for e in table.new_events if isinstance(e, ConsentAsked)] == asked
    table.when(ConsentToRuling("r", 1))
    assert kinds(table) == [RulingConsented]
    table.when(ConsentToRuling("r", 0))
    assert MatchRewound(1, before) in table.new_events
    assert replayed(table.game, table.records) == table.match == rejudge(MATCH, table.records)


def test_rule_3_the_seats_are_not_asked_about_what_is_sealed() -> None:
    table = by_two(submitting()).accepted(0, a(0))
    ruling = Rewind(None, (Change(strike=last(table, ActionReceived)),))
    table.conflicts(rule("r", ruling, ask_seats=True), "not_public")


def test_rule_3_seconded_later_it_undoes_also_what_came_since() -> None:
    table = by_two(dice((1, 1), (2, 2))).accepted(0, Bid(1, 3))
    before = last(table, ActionReceived)
    table.when(rule("r", Rewind(before + 1)))
    table.accepted(1, Bid(1, 4)).when(SecondRuling("r", FINN))
    assert table.match.awaiting.seats == (0,) and table.match.game.bids == ()


def test_rule_3_what_was_undone_meanwhile_is_given_up() -> None:
    table = by_two(dice((1, 1), (2, 2))).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    table.when(rule("r", Rewind(last(table, BidPlaced))))
    table.when(rule("s", Rewind(first(table, BidPlaced)))).when(SecondRuling("s", FINN))
    assert RulingLapsed("r") in table.new_events
    table.conflicts(SecondRuling("r", FINN), "not_pending")
    assert replayed(table.game, table.records) == table.match == rejudge(MATCH, table.records)


def test_rule_3_what_stands_before_what_was_undone_is_not() -> None:
    table = by_two(dice((1, 1), (2, 2))).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    table.when(rule("r", Rewind(first(table, BidPlaced))))
    table.when(rule("s", Rewind(last(table, BidPlaced)))).when(SecondRuling("s", FINN))
    table.when(SecondRuling("r", FINN))
    assert any(isinstance(event, MatchRewound) for event in table.new_events)


def test_rule_3_a_strike_in_a_phase_that_has_ended_is_given_up() -> None:
    table = by_two(submitting()).accepted(0, a(0))
    table.when(rule("r", Rewind(None, (Change(strike=last(table, ActionReceived)),))))
    table.when(PassDeadline(), table.due)
    assert RulingLapsed("r") in table.new_events


# `before`.


def test_rule_4_before_names_a_public_event() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3))
    no_rewind(table, "not_public", last(table, SealedDrawSettled))
    no_rewind(table, "not_public", last(table, ActionReceived))
    no_rewind(table, "not_public", last(table, DrawAsked))


def test_rule_4_before_names_a_live_event() -> None:
    table = flipped()
    settled = last(table, DrawSettled)
    rewind(table, settled)
    no_rewind(table, "not_live", settled)
    no_rewind(table, "not_live", len(table.events) + 1)
    no_rewind(table, "not_live", 2**53)


@pytest.mark.parametrize("chance", ["server", "manual"])
def test_rule_4_nothing_is_rewound_to_before_the_start(chance: Chance) -> None:
    table = coins(chance)
    for position in range(1, last(table, MatchStarted) + 1):
        if table.events[position - 1].audience == PUBLIC:
            no_rewind(table, "not_live", position)
    no_rewind(table, "not_live", first(table, AwaitingChanged))


def test_rule_4_before_the_start_nothing_is_rewound() -> None:
    created = seated(GAMES["dollar-prize"])
    no_rewind(created, "not_live", 1)


def test_rule_4_a_final_result_is_not_rewound() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    table.when(rule("over", RuleResult(a_result(2), "forfeit")))
    no_rewind(table, "result_final", before)


def test_rule_4_any_public_event_names_its_whole_batch() -> None:
    settled = last(flipped(), DrawSettled)
    for position in range(settled, len(flipped().events) + 1):
        if flipped().events[position - 1].audience != PUBLIC:
            continue
        table = rewind(flipped(), position)
        assert MatchRewound(1, settled) in table.new_events


def test_rule_4_the_batch_of_an_action_begins_with_what_its_seat_sent() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3))
    before = last(table, ActionReceived)
    assert MatchRewound(1, before) in rewind(table, last(table, BidPlaced)).new_events


def test_rule_4_what_is_recorded() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    waits = table.events[before - 2]
    assert isinstance(waits, AwaitingChanged) and waits.draw is not None
    rewind(table, before).then(
        MatchRuled(1, "rewind", REASON, None, None),
        BY_EVE,
        RulingOrdered(f"at {len(table.events) - len(table.new)}", Rewind(before), None),
        MatchRewound(1, before),
        RewindOrdered((), "none"),
        MatchPaused(),
        replace(waits, draw=replace(waits.draw, id="b1/setup")),
    )


def test_rule_1_branches_count_all_rewinds_also_those_that_are_undone() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    rewind(table, before)
    rewind(table, last(table, MatchRewound))
    assert table.match.rulings.branch == 2
    assert MatchRewound(3, before) in rewind(table, before).new_events


def test_rule_1_undoing_a_rewind_gives_back_the_game_that_it_undid() -> None:
    table = flipped().accepted(0, Place("penny"))
    game = table.match.game
    rewind(table, last(table, DrawSettled))
    assert table.match.game != game
    rewind(table, last(table, MatchRewound))
    assert table.match.game == game and table.match.status == "paused"


# Paused, and what was left.


@pytest.mark.parametrize("chance", ["server", "manual"])
def test_rule_4_after_every_rewind_the_match_is_paused(chance: Chance) -> None:
    table = coins(chance)
    rewind(table, last(table, AwaitingChanged))
    assert table.match.status == "paused"
    table.conflicts(Act(0, ChooseSide("tails"), sent(ChooseSide("tails"))), "match_not_running")
    assert resume(table).match.status == "running"


def test_rule_4_what_was_left_of_the_deadline_at_the_point_counts_from_resume() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3), NOON + 20 * SECOND)
    table.accepted(1, Bid(1, 4), NOON + 50 * SECOND)
    rewind(table, first(table, BidPlaced))
    assert MatchPaused(40 * SECOND) in table.new_events
    assert table.due is None
    assert resume(table, NOON + HOUR).due == NOON + HOUR + 40 * SECOND


def test_rule_4_at_a_point_within_a_pause_that_is_what_was_left_then() -> None:
    table = dice((1,), (2,)).when(rule("p", PauseMatch()), NOON + 15 * SECOND)
    table.when(rule("e", Extend(seconds=5)), NOON + HOUR)
    resume(table, NOON + 2 * HOUR)
    rewind(table, last(table, MatchResumed))
    assert MatchPaused(50 * SECOND) in table.new_events
    rewind(table, first(table, MatchPaused))
    assert MatchPaused(45 * SECOND) in table.new_events


def test_rule_4_before_a_deadline_that_passed_nothing_is_left_and_time_can_be_added() -> None:
    table = dice((1,), (2,))
    table.when(PassDeadline(), table.due)
    rewind(table, last(table, DeadlinePassed))
    assert MatchPaused(0) in table.new_events
    table.when(rule("e", Extend(seconds=30)))
    assert resume(table, NOON + HOUR).due == NOON + HOUR + 30 * SECOND


def test_rule_4_pauses_and_deadlines_are_undone_like_all_else() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3), NOON + 20 * SECOND)
    table.when(rule("e", Extend(seconds=100))).when(rule("p", PauseMatch()))
    rewind(table, first(table, BidPlaced))
    assert MatchPaused(40 * SECOND) in table.new_events
