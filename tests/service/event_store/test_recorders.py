"""Both recorders write the library's own tables: a batch whole or not at all, in the order of
commit, and so that the library's recorder reads and continues them."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import eventsourcing.postgres as stock_postgres
import eventsourcing.sqlite as stock_sqlite
import pytest
from eventsourcing.persistence import ApplicationRecorder, IntegrityError
from eventsourcing.utils import Environment

from domain.encoding import encode
from domain.events import Record
from domain.match.events import MatchPaused
from service.event_store import postgres, sqlite
from service.event_store.database import IN_MEMORY, embedded
from service.event_store.store import Store
from service.event_store.store import rows as rows_of
from service.settings import Settings
from tests.support.instance.postgres_recorder import events, rows
from tests.support.servers.postgres_server import fresh_database

Recorder = sqlite.QuickSQLiteRecorder | postgres.QuickPostgresRecorder
FACTORIES: dict[bool, tuple[type[Any], type[Any]]] = {
    False: (sqlite.Factory, stock_sqlite.SQLiteFactory),
    True: (postgres.Factory, stock_postgres.PostgresFactory),
}
"""Ours and the library's, by whether the store is PostgreSQL."""


def recorders(chosen: Settings, which: int) -> Iterator[Any]:
    factory = FACTORIES[chosen.shared][which](Environment("arbiter", dict(chosen.store)))
    with closing(factory):
        yield factory.application_recorder()


@pytest.fixture
def recorder(chosen: Settings) -> Iterator[Recorder]:
    yield from recorders(chosen, 0)


@pytest.fixture
def library_recorder(chosen: Settings, recorder: Recorder) -> Iterator[ApplicationRecorder]:
    for found in recorders(chosen, 1):
        assert isinstance(recorder, Recorder) and not isinstance(found, Recorder)
        yield found


def test_the_stock_recorder_reads_and_continues_what_ours_wrote(
    recorder: Recorder, library_recorder: ApplicationRecorder
) -> None:
    stream = uuid4()
    recorder.insert_rows(rows(stream, 3))
    assert library_recorder.select_events(stream) == events(stream, 3)
    library_recorder.insert_events(events(stream, 2, after=3))

    whole = events(stream, 3) + events(stream, 2, after=3)
    assert recorder.select_events(stream) == whole
    assert recorder.select_states(stream) == [e.state for e in whole]


def test_ours_reads_and_continues_records_of_the_stock_recorder(
    recorder: Recorder, library_recorder: ApplicationRecorder
) -> None:
    stream = uuid4()
    library_recorder.insert_events(events(stream, 3))
    assert recorder.select_states(stream, 1, 2) == [events(stream, 2)[1].state]
    recorder.insert_rows(rows(stream, 2, after=3))

    assert library_recorder.select_events(stream) == events(stream, 3) + events(stream, 2, after=3)
    notifications = library_recorder.select_notifications(None, 10)
    assert [n.originator_version for n in notifications] == [1, 2, 3, 4, 5]


def test_both_recorders_refuse_a_version_that_the_other_wrote(
    recorder: Recorder, library_recorder: ApplicationRecorder
) -> None:
    one, two = uuid4(), uuid4()
    recorder.insert_rows(rows(one, 1))
    library_recorder.insert_events(events(two, 1))
    with pytest.raises(IntegrityError):
        library_recorder.insert_events(events(one, 1))
    for stream in (one, two):
        with pytest.raises(IntegrityError):
            recorder.insert_rows(rows(stream, 1))


# All of it or nothing.


def test_an_insert_with_a_conflict_leaves_nothing_of_any_stream(recorder: Recorder) -> None:
    existing, other = uuid4(), uuid4()
    recorder.insert_rows(rows(existing, 2))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(other, 3) + rows(existing, 1, after=1))
    assert recorder.select_states(other) == []
    assert len(recorder.select_states(existing)) == 2
    assert len(recorder.select_notifications(None, 10)) == 2


@pytest.mark.parametrize("count", [0, 2])
def test_a_stream_that_had_to_stay_as_it_was_and_has_grown_stops_the_insert(
    recorder: Recorder, count: int
) -> None:
    read, written = uuid4(), uuid4()
    recorder.insert_rows(rows(read, 3))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(written, count), [(uuid4().hex, 0), (read.hex, 2)])
    assert recorder.select_states(written) == []


