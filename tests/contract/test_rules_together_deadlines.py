"""Together We Survive, its deadlines on a clock that is moved by hand."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from tests.support.http.match_play import ndjson
from tests.support.http.rule_answers import accepted_body, invalid, seen
from tests.support.http.together_client import (
    GAINS,
    camp,
    close,
    ended,
    give,
    phase,
    play_round,
    submit,
    vote,
)
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch, serving
from tests.support.virtual_clock import VirtualClock

MICROSECOND = 1
NOON = "2027-01-15T12:00:00Z"

Moving = Callable[[str], None]
Passing = Callable[[LiveMatch], None]


def instant(time: str) -> int:
    """Microseconds since 1970."""
    return int(datetime.fromisoformat(time).astimezone(UTC).timestamp()) * 1_000_000


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(instant(NOON))


@pytest.fixture
def timed(clock: VirtualClock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("timed"), clock) as server:
        yield server


@pytest.fixture
def moving(timed: Live, clock: VirtualClock) -> Moving:
    """Sets the time, and waits for nothing."""
    return lambda time: timed.run(lambda: clock.move_to(instant(time)))


@pytest.fixture
def passing(timed: Live, clock: VirtualClock) -> Passing:
    """Lets the deadline in force pass, of which the public must be notified."""

    def passing(match: LiveMatch) -> None:
        seq, end = match.anyone.view().json()["seq"], instant(str(due(match)))
        with match.anyone.stream({"Accept": NDJSON}, after=seq) as stream:
            timed.run(lambda: clock.move_to(end))
            assert next(ndjson(stream))["seq"] == seq + 1

    return passing


def timed_camp(live: Live, options: Json | None = None) -> LiveMatch:
    return camp(live, 6, options, clock="rules")


def due(match: LiveMatch) -> str | None:
    """The deadline, which view and frame show alike."""
    answer = match.anyone.view().json()
    deadline: str | None = answer["awaiting"]["deadline"]
    assert answer["view"]["deadline"] == deadline
    return deadline


@pytest.mark.parametrize(
    ("now", "options", "deadline"),
    [
        (NOON, {}, "2027-01-17T14:00:00Z"),
        ("2027-01-15T14:00:00Z", {}, "2027-01-17T14:00:00Z"),
        ("2027-01-15T14:00:01Z", {}, "2027-01-18T14:00:00Z"),
        (NOON, {"first_round_hours": 12, "deadline_utc": "09:30"}, "2027-01-16T09:30:00Z"),
        (NOON, {"first_round_hours": 1}, "2027-01-15T14:00:00Z"),
        (NOON, {"first_round_hours": 3}, "2027-01-16T14:00:00Z"),
    ],
    ids=str,
)
def test_deadline_is_the_first_such_time_of_day_at_least_that_many_hours_on(
    timed: Live, moving: Moving, now: str, options: Json, deadline: str
) -> None:
    moving(now)
    assert due(timed_camp(timed, options)) == deadline


@pytest.mark.parametrize(
    ("options", "deadline"),
    [
        ({}, "2027-01-18T14:00:00Z"),
        ({"round_hours": 25}, "2027-01-19T14:00:00Z"),
        ({"round_hours": 1}, "2027-01-18T14:00:00Z"),
    ],
    ids=str,
)
def test_deadline_of_a_later_round_counts_from_the_one_before(
    timed: Live, passing: Passing, options: Json, deadline: str
) -> None:
    match = timed_camp(timed, options)
    accepted_body(submit(match, 0, a=[1]))
    passing(match)
    assert (seen(match.anyone)["round"], due(match)) == (2, deadline)


def test_deadline_of_a_round_after_one_closed_by_hand_counts_from_the_close(
    timed: Live, moving: Moving
) -> None:
    match = timed_camp(timed)
    moving("2027-01-15T20:00:00Z")
    play_round(match, {0: [1]})
    assert due(match) == "2027-01-17T14:00:00Z"


def test_deadline_of_giving_and_of_each_vote_is_vote_hours_on(
    timed: Live, passing: Passing
) -> None:
    match = ended(timed, [[0, 1]], GAINS, {"vote_hours": 30}, clock="rules")
    found = []
    for expected in ("token_of_life", "vote", "vote"):
        assert phase(match) == expected
        found.append(due(match))
        passing(match)
    days = ("17", "19", "21")
    assert found == [f"2027-01-{day}T14:00:00Z" for day in days]
    assert due(match) is None


def test_deadline_passed_means_that_a_token_of_life_lapses(timed: Live, passing: Passing) -> None:
    match = ended(timed, [[0], [1]], GAINS, clock="rules")
    accepted_body(give(match, 2, 0))
    passing(match)
    assert seen(match.anyone)["tokens_of_life"] == [1, 0, 1, 0, 1, 0]
    assert seen(match.anyone)["candidates"] == {"A": 1, "B": 3}


def test_deadline_of_a_vote_counts_the_received_votes(timed: Live, passing: Passing) -> None:
    match = ended(timed, [[0, 1]], GAINS, clock="rules")
    passing(match)
    accepted_body(vote(match, 1, 0))
    passing(match)
    assert seen(match.anyone)["candidates"] == {"A": 0, "B": 3}


def test_submission_received_before_the_deadline_counts(
    timed: Live, clock: VirtualClock, passing: Passing
) -> None:
    match = timed_camp(timed)
    end = instant(str(due(match)))
    timed.run(lambda: clock.move_to(end - MICROSECOND))
    accepted_body(submit(match, 0, a=[1]))
    passing(match)
    assert seen(match.anyone)["kicked_out"] == [{"round": 1, "seats": [1]}]


@pytest.mark.parametrize("late", [0, 1, 3_600_000_000])
def test_submission_received_at_or_after_the_deadline_is_late(
    timed: Live, clock: VirtualClock, late: int
) -> None:
    match = timed_camp(timed)
    accepted_body(submit(match, 0, a=[1]))
    end = instant(str(due(match)))
    timed.run(lambda: clock.move_to(end + late))
    invalid(submit(match, 0, a=[2], round=1), "late")
    view = seen(match.seats[0])
    assert view["kicked_out"] == [{"round": 1, "seats": [1]}]
    assert [row["status"] for row in view["submissions"]] == ["valid", "late"]
    assert view["standing"] is None
    assert view["tokens"] == 4


def test_deadlines_that_passed_together_are_settled_one_after_another(
    timed: Live, moving: Moving
) -> None:
    match = timed_camp(timed, {"all_tied": "none_out"})
    accepted_body(submit(match, 0, a=[1]))
    moving("2027-01-18T15:00:00Z")
    accepted_body(submit(match, 0, a=[2], round=3))
    view = seen(match.anyone)
    assert [row["seats"] for row in view["kicked_out"] if row["seats"]] == [[1]]
    assert (view["round"], due(match)) == (3, "2027-01-19T14:00:00Z")


def test_deadlines_are_none_without_the_clock_of_the_rules(timed: Live) -> None:
    match = camp(timed, 6)
    assert due(match) is None
    close(match)
    assert due(match) is None
