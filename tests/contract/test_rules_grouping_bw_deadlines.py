"""Grouping Black & White, section Deadlines, on a clock that is moved by hand."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.http.grouping_bw_client import (
    FINAL,
    HIGH,
    LOW,
    SHIFTED,
    deal,
    dealt,
    fold_all,
    grouping,
    last,
    named,
    opened,
    raised,
)
from tests.support.http.match_play import ndjson
from tests.support.http.rule_answers import accepted_body, invalid, seen
from tests.support.servers.live_server import NDJSON, Live, LiveMatch, serving
from tests.support.virtual_clock import VirtualClock

SECOND = 1_000_000
NOON = 1_800_014_400 * SECOND
"""Noon of 15 January 2027, UTC."""

Passing = Callable[[LiveMatch, int], None]


@pytest.fixture(scope="module")
def clock() -> VirtualClock:
    return VirtualClock(NOON)


@pytest.fixture(scope="module")
def timed(clock: VirtualClock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("timed"), clock) as server:
        yield server


@pytest.fixture
def passing(timed: Live, clock: VirtualClock) -> Passing:
    """Lets this many seconds pass, during which the match must send the public a new event."""

    def passing(match: LiveMatch, seconds: int) -> None:
        seq = match.anyone.view().json()["seq"]
        with match.anyone.stream({"Accept": NDJSON}, after=seq) as stream:
            timed.run(lambda: clock.pass_time(seconds * SECOND))
            assert next(ndjson(stream))["seq"] == seq + 1

    return passing


@pytest.fixture(autouse=True)
def at_noon(timed: Live, clock: VirtualClock) -> None:
    """Every test begins at the noon of a day of its own."""
    day = 86_400 * SECOND
    days = (clock.now() - NOON) // day + 1
    timed.run(lambda: clock.move_to(NOON + days * day))


def due(match: LiveMatch) -> str | None:
    """The time of day of the deadline, as the public sees it."""
    deadline: str | None = match.anyone.view().json()["awaiting"]["deadline"]
    return deadline and deadline.split("T")[1]


def test_deadlines_a_starter_not_named_in_time_is_the_chooser(
    timed: Live, passing: Passing
) -> None:
    for chooser in (0, 1):
        match = opened(timed, {"starter_chooser": chooser}, clock="rules")
        passing(match, 120)
        view = seen(match.anyone)
        assert (view["phase"], view["starter"]) == ("grouping", chooser)


def test_deadlines_seconds_are_those_of_the_options(timed: Live) -> None:
    match = opened(timed, clock="rules")
    assert due(match) == "12:02:00Z"
    match = named(timed, {"group_seconds": 7}, clock="rules")
    assert due(match) == "12:00:07Z"
    assert due(dealt(timed, clock="rules")) == "12:01:00Z"
    assert due(dealt(timed, options={"bet_seconds": 5}, clock="rules")) == "12:00:05Z"


def test_deadlines_a_bet_not_made_in_time_is_a_fold(timed: Live, passing: Passing) -> None:
    match = dealt(timed, SHIFTED, LOW, clock="rules")
    raised(match, 0, 4)
    passing(match, 60)
    row = last(match)
    assert (row["end"], row["folder"], row["stacks"]) == ("fold", 1, [31, 29])
    assert [shown["by"] for shown in seen(match.seats[1])["told"]] == ["fold"]


def test_deadlines_each_bet_has_its_own_time(
    timed: Live, clock: VirtualClock, passing: Passing
) -> None:
    match = dealt(timed, clock="rules")
    timed.run(lambda: clock.pass_time(59 * SECOND))
    raised(match, 0, 4)
    assert due(match) == "12:01:59Z"
    timed.run(lambda: clock.pass_time(59 * SECOND))
    raised(match, 1, 1)
    passing(match, 60)
    assert last(match)["folder"] == 0


def test_deadlines_a_bet_at_the_very_deadline_is_too_late(timed: Live, clock: VirtualClock) -> None:
    match = dealt(timed, clock="rules")
    timed.run(lambda: clock.pass_time(60 * SECOND))
    assert match.seats[0].act({"type": "raise", "by": 1}).status_code == 422
    assert last(match)["folder"] == 0


def test_deadlines_a_peek_does_not_prolong_the_time(timed: Live, clock: VirtualClock) -> None:
    match = dealt(timed, options={"items": [["peek"], []]}, clock="rules")
    timed.run(lambda: clock.pass_time(30 * SECOND))
    accepted_body(match.seats[0].act({"type": "peek"}))
    assert due(match) == "12:01:00Z"


def test_deadlines_a_missing_first_grouping_is_a_random_one(timed: Live, passing: Passing) -> None:
    match = named(timed, clock="rules")
    accepted_body(match.seats[0].act(grouping(LOW)))
    passing(match, 120)
    draw = match.moderator.view().json()["awaiting"]["draw"]
    assert draw == {"id": "set1/grouping/1", "parts": [{"kind": "shuffle", "items": LOW}]}
    accepted_body(match.moderator.draw("set1/grouping/1", [[3, 1, 4, 0, 5, 2, 6, 8, 7]]))
    assert seen(match.seats[1])["groups"] == {"a": [1, 3], "b": [0, 4, 5], "c": [2, 6, 7, 8]}
    assert match.moderator.view().json()["awaiting"]["draw"]["id"] == "set1/pass1"


def test_deadlines_an_invalid_grouping_counts_as_missing(timed: Live, passing: Passing) -> None:
    match = named(timed, clock="rules")
    for seat in match.seats:
        invalid(seat.act({"type": "group", "a": [], "b": [], "c": []}), "not_a_partition")
    passing(match, 120)
    for number in (0, 1):
        draw = match.moderator.view().json()["awaiting"]["draw"]
        assert draw["id"] == f"set1/grouping/{number}"
        accepted_body(match.moderator.draw(draw["id"], [HIGH]))
    assert seen(match.seats[0])["groups"] == {"a": [7, 8], "b": [4, 5, 6], "c": [0, 1, 2, 3]}


def test_deadlines_a_missing_later_grouping_is_the_old_one(timed: Live, passing: Passing) -> None:
    options = {"variant": FINAL, "items": [[], []], "fold_8_penalty": 0}
    match = dealt(timed, HIGH, LOW, options, clock="rules")
    fold_all(match)
    accepted_body(match.seats[1].act(grouping([0, 2, 1, 3, 4, 5, 6, 7, 8])))
    passing(match, 120)
    assert seen(match.seats[0])["groups"] == {"a": [7, 8], "b": [4, 5, 6], "c": [0, 1, 2, 3]}
    assert seen(match.seats[1])["groups"] == {"a": [0, 2], "b": [1, 3, 4], "c": [5, 6, 7, 8]}
    deal(match, (HIGH, [0, 2, 1, 3, 4, 5, 6, 7, 8]), "set2/pass1")


def test_deadlines_none_are_armed_without_the_clock_of_the_rules(timed: Live) -> None:
    assert due(opened(timed)) is None
    assert due(named(timed)) is None
    assert due(dealt(timed)) is None


def test_deadlines_without_a_clock_a_moderator_closes_by_hand(timed: Live) -> None:
    match = opened(timed)
    accepted_body(match.moderator.close_phase())
    assert seen(match.anyone)["starter"] == 1
    accepted_body(match.seats[0].act(grouping(LOW)))
    accepted_body(match.moderator.close_phase())
    accepted_body(match.moderator.draw("set1/grouping/1", [LOW]))
    deal(match, (LOW, LOW))
    accepted_body(match.moderator.close_phase())
    assert last(match)["folder"] == 1
