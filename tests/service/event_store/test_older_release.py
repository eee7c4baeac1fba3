"""During a rolling upgrade an older release works on the tables of the present one: its statements,
word for word, are valid there and mean the same."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from service.application.migration import migrate
from service.event_store.store import Row, Store
from tests.support.servers.postgres_server import connect, fresh_database

MADE = Path(__file__).parent / "tables_of_0_1.sql"

APPEND = 'SELECT "public"."arbiter_events_append_1"(%s, %s, %s, %s, %s, %s)'
THERE = 'SELECT to_regproc(\'"public"."arbiter_events_append_1"\') IS NOT NULL'
STATES = (
    'SELECT state FROM "public"."arbiter_events" WHERE originator_id = %s '
    "AND originator_version > %s AND originator_version <= %s ORDER BY originator_version"
)
GROWN = (
    'SELECT notification_id, originator_id FROM "public"."arbiter_events" '
    "WHERE notification_id > %s ORDER BY notification_id LIMIT %s"
)
INSERT_ROW = (
    'INSERT INTO "public"."{}" AS t (originator_id, originator_version, topic, state) '
    "SELECT originator_id, originator_version, topic, state "
    'FROM unnest(ARRAY[ROW(%s, %s, %s, %s)::"public"."stored_event_uuid"])'
)
SELECT_ROWS = 'SELECT * FROM "public"."{}" WHERE originator_id = %s'
POSITION = "SELECT position FROM arbiter_index WHERE format = 2 FOR UPDATE"
MOVE = "UPDATE arbiter_index SET position = %s WHERE format = 2"


class OlderRelease:
    """An instance of the older release: its connection and its statements."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._db = connection

    def query(self, statement: str, *parameters: Any) -> list[Any]:
        cursor = self._db.execute(statement.encode(), parameters)
        return cursor.fetchall() if cursor.description else []

    def append(self, stream: UUID, version: int, state: bytes, *unchanged: UUID) -> list[int]:
        """Appends a record; the `unchanged` streams must be empty."""
        new = [stream], [version], ["match.paused.1"], [state]
        ((positions,),) = self.query(APPEND, *new, list(unchanged), [0] * len(unchanged))
        return list(positions)


@pytest.fixture
def env() -> Iterator[dict[str, str]]:
    with fresh_database() as env:
        yield env


@pytest.fixture
def older(env: dict[str, str]) -> Iterator[OlderRelease]:
    """The older release, which has created its tables and still runs when those of the present are
    created."""
    with connect(env) as connection:
        connection.execute(MADE.read_bytes())
        yield OlderRelease(connection)


@pytest.fixture
def store(env: dict[str, str], older: OlderRelease) -> Iterator[Store]:
    migrate(env)
    with closing(Store({**env, "CREATE_TABLE": "no"})) as store:
        yield store


def row(stream: UUID, version: int, state: bytes) -> Row:
    return Row(stream.hex, version, "match.paused.1", state)


def test_both_continue_what_the_other_has_recorded(
    env: dict[str, str], older: OlderRelease
) -> None:
    stream = uuid4()
    assert older.append(stream, 1, b"one") == [1]
    migrate(env)
    assert older.query(THERE) == [(True,)]
    assert older.append(stream, 2, b"two") == [2]
    with closing(Store({**env, "CREATE_TABLE": "no"})) as store:
        store.append([row(stream, 3, b"three")])
        assert older.append(stream, 4, b"four") == [4]
        assert store.states(stream) == [b"one", b"two", b"three", b"four"]
    assert older.query(STATES, stream, 1, 3) == [(b"two",), (b"three",)]
    assert older.query(GROWN, 2, 9) == [(3, stream), (4, stream)]


def test_both_report_that_the_other_was_first(store: Store, older: OlderRelease) -> None:
    ours, theirs = uuid4(), uuid4()
    store.append([row(ours, 1, b"ours")])
    older.append(theirs, 1, b"theirs")
    with pytest.raises(psycopg.errors.UniqueViolation):
        older.append(ours, 1, b"late")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        older.append(uuid4(), 1, b"beside", ours)
    for late in ([row(theirs, 1, b"late")], []), ([row(uuid4(), 1, b"beside")], [(theirs.hex, 0)]):
        with pytest.raises(Exception, match=r"duplicate key|has grown"):
            store.append(*late)
    assert store.states(ours) == [b"ours"] and store.states(theirs) == [b"theirs"]


def test_it_cannot_append_after_a_missing_event(store: Store, older: OlderRelease) -> None:
    """The checks of the function became stricter under the same name."""
    stream = uuid4()
    store.append([row(stream, 1, b"one")])
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        older.append(stream, 3, b"three")
    assert older.append(stream, 2, b"two") and store.states(stream) == [b"one", b"two"]


@pytest.mark.parametrize("table", ["arbiter_secrets", "arbiter_keys"])
def test_it_stores_secrets_and_keys_and_finds_those_of_the_present(
    store: Store, older: OlderRelease, table: str
) -> None:
    recorder = store.secrets if table == "arbiter_secrets" else store.keyrings
    stream = uuid4()
    older.query(INSERT_ROW.format(table), stream, 1, "match.paused.1", b"one")
    (stored,) = recorder.select_events(stream)
    assert (stored.topic, stored.state) == ("match.paused.1", b"one")
    recorder.insert_events([type(stored)(stream, 2, "match.paused.1", b"two")])
    found = older.query(SELECT_ROWS.format(table), stream)
    assert found == [(stream, 1, "match.paused.1", b"one"), (stream, 2, "match.paused.1", b"two")]


def test_it_continues_its_lists_from_its_position(env: dict[str, str], older: OlderRelease) -> None:
    for position in (7, 8):
        older.query(MOVE, position)
        migrate(env)
        assert older.query(POSITION) == [(position,)]
