"""Rulings, section 4: later inputs that are judged again, what a rewind does not undo, and actions
that it strikes or admits."""

from typing import Any

import msgspec
import pytest

from domain.events import OWN_SEAT
from domain.games.dollar_prize.actions import Place
from domain.games.dollar_prize.events import CoinPlaced
from domain.games.grouping_bw.events import GroupingEnded
from domain.games.liars_dice import Bid, BidPlaced, Challenge, RoundEnded
from domain.games.together.events import SubmissionMade
from domain.match.commands import PassDeadline
from domain.match.deadlines import SECOND
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    DrawSettled,
    MatchEnded,
    MatchPaused,
    SealedDrawSettled,
)
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    PublicReapplied,
    RewindOrdered,
    RulingOrdered,
    SealedReapplied,
    SealedRuled,
    SeatReapplied,
    SeatRuled,
)
from domain.rulings.kinds import Change, Rewind
from domain.rulings.rewinding import Misfit
from projections.audience.disclosure import MODERATOR, may_see
from tests.support.tables.grouping_bw_tables import ASCENDING, group
from tests.support.tables.match_table import MatchTable
from tests.support.tables.rewind_positions import (
    FLIPS,
    coins,
    dice,
    first,
    flipped,
    grouped,
    grouping,
    kinds,
    last,
    misfit,
    no_rewind,
    redraw,
    rewind,
    rolled,
    submitting,
)
from tests.support.tables.ruling_tables import BY_EVE, REASON
from tests.support.tables.together_tables import a


def test_rule_4_without_reapply_no_later_input_is_judged_again() -> None:
    table = flipped().accepted(0, Place("penny"))
    assert not REAPPLIED & set(kinds(rewind(table, last(table, DrawSettled))))


REAPPLIED = {PublicReapplied, SeatReapplied, SealedReapplied}


def test_rule_4_later_inputs_are_judged_again_each_for_its_audience() -> None:
    table = flipped().accepted(0, Place("penny"))
    game, drawn, placed = table.match.game, last(table, DrawSettled), last(table, ActionReceived)
    rewind(table, drawn, reapply="while_legal")
    assert [e for e in table.new_events if type(e) in REAPPLIED] == [
        PublicReapplied(drawn),
        SeatReapplied(0, placed),
    ]
    assert table.match.game == game and table.match.status == "paused"


def test_rule_4_a_sealed_draw_is_judged_again_for_moderators() -> None:
    table = dice((1, 2), (2, 3)).accepted(0, Bid(4, 6)).accepted(1, Challenge())
    rolled(table, (4,), (5, 6))
    game, before = table.match.game, last(table, RoundEnded)
    rewind(table, before, reapply="while_legal")
    assert kinds(table).count(SealedReapplied) == 2
    assert table.match.game == game


def test_rule_4_a_passed_deadline_counts_as_a_closed_phase() -> None:
    table = dice((1,), (2,))
    table.when(PassDeadline(), table.due).accepted(1, Bid(2, 6))
    game = table.match.game
    rewind(table, last(table, DeadlinePassed), reapply="while_legal")
    assert [type(e) for e in table.new_events if type(e) in REAPPLIED] == [
        PublicReapplied,
        SeatReapplied,
    ]
    left = MatchPaused(60 * SECOND, table.at + 60 * SECOND)
    assert table.match.game == game and left in table.new_events


def test_rule_4_they_are_judged_until_one_is_refused() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    table.accepted(0, Bid(2, 5))
    before, struck = first(table, BidPlaced), first(table, ActionReceived)
    assert misfit(table, before) is None
    assert misfit(table, before, Change(strike=struck)) == Misfit(struck + 3, "not_your_turn")
    rewind(table, before, Change(strike=struck), reapply="while_legal")
    assert not REAPPLIED & set(kinds(table))


def test_rule_4_they_are_judged_until_the_parts_of_a_draw_differ() -> None:
    """By the hand drawn otherwise the other seat loses a die, so others are rolled next."""
    table = dice((1, 1), (2, 2)).accepted(0, Bid(3, 2)).accepted(1, Challenge())
    challenged = last(table, ActionReceived)
    rolled(table, (4, 4), (5,))
    roll = last(table, RoundEnded) + 3
    assert isinstance(table.events[roll - 1], SealedDrawSettled)
    before, hand = first(table, BidPlaced) - 2, redraw(4, 4, of="round1/roll/1")
    assert misfit(table, before) is None
    assert misfit(table, before, hand) == Misfit(roll, "draw_differs")
    rewind(table, before, hand, reapply="while_legal")
    again = [e.of for e in table.new_events if isinstance(e, SeatReapplied)]
    assert again[-1] == challenged


