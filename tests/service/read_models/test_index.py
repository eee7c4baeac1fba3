"""The index: lists of matches and deadlines that follow the log and can be rebuilt from it."""

from contextlib import closing
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError
from msgspec import UNSET

from domain.events import Event, Record
from domain.match.events import AwaitingChanged, MatchEnded, MatchPaused, MatchResumed, MatchStarted
from projections.audience.results import show_result
from service.event_store.recorder import Row
from service.event_store.store import rows
from service.event_store.stream_ids import time_ordered
from service.read_models import follower
from service.read_models.tables import DERIVED_TABLES
from tests.support.instance.index_log import WON, Log, busy, contents, ids, stored
from tests.support.instants import NOON

pytestmark = pytest.mark.parametrize("log", ["sqlite", "postgres", "memory"], indirect=True)


def test_a_row_shows_the_status_of_the_match(log: Log) -> None:
    match_id = log.match()
    statuses = ["created"]
    for event in (MatchStarted(), MatchPaused(), MatchResumed(), MatchEnded(WON)):
        log.put(match_id, event)
        log.index.follow()
        (row,) = log.index.page().matches
        statuses.append(row.status)

    assert statuses == ["created", "running", "paused", "running", "ended"]
    assert row.seats == ("Ann", "Ben") and row.result == show_result(WON, UNSET)
    assert (row.created, row.started, row.ended) == (
        "2026-01-01T12:00:00Z",
        "2026-01-01T12:00:01Z",
        "2026-01-01T12:00:04Z",
    )


def test_filters_combine(log: Log) -> None:
    created = log.match()
    running = log.match(MatchStarted())
    chips = log.match(MatchStarted(), game="twelve-chips")
    cup = log.match(tournament="cup")

    assert log.listed(game="twelve-chips") == ids(chips)
    assert log.listed(status="created") == ids(cup, created)
    assert log.listed(status="running", game="dollar-prize") == ids(running)
    assert log.listed(tournament="cup") == ids(cup)
    assert log.listed(game="nothing") == []
    assert log.listed(game="dollar-prize\0") == []


def test_a_match_created_meanwhile_moves_no_page(log: Log) -> None:
    matches = [log.match() for _ in range(4)]
    log.index.follow()
    first = log.index.page(limit=2)
    log.match()
    assert first.next is not None
    assert log.listed(after=UUID(first.next)) == ids(matches[1], matches[0])


# Deadlines.


def test_the_deadlines_in_force_are_those_last_announced(log: Log) -> None:
    one = log.match(MatchStarted(), AwaitingChanged((0,), phase="a", deadline=NOON + 1))
    two = log.match(MatchStarted(), AwaitingChanged((0,), phase="a", deadline=NOON + 2))
    log.match(MatchStarted(), AwaitingChanged((0,), phase="a"))
    log.put(one, AwaitingChanged((1,), phase="b", deadline=NOON + 3))
    log.index.follow()
    assert sorted(log.index.deadlines()) == sorted([(one, NOON + 3), (two, NOON + 2)])


@pytest.mark.parametrize(
    "event",
    [MatchEnded(WON), MatchPaused(5), AwaitingChanged((1,))],
    ids=lambda e: type(e).__name__,
)
def test_a_deadline_is_gone_when_the_match_ends_pauses_or_waits_without(
    log: Log, event: Event
) -> None:
    log.match(MatchStarted(), AwaitingChanged((0,), phase="a", deadline=NOON + 1), event)
    log.index.follow()
    assert log.index.deadlines() == []


# Following the log.


