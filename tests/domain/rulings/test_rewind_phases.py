"""Rulings, section 4: sealed phases that a rewind opens again, and draws that it undoes."""

from typing import Any

import pytest

from domain.chance.draws import Outcome
from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.games.grouping_bw.actions import NameStarter
from domain.games.grouping_bw.events import GroupingEnded, GroupsSubmitted, StarterNamed
from domain.games.liars_dice import Bid, Challenge
from domain.match.commands import GiveClientSeed, PassDeadline
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    DrawAsked,
    DrawSettled,
    MatchPaused,
    PhaseClosed,
    SealedDrawSettled,
    SeedCommitted,
    SeedSealed,
)
from domain.rulings.events import MatchRewound, SeatReapplied
from domain.rulings.kinds import Change, PauseMatch
from tests.support.tables.directing import close_phase, enter_draw
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, group
from tests.support.tables.match_table import MatchTable
from tests.support.tables.rewind_positions import (
    FLIPS,
    coins,
    dice,
    flipped,
    grouped,
    grouping,
    kinds,
    last,
    no_rewind,
    redraw,
    resume,
    rewind,
    rolled,
    started,
)
from tests.support.tables.ruling_tables import rule

# A sealed phase that is open again.


def reopened() -> MatchTable:
    """The grouping is open again, in which both have grouped."""
    table = grouped()
    return rewind(table, last(table, GroupingEnded))


def test_rule_4_a_reopened_sealed_phase_awaits_all_its_seats() -> None:
    table = reopened()
    assert table.match.awaiting.seats == (0, 1)
    standing = table.match.game.standing.standing
    assert [one.seat for one in standing] == [0, 1]


def test_rule_4_it_never_ends_because_all_are_in() -> None:
    table = resume(reopened())
    for seat in (0, 1, 0):
        table.accepted(seat, group(DESCENDING))
        assert kinds(table) == [ActionReceived, GroupsSubmitted]


@pytest.mark.parametrize("by_hand", [False, True])
def test_rule_4_it_ends_by_its_deadline_or_by_hand(by_hand: bool) -> None:
    table = resume(reopened())
    table.when(close_phase()) if by_hand else table.when(PassDeadline(), table.due)
    assert isinstance(table.new_events[0], PhaseClosed if by_hand else DeadlinePassed)
    assert GroupingEnded in kinds(table)


def test_rule_4_one_that_begins_behind_the_rewind_ends_as_ever() -> None:
    table = grouped()
    rewind(table, last(table, StarterNamed))
    resume(table).accepted(1, NameStarter(1))
    table.accepted(0, group(ASCENDING)).accepted(1, group(ASCENDING))
    assert GroupingEnded in kinds(table)


def test_rule_1_a_submission_in_the_phase_stands_until_replaced() -> None:
    table = resume(reopened())
    table.accepted(1, group(ASCENDING)).when(close_phase())
    groups = table.match.game.groups
    assert groups == (grouped_as(ASCENDING), grouped_as(ASCENDING))


def grouped_as(row: tuple[int, ...]) -> Any:
    action = group(row)
    table = grouping().accepted(0, action)
    return table.match.game.standing.standing[0].groups


def test_rule_4_a_submission_that_stands_is_not_judged_again() -> None:
    """It was never undone. Judged again it would be there twice, and to strike one would leave the
    other."""
    table = grouped()
    of = last(table, ActionReceived)
    rewind(table, last(table, GroupingEnded), reapply="while_legal")
    assert SeatReapplied not in kinds(table)
    rewind(table, None, Change(strike=of))
    assert table.match.game.standing.standing[1] is None


# Chance by hand.


def test_rule_4_by_hand_a_draw_of_a_branch_has_an_id_of_its_own() -> None:
    table = flipped()
    rewind(table, last(table, DrawSettled))
    resume(table).conflicts(enter_draw("setup", FLIPS), "no_draw_awaited")
    table.when(enter_draw("b1/setup", FLIPS[::-1]))
    assert table.new_events[0] == DrawSettled("b1/setup", FLIPS[::-1], "manual")
    rewind(table, last(table, DrawSettled))
    assert table.match.awaiting.draw.id == "b2/setup"  # type: ignore[union-attr]