def test_rule_4_they_are_judged_until_server_chance_is_asked() -> None:
    table = coins("server").act(0, Place("penny"))
    later = last(table, ActionReceived)
    assert misfit(table, first(table, ActionReceived) + 1) == Misfit(later, "draw_awaited")


def test_rule_4_an_action_that_was_refused_is_not_judged_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).act(0, Bid(1, 4)).accepted(1, Bid(1, 4))
    rewind(table, first(table, BidPlaced), reapply="while_legal")
    assert kinds(table).count(SeatReapplied) == 2


def test_rule_4_what_was_judged_again_is_judged_again_from_what_was_sent() -> None:
    table = flipped()
    for seat in (0, 1):
        table.accepted(seat, Place("penny"))
    of, game = last(table, ActionReceived), table.match.game
    rewind(table, last(table, CoinPlaced), reapply="while_legal")
    rewind(table, first(table, DrawSettled), reapply="while_legal")
    again = [e for e in table.new_events if isinstance(e, SeatReapplied)]
    assert again == [SeatReapplied(0, first(table, CoinPlaced) - 1), SeatReapplied(1, of)]
    assert table.match.game == game


def test_rule_4_a_match_that_is_judged_to_its_end_again_is_over() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(3, 2)).accepted(1, Challenge())
    rolled(table, (5, 5), (5,))
    before = last(table, AwaitingChanged)
    table.accepted(1, Bid(3, 5)).accepted(0, Challenge())
    rewind(table, before, redraw(3, of="round2/roll/1"), reapply="while_legal")
    assert isinstance(table.new_events[-1], MatchEnded)
    assert table.match.status == "ended" and table.match.awaiting == AwaitingChanged()


# What everyone keeps.


def test_rule_4_knowledge_is_not_unlearnt() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3))
    before = list(table.records)
    rewind(table, last(table, BidPlaced), reapply="while_legal")
    assert table.records[: len(before)] == before


def test_rule_4_what_a_seat_has_put_on_the_record_counts_as_before() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3))
    before = table.match.recorded.sizes
    assert before[0] > 0
    rewind(table, last(table, BidPlaced))
    assert table.match.recorded.sizes == before


def test_rule_4_what_was_ordered_is_for_moderators() -> None:
    table = flipped()
    rewind(table, last(table, DrawSettled), redraw(*FLIPS))
    ordered = [e for e in table.new_events if isinstance(e, RewindOrdered | RulingOrdered)]
    assert len(ordered) == 2
    assert not any(may_see(viewer, e) for e in ordered for viewer in (0, 1, "public"))
    assert all(may_see(MODERATOR, e) for e in ordered)
    assert all(e.audience != OWN_SEAT for e in table.new_events)


# Strikes and admissions.


def test_rule_4_a_struck_action_is_not_judged_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    of = last(table, ActionReceived)
    rewind(table, first(table, BidPlaced), Change(strike=of), reapply="while_legal")
    assert ActionStruck(1, of) in table.new_events
    assert [e.of for e in table.new_events if isinstance(e, SeatReapplied)] == [of - 3]
    assert table.match.awaiting.seats == (1,)


def test_rule_4_only_an_action_that_is_undone_or_stands_sealed_is_struck() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    earlier, later = first(table, ActionReceived), last(table, ActionReceived)
    no_rewind(table, "not_live", later + 1, Change(strike=earlier))
    no_rewind(table, "not_live", later + 1, Change(strike=later + 1))
    no_rewind(table, "not_live", later + 1, Change(strike=2**53))
    no_rewind(table, "not_live", None, Change(strike=later))
    rewind(table, later + 1)
    no_rewind(table, "not_live", earlier + 1, Change(strike=later))