@pytest.mark.parametrize("page", [1, 7])
def test_it_follows_in_pages_of_any_size(
    log: Log, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(log)
    log.index.follow()
    wanted = contents(log.index)
    monkeypatch.setattr(follower, "PAGE", page)
    log.index.rebuild()
    assert contents(log.index) == wanted


def test_the_log_is_read_as_the_library_reads_it(log: Log) -> None:
    busy(log)
    recorder, end = log.store.recorder, log.store.end()
    topics = ["match.created.1", "match.ended.1", "tournament.created.1"]
    for position, upto, limit in ((0, end, 1_000), (3, end - 2, 1_000), (0, end, 5), (end, end, 5)):
        expected = recorder.select_notifications(
            position, limit, upto, topics, inclusive_of_start=False
        )
        found = recorder.select_log(position, upto, topics, limit)
        assert found == [(one.id, str(one.originator_id), one.state) for one in expected]
        assert found or position == end


def test_progress_is_reported(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(log)
    log.index.follow()
    monkeypatch.setattr(follower, "PAGE", 20)
    progress: list[tuple[int, int]] = []
    log.index.rebuild(lambda position, end: progress.append((position, end)))

    end = log.store.recorder.max_notification_id()
    positions = [position for position, _ in progress]
    assert len(progress) > 2 and {whole for _, whole in progress} == {end}
    assert positions == sorted(set(positions)) and positions[-1] == end


def test_positions_used_up_by_a_failed_insert_are_no_gap(log: Log) -> None:
    for _ in range(3):
        match_id = log.match(MatchStarted())
        existing = rows(match_id, 0, [Record(NOON, 0, MatchStarted())])
        with pytest.raises(IntegrityError):
            log.store.append(rows(time_ordered(0), 0, [Record(NOON, 0, MatchStarted())]) + existing)
        log.index.follow()
    assert len(log.index.page().matches) == 3


def test_a_rebuild_drops_rows_that_are_not_in_the_log(log: Log) -> None:
    busy(log)
    log.index.follow()
    before = contents(log.index)
    with log.index._db.transaction() as cursor:
        for table, found in before[-1].items():
            kinds = [type(value) for value in found[0][1:]]
            row = ["stray", *(kind() if kind is not type(None) else None for kind in kinds)]
            marks = ",".join("?" * len(row))
            cursor.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
    assert all(len(stored(log.index, t)) == len(found) + 1 for t, found in before[-1].items())
    log.index.rebuild()
    assert contents(log.index) == before


def test_a_reopened_index_continues_where_it_stopped(log: Log) -> None:
    if not log.keeps:
        pytest.skip("in memory it begins anew")
    busy(log)
    log.index.follow()
    before = contents(log.index)
    later = log.match()
    with closing(log.new_index()) as again:
        assert contents(again) == before
        again.follow()
        assert again.page(limit=1).matches[0].id == str(later)


def test_two_instances_that_follow_at_once_list_each_match_once(log: Log) -> None:
    with closing(log.new_index()) as other:
        busy(log)
        other.follow()
        log.index.follow()
        assert contents(other) == contents(log.index)
        assert [len(found) for found in contents(other)] == [12, 8, 2, 1, 1, len(DERIVED_TABLES)]


def test_an_event_it_cannot_read_is_reported_and_hides_no_other(log: Log) -> None:
    """Damage to one record must not stop the lists of all others."""
    reported: list[UUID] = []
    log.index.follower.on_unreadable = lambda altered: reported.append(altered.match)
    stuck = time_ordered(NOON // 1000)
    log.match()
    log.store.append([Row(stuck.hex, 1, "match.created.1", b"\xc0")])
    log.match()
    for _ in range(2):
        log.index.follow()
    assert reported == [stuck]
    assert len(contents(log.index)[0]) == 2


def test_what_is_scheduled_is_the_last_deadline_and_the_changes_that_everyone_may_see(
    log: Log,
) -> None:
    cup = str(UUID(int=7))
    first = AwaitingChanged((0,), phase="a", deadline=NOON + 1)
    one, two = (log.match(MatchStarted(), first, tournament=cup) for _ in range(2))
    log.index.follow()
    before = log.index.scheduled([str(one)])[str(one)]
    assert (before.in_force, before.until) == (first, NOON + 1)
    log.put(one, AwaitingChanged((), phase="b", deadline=None))
    log.index.follow()
    ended, other = log.index.scheduled_in(cup)
    assert [ended.row.id, other.row.id] == [str(one), str(two)]
    assert (ended.until, other.until) == (None, NOON + 1)
    assert ended.revision == before.revision + 1
    assert log.index.scheduled([str(UUID(int=1))]) == {}
