"""The clock of the rules: deadlines at a time of day, and late submissions."""

from datetime import datetime
from typing import Any

import pytest

from domain.games.together.actions import GiveTokenOfLife
from domain.games.together.events import RoundEnded
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from domain.match.commands import PassDeadline
from domain.match.deadlines import Deadline, TimeOfDay
from domain.match.events import AwaitingChanged, ClockRule, DeadlinePassed, SubmissionInvalid
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.together_tables import a, kick, new, over

HOUR = 3600 * SECOND
DAY = 24 * HOUR


def at(text: str) -> int:
    """The instant, in microseconds, at a time like 2026-01-03T14:00."""
    return int(datetime.fromisoformat(f"{text}:00+00:00").timestamp()) * SECOND


def started(clock: ClockRule = "rules", begin: int = NOON, **options: Any) -> MatchTable:
    """A match of four that starts at noon of the first of January."""
    table = seated(GAME, 4, Options(**options), clock=clock)
    return table.when(START, begin)


# The deadlines of the rules.


def test_the_rules_set_a_deadline_for_every_phase() -> None:
    table = new("AAAAABBBBB")
    assert table.awaits.deadline == Deadline("round1", TimeOfDay(48, "14:00"))
    kick(table, 4)
    assert table.awaits.deadline == Deadline("round2", TimeOfDay(24, "14:00"))
    table = over("AAABBB", (2,), (1,), b_tokens=(0, 1, 2))
    assert table.awaits.deadline == Deadline("token_of_life", TimeOfDay(24, "14:00"))
    table = over("AAAAABBBBB", (2, 3, 4), (0, 1), b_tokens=(1, 2, 2, 3, 3))
    assert table.awaits.deadline == Deadline("vote1", TimeOfDay(24, "14:00"))
    assert table.expired().awaits.deadline == Deadline("vote2", TimeOfDay(24, "14:00"))
    assert table.expired().awaits.deadline is None


def test_hours_and_the_time_of_day_are_options() -> None:
    times = {"deadline_utc": "08:30", "first_round_hours": 3, "round_hours": 5, "vote_hours": 7}
    table = new("AAABBB", **times)
    assert table.awaits.deadline == Deadline("round1", TimeOfDay(3, "08:30"))
    assert kick(table, 2).awaits.deadline == Deadline("round2", TimeOfDay(5, "08:30"))
    assert kick(table, 0).awaits.deadline == Deadline("token_of_life", TimeOfDay(7, "08:30"))
    assert table.expired().awaits.deadline == Deadline("vote1", TimeOfDay(7, "08:30"))


# The clock.


@pytest.mark.parametrize(
    ("begin", "due"),
    [
        ("2026-01-01T12:00", "2026-01-03T14:00"),
        ("2026-01-01T14:00", "2026-01-03T14:00"),
        ("2026-01-01T14:01", "2026-01-04T14:00"),
        ("2026-01-01T23:59", "2026-01-04T14:00"),
    ],
)
def test_the_first_round_ends_at_14_00_at_least_48_hours_on(begin: str, due: str) -> None:
    assert started(begin=at(begin)).due == at(due)


def test_a_deadline_settled_after_a_downtime_bears_its_own_instant() -> None:
    """So the rounds that ended meanwhile end one after another, each at its time."""
    table = started(all_tied="none_out")
    due = at("2026-01-03T14:00")
    table.when(PassDeadline(), due).when(PassDeadline(), due + DAY)
    assert [record.at for record in table.records if isinstance(record.event, DeadlinePassed)] == [
        due,
        due + DAY,
    ]
    assert table.match.game.kicked_out == (2, 2, None, None)


def test_a_submission_just_before_the_deadline_counts() -> None:
    table = started()
    due = table.due
    assert due is not None
    table.accepted(0, a(1), at=due - 1).when(PassDeadline(), due)
    ended = [event for event in table.new_events if isinstance(event, RoundEnded)]
    assert ended[0].kicked_out == (1,)


def test_a_submission_at_the_deadline_is_late() -> None:
    """The deadline is settled before any input of its own instant."""
    table = started(all_tied="none_out")
    due = table.due
    assert due is not None
    table.when(PassDeadline(), due).act(0, a(1, at=1), at=due)
    assert table.new_events[1] == SubmissionInvalid(0, "late")
    assert table.match.game.submissions.standing == (None,) * 4
    table.accepted(0, a(1, at=2), at=due)
    assert table.match.game.submissions.standing[0] is not None


def test_submissions_never_change_whom_the_match_waits_for_or_until_when() -> None:
    table = started()
    before = table.match.awaiting
    assert before == AwaitingChanged((0, 1, 2, 3), None, "round1", at("2026-01-03T14:00"))
    for seat in range(4):
        table.accepted(seat, a(0), at=table.at + SECOND)
        table.act(seat, a(9), at=table.at + SECOND)
        assert not [event for event in table.new_events if isinstance(event, AwaitingChanged)]
    assert table.match.awaiting == before


def test_the_first_giver_does_not_move_the_deadline_of_the_other() -> None:
    """Both have won alone; the rules wait for the second until the same instant."""
    table = started()
    table.accepted(0, a(1)).accepted(3, a(1)).when(PassDeadline(), table.due)
    assert table.match.awaiting.phase == "token_of_life"
    due = table.due
    assert (list(table.match.awaiting.seats), due) == ([0, 3], at("2026-01-04T14:00"))
    table.accepted(3, GiveTokenOfLife(2), at=table.at + 5 * HOUR)
    assert list(table.match.awaiting.seats) == [0]
    assert table.due == due