def test_rule_4_a_standing_submission_is_struck_in_the_phase_that_is_open_again() -> None:
    table = grouped()
    of = last(table, ActionReceived)
    rewind(table, last(table, GroupingEnded), Change(strike=of))
    assert ActionStruck(1, of) in table.new_events
    assert table.match.game.standing.standing[1] is None


def late() -> MatchTable:
    """A submission for the first round came just after its deadline."""
    table = submitting().accepted(0, a(0))
    table.when(PassDeadline(), table.due)
    return table.act(1, a(1))


def test_rule_4_a_late_action_counts() -> None:
    table = late()
    assert table.code == "late"
    of = last(table, ActionReceived)
    rewind(table, first(table, DeadlinePassed), Change(admit=of))
    assert kinds(table)[-2:] == [ActionAdmitted, SubmissionMade]
    assert table.match.game.submissions.standing[1].a == (1,)


def test_rule_4_only_an_action_that_did_not_count_is_admitted() -> None:
    table = late()
    counted, of = first(table, ActionReceived), last(table, ActionReceived)
    before = first(table, DeadlinePassed)
    for wrong in (counted, of + 1, before, 2**53):
        no_rewind(table, "not_live", before, Change(admit=wrong))
    no_rewind(table, "not_admissible", None, Change(admit=of))


def test_rule_4_an_action_is_admitted_once() -> None:
    table = late()
    of, before = last(table, ActionReceived), first(table, DeadlinePassed)
    no_rewind(table, "not_live", before, Change(admit=of), Change(admit=of))
    rewind(table, before, Change(admit=of))
    no_rewind(table, "not_live", None, Change(admit=of))


def test_rule_4_once_it_is_struck_it_can_be_admitted_in_the_open_phase() -> None:
    table = late()
    of = last(table, ActionReceived)
    rewind(table, first(table, DeadlinePassed), Change(admit=of))
    rewind(table, None, Change(strike=last(table, ActionAdmitted)))
    assert table.match.game.submissions.standing[1] is None
    rewind(table, None, Change(admit=of))
    assert kinds(table)[-2:] == [ActionAdmitted, SubmissionMade]
    assert not any(may_see(viewer, e) for e in table.new_events for viewer in ("public", 0, 2))


# In a sealed phase that is open.


def test_rule_4_in_an_open_sealed_phase_a_strike_undoes_nothing_else() -> None:
    table = submitting().accepted(0, a(0)).accepted(1, a(1)).accepted(1, a(0))
    of, awaiting = last(table, ActionReceived), table.match.awaiting
    rewind(table, None, Change(strike=of))
    table.then(
        SealedRuled("rewind", REASON, None, None),
        BY_EVE,
        RulingOrdered(f"at {of + 1}", Rewind(None, (Change(strike=of),)), None),
        SeatRuled(1, "rewind", REASON, None, None),
        RewindOrdered((Change(strike=of),), "none"),
        ActionStruck(1, of),
    )
    assert [one and one.a for one in table.match.game.submissions.standing] == [
        (0,), (1,), None, None, None, None
    ]  # fmt: skip
    assert (table.match.status, table.match.awaiting) == ("running", awaiting)


def test_rule_4_what_the_rules_still_refuse_is_not_admitted() -> None:
    table = grouping().act(0, group((0, 1, 2, 3, 4, 5, 6, 7, 7)))
    no_rewind(table, "not_admissible", None, Change(admit=last(table, ActionReceived)))


def test_rule_4_nothing_public_is_recorded_of_it() -> None:
    table = grouping().accepted(0, group(ASCENDING))
    rewind(table, None, Change(strike=last(table, ActionReceived)))
    seen = [e for e in table.new_events if may_see(1, e) or may_see("public", e)]
    assert seen == []
    assert table.match.rulings.branch == 0 and table.match.rulings.n == 0


def test_rule_4_a_phase_that_is_not_sealed_has_no_such_ruling() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3))
    no_rewind(table, "not_live", None, Change(strike=last(table, ActionReceived)))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"changes": []},
        {"changes": [{"redraw": {"id": "x", "outcome": []}}]},
        {"changes": [{"strike": 3}], "reapply": "while_legal"},
        {"changes": [{"strike": 3, "admit": 4}]},
        {"before": 0},
    ],
    ids=str,
)
def test_rule_4_without_before_only_submissions_change(fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"kind": "rewind", **fields}, Rewind)
