"""When a wait is over: a number of seconds later, or at a time of day that is far enough off, and
never behind the latest instant there is."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.encoding import decode, encode
from domain.events import LATEST, Record
from domain.game import Result
from domain.match.commands import MoveDeadline, PassDeadline
from domain.match.deadlines import (
    APART,
    DAY,
    HOUR,
    SECOND,
    UNSEEN,
    Absence,
    After,
    Deadline,
    TimeOfDay,
    after,
    due,
)
from domain.match.events import AwaitingChanged, DeadlineSet, MatchEnded, MatchPaused
from domain.match.play import end_match
from domain.rulings.decide import due_lapse
from domain.rulings.kinds import Extend, RuleResult
from projections.fields import instant, rfc3339
from tests.support.tables import toy_game
from tests.support.tables.bidding import timed_bidding
from tests.support.tables.match_table import MatchTable, judged_again
from tests.support.tables.ruling_tables import rule


def test_after_seconds_counts_from_the_instant_it_is_given() -> None:
    since = instant("2026-01-01T23:59:30.000001Z")
    assert due(After(45), since) == instant("2026-01-02T00:00:15.000001Z")


def test_an_hour_is_so_many_microseconds() -> None:
    assert due(After(3600), 7) == 7 + 3_600_000_000 == 7 + HOUR
    assert due(TimeOfDay(24, "00:00"), 0) == 86_400_000_000 == DAY


def test_an_absence_begins_at_most_eleven_seconds_before_it_was_unseen() -> None:
    """Ten, and one between two clocks: the evidence format has the same number."""
    assert (UNSEEN, APART) == (10_000_000, 1_000_000)


def test_without_seconds_a_phase_has_no_deadline() -> None:
    assert after("bidding", None) is None


@pytest.mark.parametrize("seconds", [0, 45])
def test_a_phase_with_seconds_has_a_deadline_of_its_name(seconds: int) -> None:
    assert after("bidding", seconds) == Deadline("bidding", After(seconds))


@pytest.mark.parametrize(
    ("wait", "since", "expected"),
    [
        (TimeOfDay(0, "14:00"), "2026-01-01T13:59:59.999999", "2026-01-01T14:00:00"),
        (TimeOfDay(0, "14:00"), "2026-01-01T14:00:00", "2026-01-01T14:00:00"),
        (TimeOfDay(0, "14:00"), "2026-01-01T14:00:00.000001", "2026-01-02T14:00:00"),
        (TimeOfDay(2, "14:00"), "2026-01-01T12:00:00", "2026-01-01T14:00:00"),
        (TimeOfDay(2, "14:00"), "2026-01-01T12:00:00.000001", "2026-01-02T14:00:00"),
        (TimeOfDay(2, "00:30"), "2026-01-01T23:00:00", "2026-01-03T00:30:00"),
        (TimeOfDay(1, "00:30"), "2026-01-01T23:00:00", "2026-01-02T00:30:00"),
        (TimeOfDay(1, "00:00"), "2026-02-28T23:00:00", "2026-03-01T00:00:00"),
        (TimeOfDay(48, "09:15"), "2026-01-01T09:15:00", "2026-01-03T09:15:00"),
        (TimeOfDay(0, "23:59"), "2027-12-31T23:59:30", "2028-01-01T23:59:00"),
    ],
)
def test_a_time_of_day_is_the_first_that_is_far_enough_off(
    wait: TimeOfDay, since: str, expected: str
) -> None:
    assert due(wait, instant(f"{since}Z")) == instant(f"{expected}Z")


@given(
    since=st.integers(0, LATEST - 6 * DAY),
    hours=st.integers(0, 100),
    minute=st.integers(0, 24 * 60 - 1),
)
def test_no_earlier_such_time_would_have_been_far_enough_off(
    since: int, hours: int, minute: int
) -> None:
    utc = f"{minute // 60:02}:{minute % 60:02}"
    reached = due(TimeOfDay(hours, utc), since)
    assert reached % DAY == minute * 60 * SECOND
    assert since + hours * HOUR <= reached < since + hours * HOUR + DAY


# Rulings, section 3: the latest instant, 2255-06-05T23:47:34.740991Z.

TIMES_LEFT = [0, 1, SECOND, 59 * SECOND]


def test_it_is_written_as_in_the_contract() -> None:
    assert rfc3339(LATEST) == "2255-06-05T23:47:34.740991Z"
    assert instant("2255-06-05T23:47:34.740991Z") == LATEST == 2**53 - 1


@pytest.mark.parametrize("seconds", [1, 366 * 24 * 3600])
def test_an_extension_beyond_it_is_too_late(seconds: int) -> None:
    table = timed_bidding(begin=LATEST - 61 * SECOND).when(rule("latest", Extend(deadline=LATEST)))
    assert table.due == LATEST
    table.conflicts(rule("beyond", Extend(seconds=seconds)), "too_late")
    table.conflicts(rule("beyond", Extend(deadline=LATEST + 1)), "too_late")


def test_an_extension_during_a_pause_beyond_it_is_too_late() -> None:
    table = timed_bidding(begin=LATEST - 61 * SECOND).pause()
    table.conflicts(rule("beyond", Extend(seconds=2)), "too_late")
    table.when(rule("latest", Extend(seconds=1))).resume()
    assert table.due == LATEST


def resumed(table: MatchTable) -> MatchTable:
    return table.pause().resume(table.at + HOUR)


def was_away(table: MatchTable) -> MatchTable:
    at = table.at
    return table.when(MoveDeadline(Absence(at, at + HOUR)), at + HOUR)


@pytest.mark.parametrize("moved", [resumed, was_away])
def test_a_deadline_that_would_be_moved_beyond_it_stops_there(
    moved: Callable[[MatchTable], MatchTable],
) -> None:
    table = moved(timed_bidding(begin=LATEST - HOUR - SECOND))
    assert table.due == LATEST
    assert judged_again(toy_game.GAME, table.records).records == table.records
    table.when(PassDeadline(), LATEST)
    assert table.due is None or table.due == LATEST


@pytest.mark.parametrize("left", TIMES_LEFT)
@pytest.mark.parametrize("wait", [After(60), TimeOfDay(1, "13:00"), TimeOfDay(0, "23:48")], ids=str)
def test_a_wait_that_would_end_behind_it_ends_there(wait: After | TimeOfDay, left: int) -> None:
    assert due(wait, LATEST - left) == LATEST


def test_a_protest_window_and_a_pending_ruling_end_there() -> None:
    table = timed_bidding(begin=LATEST - DAY // 2)
    created = msgspec.structs.replace(table.match.created, protest_hours=48)
    match = msgspec.structs.replace(table.match, created=created)
    won = Result((0,), (1,), False, (1, 0))
    assert end_match(match, won, table.at) == MatchEnded(won, LATEST)
    table.when(rule("of two", RuleResult(won, "forfeit")))
    lapse = due_lapse(table.match)
    assert lapse is not None and lapse.at == LATEST


@pytest.mark.parametrize("beyond", [LATEST + 1, 2**63 - 1, -1])
@pytest.mark.parametrize(
    "record",
    [
        lambda at: Record(at, 0, MatchPaused()),
        lambda at: Record(0, 0, AwaitingChanged((0,), None, "bids", at)),
        lambda at: Record(0, 0, DeadlineSet("bids", at, "ruling", 0, 1)),
        lambda at: Record(0, 0, MatchPaused(1, at)),
    ],
    ids=["at", "deadline", "moved", "first_due"],
)
def test_no_record_with_another_instant_can_be_read(
    record: Callable[[int], Record[MatchPaused]], beyond: int
) -> None:
    assert decode(encode(record(LATEST))) == record(LATEST)
    with pytest.raises(msgspec.ValidationError):
        decode(encode(record(beyond)))