@pytest.mark.parametrize("count", [1, 40])
def test_nothing_is_appended_after_a_missing_event(recorder: Recorder, count: int) -> None:
    """The store has lost some commits; a writer with the longer record in memory gets an error."""
    there = [uuid4() for _ in range(count)]
    recorder.insert_rows([row for one in there for row in rows(one, 2)])
    on = [row for one in there for row in rows(one, 1, after=2)]
    gone = uuid4()
    for late in (rows(there[-1], 2, after=3), rows(gone, 1, after=1)):
        with pytest.raises(IntegrityError, match="lost commits"):
            recorder.insert_rows(on[:-1] + late)
    assert [len(recorder.select_states(one)) for one in [*there, gone]] == [2] * count + [0]
    recorder.insert_rows(on)
    assert [len(recorder.select_states(one)) for one in there] == [3] * count


# The log.


def test_positions_are_in_the_order_of_commit(
    recorder: Recorder, library_recorder: ApplicationRecorder
) -> None:
    """A reader of the log, while others write, never finds a lower position later. (The library's
    recorder writes to PostgreSQL, too; a file has one process.)"""

    def write(stream: UUID, ours: bool) -> None:
        for batch in range(30):
            if ours:
                recorder.insert_rows(rows(stream, 3, after=3 * batch))
            else:
                library_recorder.insert_events(events(stream, 3, after=3 * batch))

    by_ours = (True, True, isinstance(recorder, sqlite.QuickSQLiteRecorder))
    writers = [threading.Thread(target=write, args=(uuid4(), ours)) for ours in by_ours]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while any(writer.is_alive() for writer in writers):
        seen += _behind(recorder, seen)
    seen += _behind(recorder, seen)

    assert len(seen) == 3 * 30 * 3
    assert sorted(n.id for n in recorder.select_notifications(None, 1_000)) == seen


def _behind(recorder: Recorder, seen: Sequence[int]) -> list[int]:
    last = seen[-1] if seen else 0
    return [n.id for n in recorder.select_notifications(last, 1_000, inclusive_of_start=False)]


def test_no_reader_waits_for_what_a_failed_insert_leaves(recorder: Recorder) -> None:
    """On PostgreSQL that is a gap."""
    stream = uuid4()
    recorder.insert_rows(rows(stream, 2))
    with pytest.raises(IntegrityError):
        recorder.insert_rows(rows(uuid4(), 2) + rows(stream, 1))
    recorder.insert_rows(rows(stream, 2, after=2))

    notifications = [n.id for n in recorder.select_notifications(None, 10)]
    assert all(one < two for one, two in pairwise(notifications)) and len(notifications) == 4


# Records are read at exactly the positions asked for.


MATCH, OTHER = (UUID(int=(0x7 << 76) | (0b10 << 62) | n) for n in (1, 2))
COUNT = 3_000


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "postgres":
        with fresh_database() as env:
            yield from opened(env)
    elif request.param == "memory":
        yield from opened(IN_MEMORY)
    else:
        yield from opened(embedded(tmp_path / "arbiter.db"))


def opened(env: Mapping[str, str]) -> Iterator[Store]:
    """A store with two matches whose records differ in their times."""
    store = Store(dict(env))
    for match, begin in ((MATCH, 1), (OTHER, 1_000_001)):
        records = [Record(begin + n, 0, MatchPaused()) for n in range(COUNT)]
        store.append(rows_of(match, 0, records))
    yield store
    store.close()


def test_a_position_that_is_not_on_record_is_left_out(store: Store) -> None:
    assert store.states_at(MATCH, [1, COUNT + 1]) == [encode(Record(1, 0, MatchPaused()))]


def test_the_bytes_at_a_position_are_replaced_and_no_others(store: Store) -> None:
    before = store.states(MATCH)
    store.recorder.replace_states(MATCH, {2: b"two", COUNT: b"last"})
    assert store.states(MATCH) == [before[0], b"two", *before[2:-1], b"last"]
    assert store.states(OTHER, upto=2) == [
        encode(Record(1_000_001 + n, 0, MatchPaused())) for n in (0, 1)
    ]