def test_rule_4_a_sealed_draw_of_a_branch_is_asked_for_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(4, 6)).accepted(1, Challenge())
    rolled(table, (4,)).when(rule("p", PauseMatch()))
    rewind(table, last(table, MatchPaused))
    assert [e.id for e in table.new_events if isinstance(e, DrawAsked)] == ["b1/round2/roll/1"]


def test_rule_4_a_draw_has_another_outcome() -> None:
    table = flipped()
    other: Outcome = ("tails",) * 5
    rewind(table, last(table, DrawSettled), redraw(*other))
    assert DrawSettled("b1/setup", other, "ruling") in table.new_events
    expected = coins().when(enter_draw("setup", other))
    assert table.match.game == expected.match.game
    assert table.match.status == "paused"
    assert table.match.awaiting.seats == expected.match.awaiting.seats


@pytest.mark.parametrize("outcome", [("heads",), ("heads",) * 4 + (1,), ()], ids=str)
def test_rule_4_an_outcome_fits_its_draw(outcome: tuple[Any, ...]) -> None:
    table = flipped()
    no_rewind(table, "outcome_does_not_fit", last(table, DrawSettled), redraw(*outcome))


def test_rule_4_only_a_draw_by_hand_that_is_awaited_there_has_another_outcome() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    no_rewind(table, "no_such_draw", before, redraw(*FLIPS, of="another"))
    table.accepted(0, Place("penny"))
    no_rewind(table, "no_such_draw", last(table, AwaitingChanged), redraw(*FLIPS))
    served = coins("server")
    no_rewind(served, "no_such_draw", last(served, DrawSettled), redraw(*FLIPS))


def test_rule_4_it_can_be_drawn_otherwise_more_than_once() -> None:
    """The first redraw is undone; then the draw is live again, and can be named."""
    table = flipped()
    settled = last(table, DrawSettled)
    other: Outcome = ("heads",) * 5
    rewind(table, settled, redraw(*("tails",) * 5))
    no_rewind(table, "not_live", settled, redraw(*other))
    rewind(table, last(table, MatchRewound))
    rewind(table, settled, redraw(*other, of="b1/setup"))
    assert DrawSettled("b3/setup", other, "ruling") in table.new_events
    assert table.match.game == coins().when(enter_draw("setup", other)).match.game


# Chance by the server.


def test_rule_4_a_new_epoch_is_committed_to_while_paused_and_sealed_by_resume() -> None:
    table = coins("server")
    before = last(table, ActionReceived) + 1
    old = [event for event in table.events if isinstance(event, SeedCommitted)]
    rewind(table, before)
    committed = table.new_events[-1]
    assert isinstance(committed, SeedCommitted) and committed.epoch == 1
    assert committed.commit != old[0].commit
    assert table.match.epoch is not None and table.match.epoch.transcript is None
    table.when(GiveClientSeed(1, "ours"))
    resume(table)
    seals = [event for event in table.new_events if isinstance(event, SeedSealed)]
    assert [seal.epoch for seal in seals] == [1]
    table.conflicts(GiveClientSeed(0, "late"), "seed_sealed")


def test_rule_4_what_was_drawn_behind_the_point_is_drawn_anew() -> None:
    table = coins("server")
    drawn = table.events[last(table, DrawSettled) - 1]
    rewind(table, last(table, DrawSettled))
    resume(table).accepted(0, ChooseSide("heads"))
    again = table.events[last(table, DrawSettled) - 1]
    assert isinstance(drawn, DrawSettled) and isinstance(again, DrawSettled)
    assert drawn.id == again.id and drawn.key_commit != again.key_commit


def test_rule_4_what_was_drawn_before_the_point_stands() -> None:
    table = coins("server")
    game = table.match.game
    before = table.accepted(0, Place("penny"))
    rewind(before, last(before, AwaitingChanged))
    assert table.match.game == game


def test_rule_4_a_draw_awaited_at_the_point_is_answered_at_resume() -> None:
    """The rewind itself draws nothing."""
    table = started("dollar-prize", chance="server").accepted(0, ChooseSide("heads"))
    rewind(table, last(table, ActionReceived) + 1, reapply="while_legal")
    assert not {DrawSettled, SealedDrawSettled} & set(kinds(table))
    resume(table)
    assert DrawSettled in kinds(table)


def test_rule_4_by_hand_no_epoch_begins() -> None:
    table = flipped()
    assert SeedCommitted not in kinds(rewind(table, last(table, DrawSettled)))
