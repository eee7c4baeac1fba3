"""The index: a list of matches and deadlines that is read off the log, and can be again."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError

from domain.events import Event, Record
from domain.game import Result
from domain.games.dollar_prize.events import CoinPlaced
from domain.log_events import CheckpointSigned
from domain.match_events import (
    AwaitingChanged,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
)
from domain.tournament_events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
)
from service.creation import uuid7
from service.storage import index as indexing
from service.storage.index import Index, open_index, select_log
from service.storage.store import Store, beside, rows
from service.storage.tables import FILLED
from tests.clock import NOON, SECOND
from tests.postgres import fresh_database

WON = Result((0,), (1,), False, (100, 50))


class Log:
    """A store with matches in it, and the index beside it."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.keeps = env["PERSISTENCE_MODULE"].startswith("service")
        self.store = Store(env)
        self.index = self.new_index()
        self.lengths: dict[UUID, int] = {}

    def new_index(self) -> Index:
        return open_index(self.env, self.store.recorder)

    def match(self, *events: Event, game: str = "dollar-prize", **more: Any) -> UUID:
        """A new match with these events behind its creation; ids follow the order of creation."""
        match_id = uuid7(NOON // 1000 + len(self.lengths))
        self.put(match_id, MatchCreated(game, 1, {}, ("Ann", "Ben"), **more), *events)
        return match_id

    def put(self, match_id: UUID, *events: Event) -> None:
        after = self.lengths.get(match_id, 0)
        records = [Record(NOON + n * SECOND, event) for n, event in enumerate(events, after)]
        self.store.append(rows(match_id, after, records))
        self.lengths[match_id] = after + len(events)

    def listed(self, **filters: Any) -> list[str]:
        self.index.follow()
        return [row.id for row in self.index.page(**filters).matches]

    def close(self) -> None:
        self.index.close()
        self.store.close()


@contextmanager
def kept_in(where: str, folder: Path) -> Iterator[Log]:
    """Both databases of ours, and a store of the library's beside which there is none."""
    with ExitStack() as stack:
        env = {"PERSISTENCE_MODULE": "eventsourcing.popo"}
        if where == "postgres":
            env = stack.enter_context(fresh_database())
        elif where == "sqlite":
            env = {"PERSISTENCE_MODULE": "service.storage.sqlite"}
            env["SQLITE_DBNAME"] = str(folder / "arbiter.db")
        yield stack.enter_context(closing(Log(env)))


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with kept_in(request.param, tmp_path) as log:
        yield log


def ids(*matches: UUID) -> list[str]:
    return [str(match_id) for match_id in matches]


def test_matches_are_listed_newest_first(log: Log) -> None:
    one, two, three = log.match(), log.match(), log.match()
    assert log.listed() == ids(three, two, one)


def test_a_row_tells_how_the_match_stands(log: Log) -> None:
    match_id = log.match()
    statuses = ["created"]
    for event in (MatchStarted(), MatchPaused(), MatchResumed(), MatchEnded(WON)):
        log.put(match_id, event)
        log.index.follow()
        (row,) = log.index.page().matches
        statuses.append(row.status)

    assert statuses == ["created", "running", "paused", "running", "ended"]
    assert row.seats == ("Ann", "Ben") and row.result == WON
    assert (row.created_at, row.started_at, row.ended_at) == (
        "2026-01-01T12:00:00Z",
        "2026-01-01T12:00:01Z",
        "2026-01-01T12:00:04Z",
    )


def test_filters_hold_together(log: Log) -> None:
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


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_follow_one_another_without_gap_or_repeat(log: Log, limit: int) -> None:
    everything = ids(*(log.match() for _ in range(7)))[::-1]
    log.index.follow()
    told, after = [], None
    while True:
        page = log.index.page(after=after, limit=limit)
        assert len(page.matches) <= limit
        told += [row.id for row in page.matches]
        if page.next is None:
            break
        after = UUID(page.next)
    assert told == everything


def test_a_match_created_meanwhile_moves_no_page(log: Log) -> None:
    matches = [log.match() for _ in range(4)]
    log.index.follow()
    first = log.index.page(limit=2)
    log.match()
    assert first.next is not None
    assert log.listed(after=UUID(first.next), limit=2) == ids(matches[1], matches[0])


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


def contents(index: Index) -> tuple[Any, ...]:
    """What is told, and every row of every table."""
    matches, tournaments = index.page(limit=1_000).matches, index.tournaments(limit=1_000)
    deadlines = sorted(index.deadlines())
    told = matches, deadlines, index.unsigned(), index.unsettled(), tournaments.tournaments
    return *told, {table: stored(index, table) for table in FILLED}


def stored(index: Index, table: str) -> list[tuple[Any, ...]]:
    return sorted(index._db.select(f"SELECT * FROM {table}"), key=repr)  # noqa: S608  one of ours


def busy(log: Log) -> None:
    """Matches in every status, whose events lie mixed in the log; half of them in a tournament."""
    cup = uuid7(NOON // 1000 + len(log.lengths))
    log.put(cup, TournamentCreated("Cup"), PlayerEntered(0, "Ann"), PlayerEntered(1, "Ben"))
    log.put(cup, GarnetsPosted(1, "house", "player", 9, "a prize"), ModeratorAppointed(0, "Mo"))
    of = {"dollar-prize": None, "twelve-chips": str(cup)}
    matches = [log.match(game=game, tournament=of[game]) for game in (*of,) * 6]
    for match_id in matches[1::2]:
        log.put(cup, MatchAdded(str(match_id), "twelve-chips", (1, 0)))
    for n, match_id in enumerate(matches):
        log.put(match_id, MatchStarted(), AwaitingChanged((0,), phase="a", deadline=NOON + n))
    for n, match_id in enumerate(matches):
        events = (MatchPaused(3), MatchEnded(WON), CoinPlaced(0, "penny"))
        log.put(match_id, events[n % 3])
    for n in (1, 4, 7):
        log.put(beside(matches[n]), CheckpointSigned(4, b"root", over=n < 7))
    log.put(cup, PlayerEntered(2, "Cy"), MatchGiven(str(matches[3]), 0))
    earned = GarnetsPosted(0, "house", "player", 1, "earned", str(matches[1]))
    log.put(cup, MatchSettled(str(matches[1]), WON), earned)


@pytest.mark.parametrize("page", [1, 2, 7, 1_000])
def test_it_follows_in_pages_of_any_size(
    log: Log, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(log)
    log.index.follow()
    wanted = contents(log.index)
    monkeypatch.setattr(indexing, "PAGE", page)
    log.index.rebuild()
    assert contents(log.index) == wanted


def test_the_log_is_read_as_the_library_reads_it(log: Log) -> None:
    busy(log)
    recorder, end = log.store.recorder, log.store.end()
    topics = ["match.created.1", "match.ended.1", "tournament.created.1"]
    for position, upto, limit in ((0, end, 1_000), (3, end - 2, 1_000), (0, end, 5), (end, end, 5)):
        told = recorder.select_notifications(
            position, limit, upto, topics, inclusive_of_start=False
        )
        found = select_log(recorder, position, upto, topics, limit)
        assert found == [(one.id, str(one.originator_id), one.state) for one in told]
        assert found or position == end


def test_rebuilt_it_is_what_it_was_when_followed_step_by_step(log: Log) -> None:
    for _ in range(3):
        busy(log)
        log.index.follow()
    followed = contents(log.index)
    log.index.rebuild()
    assert contents(log.index) == followed


def test_it_is_told_how_far_it_has_come(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(log)
    log.index.follow()
    monkeypatch.setattr(indexing, "PAGE", 20)
    told: list[tuple[int, int]] = []
    log.index.rebuild(lambda position, end: told.append((position, end)))

    end = log.store.recorder.max_notification_id()
    positions = [position for position, _ in told]
    assert len(told) > 2 and {whole for _, whole in told} == {end}
    assert positions == sorted(set(positions)) and positions[-1] == end


def test_numbers_that_a_failed_insert_has_used_up_are_no_gap(log: Log) -> None:
    for _ in range(3):
        match_id = log.match(MatchStarted())
        taken = rows(match_id, 0, [Record(NOON, MatchStarted())])
        with pytest.raises(IntegrityError):
            log.store.append(rows(uuid7(0), 0, [Record(NOON, MatchStarted())]) + taken)
        log.index.follow()
    assert len(log.index.page().matches) == 3


def test_in_memory_it_is_read_from_the_beginning(tmp_path: Path) -> None:
    with kept_in("memory", tmp_path) as log:
        busy(log)
        log.index.follow()
        with closing(log.new_index()) as again:
            assert contents(again)[0] == []
            again.follow()
            assert contents(again) == contents(log.index)


def test_rebuilt_it_has_forgotten_what_the_log_does_not_say(log: Log) -> None:
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


def test_opened_again_it_goes_on_where_it_stopped(log: Log) -> None:
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
        assert [len(found) for found in contents(other)] == [12, 4, 2, 1, 1, len(FILLED)]


def test_an_event_it_cannot_read_stops_it_before_that_and_no_further(log: Log) -> None:
    """A half-read page would lose events: the position moves with what was taken in."""
    log.match()
    log.index.follow()
    before = contents(log.index)
    log.match()
    stuck = uuid7(NOON // 1000)
    log.store.append([(stuck.hex, 1, "match.created.1", b"\xc0")])
    for _ in range(2):
        with pytest.raises(Exception):  # noqa: B017, PT011  whatever the decoder raises
            log.index.follow()
        assert contents(log.index) == before
