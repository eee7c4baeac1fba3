"""Rulings, section 3: the latest instant there is is 2255-06-05T23:47:34.740991Z."""

from collections.abc import Callable

import msgspec
import pytest

from domain.encoding import decode, encode
from domain.events import LATEST, Record
from domain.game import Result
from domain.match.commands import MoveDeadline, PassDeadline
from domain.match.deadlines import DAY, HOUR, SECOND, Absence, After, TimeOfDay, due
from domain.match.events import AwaitingChanged, DeadlineSet, MatchEnded, MatchPaused
from domain.match.play import ended
from domain.rulings.decide import due_lapse
from domain.rulings.kinds import Extend, RuleResult
from projections.fields import instant, rfc3339
from tests.support.tables import toy_game
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.match_table import MatchTable, judged_again, seated
from tests.support.tables.ruling_tables import rule

TIMED = toy_game.Options(bid_seconds=60, thank_by="13:00")
TIMES_LEFT = [0, 1, SECOND, 59 * SECOND]


def bidding(begin: int) -> MatchTable:
    """Bids are accepted for 60 s from this instant on."""
    table = seated(toy_game.GAME, options=TIMED, clock="rules").when(START, begin)
    return table.when(enter_draw("lots", ((3, 1, 5, 2, 4),)))


def test_it_is_written_as_in_the_contract() -> None:
    assert rfc3339(LATEST) == "2255-06-05T23:47:34.740991Z"
    assert instant("2255-06-05T23:47:34.740991Z") == LATEST == 2**53 - 1


@pytest.mark.parametrize("seconds", [1, 366 * 24 * 3600])
def test_an_extension_beyond_it_is_too_late(seconds: int) -> None:
    table = bidding(LATEST - 61 * SECOND).when(rule("latest", Extend(deadline=LATEST)))
    assert table.due == LATEST
    table.conflicts(rule("beyond", Extend(seconds=seconds)), "too_late")
    table.conflicts(rule("beyond", Extend(deadline=LATEST + 1)), "too_late")


def test_an_extension_during_a_pause_beyond_it_is_too_late() -> None:
    table = bidding(LATEST - 61 * SECOND).pause()
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
    table = moved(bidding(LATEST - HOUR - SECOND))
    assert table.due == LATEST
    assert judged_again(toy_game.GAME, table.records).records == table.records
    table.when(PassDeadline(), LATEST)
    assert table.due is None or table.due == LATEST


@pytest.mark.parametrize("left", TIMES_LEFT)
@pytest.mark.parametrize("wait", [After(60), TimeOfDay(1, "13:00"), TimeOfDay(0, "23:48")], ids=str)
def test_a_wait_that_would_end_behind_it_ends_there(wait: After | TimeOfDay, left: int) -> None:
    assert due(wait, LATEST - left) == LATEST


def test_a_protest_window_and_a_pending_ruling_end_there() -> None:
    table = bidding(LATEST - DAY // 2)
    created = msgspec.structs.replace(table.match.created, protest_hours=48)
    match = msgspec.structs.replace(table.match, created=created)
    won = Result((0,), (1,), False, (1, 0))
    assert ended(match, won, table.at) == MatchEnded(won, LATEST)
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
