"""When a wait is over: a number of seconds later, or at a time of day that is far enough off."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.events import LATEST
from domain.match.deadlines import (
    APART,
    DAY,
    HOUR,
    SECOND,
    UNSEEN,
    After,
    Deadline,
    TimeOfDay,
    after,
    due,
)


def instant(text: str) -> int:
    """Microseconds since 1970 of a time in UTC."""
    seconds, _, fraction = text.partition(".")
    whole = int(datetime.fromisoformat(seconds).replace(tzinfo=UTC).timestamp())
    return whole * SECOND + int(fraction.ljust(6, "0") or 0)


def test_after_seconds_counts_from_the_instant_it_is_given() -> None:
    since = instant("2026-01-01T23:59:30.000001")
    assert due(After(45), since) == instant("2026-01-02T00:00:15.000001")


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
    assert due(wait, instant(since)) == instant(expected)


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
