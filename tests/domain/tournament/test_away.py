"""Ends in force while the service was away (/docs/operate#when-the-service-was-away)."""

import pytest

from domain.events import HOUR
from domain.game import Refused
from domain.match.deadlines import Absence
from domain.tournament.fold import fold
from domain.tournament.following import lapsed
from domain.tournament.stage_commands import ExtendRound, MoveEnds, OpenCheckIn
from domain.tournament.stage_events import CheckInClosed, EndsMoved
from domain.tournament.stages import RoundRule, Stage, StageMatch
from tests.domain.tournament.stage_play import Organiser

HOURLY = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=1, round=RoundRule(ends=1.0))


def ends(one: Organiser) -> list[int | None]:
    """When the round and each of its tables ends."""
    last = one.state.competition.stages[0].rounds[-1]
    return [last.ends, *(last.end_of(table) for table in last.tables)]


def published() -> Organiser:
    one = Organiser(4, HOURLY)
    one.publish()
    return one


def test_a_round_that_had_not_ended_when_the_service_went_away_ends_later_by_its_absence() -> None:
    one = published()
    (end, *_) = ends(one)
    assert end is not None
    one.do(ExtendRound(1, 1, end + 10, (2,), "The hall is far.", 0))
    one.do(MoveEnds(Absence(end + 5, end + 8), end + 8))
    assert ends(one) == [end, end, end + 13], "only table 2 had not ended"
    one.do(MoveEnds(Absence(end - 1, end + 1), end + 1))
    assert ends(one) == [end + 2, end + 2, end + 15]


def test_nothing_moves_where_nothing_had_an_end() -> None:
    one = published()
    assert one.do(MoveEnds(Absence(2 * HOUR, 3 * HOUR), 3 * HOUR)) == []
    assert Organiser(2).do(MoveEnds(Absence(0, 1), 1)) == []


@pytest.mark.parametrize("at", [7, 9])
def test_an_absence_is_over_when_ends_are_moved_by_it(at: int) -> None:
    with pytest.raises(Refused, match="not_in_future"):
        published().do(MoveEnds(Absence(5, 8), at))


def test_a_check_in_closes_before_an_absence_or_later_by_it() -> None:
    one = Organiser(2)
    one.do(OpenCheckIn(100, 50))
    (closed,) = lapsed(one.state, 200, [Absence(110, 150)])
    assert (closed.at, closed.event) == (100, CheckInClosed())
    moved, later = lapsed(one.state, 200, [Absence(90, 150)])
    assert (moved.at, moved.event) == (150, EndsMoved(90, 150))
    assert (later.at, later.event) == (160, CheckInClosed())
    twice = lapsed(one.state, 300, [Absence(90, 150), Absence(155, 200)])
    assert [record.at for record in twice] == [150, 200, 205]
    after = fold(one.state, [record.event for record in twice])
    assert after.competition.check_in is not None
    assert after.competition.check_in.closes == 205
