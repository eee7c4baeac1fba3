"""The deadlines of Grouping Black & White: their names, their times, and what they do."""

from typing import Any

import msgspec
import pytest

from domain.games.grouping_bw.actions import Fold, NameStarter, Peek, Raise
from domain.games.grouping_bw.events import Folded, NumberTold, SetBegan, StarterNamed
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from domain.match.commands import PassDeadline
from domain.match.deadlines import After, Deadline
from domain.match.events import AwaitingChanged, PhaseClosed
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START, close_phase, enter_draw
from tests.support.tables.grouping_bw_tables import (
    ASCENDING,
    dealt,
    draw,
    group,
    grouping,
    new,
    parts_for,
)
from tests.support.tables.match_table import MatchTable, seated


@pytest.mark.parametrize("options", [{}, {"bet_seconds": 7, "group_seconds": 9}])
def test_every_wait_for_a_seat_has_a_deadline_of_its_own(options: dict[str, Any]) -> None:
    bet, group_ = After(options.get("bet_seconds", 60)), After(options.get("group_seconds", 120))
    assert new(**options).awaits.deadline == Deadline("starter", group_)
    assert grouping(**options).awaits.deadline == Deadline("set1/grouping", group_)
    table = dealt(ASCENDING, ASCENDING, **options)
    assert table.awaits.deadline == Deadline("set1/pass1/round1/bet1", bet)
    assert table.act(0, Raise(1)).awaits.deadline == Deadline("set1/pass1/round1/bet2", bet)
    assert table.act(1, Fold()).awaits.deadline == Deadline("set1/pass1/round2/bet1", bet)


def test_a_starter_not_named_is_the_chooser_itself() -> None:
    new().expired().then(StarterNamed(1, 1), SetBegan(1, 1))
    new("final-match-2").expired().then(StarterNamed(0, 0), SetBegan(1, 1))
    assert new().expired().state.starter == 1


def test_a_bet_not_made_is_a_fold() -> None:
    table = dealt(ASCENDING, ASCENDING).act(0, Raise(2))
    folded = GAME.decide(table.state, 1, Fold())
    assert folded[:2] == [Folded(1), NumberTold(1, 0, "fold")]
    assert table.expired().new == folded


def test_no_two_waits_of_a_match_have_deadlines_of_the_same_name() -> None:
    table = dealt(ASCENDING, ASCENDING, passes_per_set=2, chips=(99, 99))
    names = ["starter", "set1/grouping"]
    while table.state.set < 3:
        if table.awaits.draw:
            draw(table, ASCENDING, ASCENDING)
            continue
        deadline = table.awaits.deadline
        assert deadline is not None
        names.append(deadline.id)
        if table.state.phase == "grouping":
            table.act(0, group(ASCENDING)).act(1, group(ASCENDING))
        elif table.state.bet == 1 and table.state.round % 2:
            table.act(table.awaits.seats[0], Raise(1))
        else:
            table.act(table.awaits.seats[0], Fold())
    assert len(names) == len(set(names)) > 40


# In a match, with the clock.


def match(clock: Any = "rules", **options: Any) -> MatchTable:
    given = msgspec.convert({"variant": "final-match-2", **options}, Options)
    return seated(GAME, 2, given, "manual", clock).when(START)


def to_bets(table: MatchTable) -> MatchTable:
    table.accepted(0, NameStarter(0)).accepted(0, group(ASCENDING)).accepted(1, group(ASCENDING))
    return table.when(enter_draw("set1/pass1", parts_for(ASCENDING, ASCENDING)))


def test_deadlines_run_from_when_a_seat_is_first_waited_for() -> None:
    table = match()
    assert table.due == NOON + 120 * SECOND
    table.accepted(0, NameStarter(0), NOON + 20 * SECOND)
    assert table.due == NOON + 140 * SECOND
    table.accepted(0, group(ASCENDING), NOON + 30 * SECOND)
    assert table.due == NOON + 140 * SECOND


def test_submissions_and_a_peek_leave_the_deadline_alone() -> None:
    table = match(items=(("peek",), ("peek",)), starter_chooser=0)
    table.accepted(0, NameStarter(0))
    announced = table.match.awaiting
    for second in range(1, 6):
        table.accepted(1, group(ASCENDING), NOON + second * SECOND)
    assert table.match.awaiting == announced
    table.accepted(0, group(ASCENDING)).when(
        enter_draw("set1/pass1", parts_for(ASCENDING, ASCENDING))
    )
    announced = table.match.awaiting
    for seat in (0, 1):
        table.accepted(seat, Peek(), NOON + (10 + seat) * SECOND)
        assert not any(isinstance(event, AwaitingChanged) for event in table.new_events)
    assert table.match.awaiting == announced


def test_without_a_clock_no_deadline_runs_and_a_moderator_closes_every_phase() -> None:
    table = match("none")
    assert table.due is None
    table.when(close_phase())
    assert table.effect[:2] == [PhaseClosed("starter"), StarterNamed(0, 0)]
    table.accepted(0, group(ASCENDING)).accepted(1, group(ASCENDING))
    table.conflicts(close_phase(), "nothing_to_close")
    table.when(enter_draw("set1/pass1", parts_for(ASCENDING, ASCENDING)))
    assert table.due is None
    table.when(close_phase())
    assert table.effect[:2] == [PhaseClosed("set1/pass1/round1/bet1"), Folded(0)]


def test_every_bet_has_its_full_time() -> None:
    table = to_bets(match())
    assert table.due == NOON + 60 * SECOND
    table.accepted(0, Raise(1), NOON + 59 * SECOND)
    assert table.due == NOON + 119 * SECOND
    table.when(PassDeadline(), table.due)
    assert Folded(1) in table.new_events
    assert table.due == NOON + 179 * SECOND
