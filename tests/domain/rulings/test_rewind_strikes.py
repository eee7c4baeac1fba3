"""Rulings, section 4: actions that a rewind strikes or admits."""

from typing import Any

import msgspec
import pytest

from domain.games.grouping_bw.events import GroupingEnded
from domain.games.liars_dice import Bid, BidPlaced
from domain.games.together.events import SubmissionMade
from domain.match.commands import PassDeadline
from domain.match.events import ActionReceived, DeadlinePassed
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    RewindOrdered,
    RulingOrdered,
    SealedRuled,
    SeatReapplied,
    SeatRuled,
)
from domain.rulings.kinds import Change, Rewind
from projections.audience.disclosure import may_see
from tests.support.tables.grouping_bw_tables import ASCENDING, group
from tests.support.tables.match_table import MatchTable
from tests.support.tables.rewind_positions import (
    BY_EVE,
    dice,
    first,
    grouped,
    grouping,
    kinds,
    last,
    no_rewind,
    rewind,
    submitting,
)
from tests.support.tables.ruling_tables import REASON
from tests.support.tables.together_tables import a

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
