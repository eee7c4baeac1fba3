"""Records are read at exactly the positions asked for, by every kind of store."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

import pytest

from domain.encoding import encode
from domain.events import Record
from domain.match.events import MatchPaused
from service.event_store.database import IN_MEMORY
from service.event_store.store import Store, rows
from tests.support.instance.service_instance import settings
from tests.support.servers.postgres_server import fresh_database

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
        yield from opened(settings(tmp_path / "arbiter.db").store)


def opened(env: Mapping[str, str]) -> Iterator[Store]:
    """A store with two matches whose records differ in their times."""
    store = Store(dict(env))
    for match, begin in ((MATCH, 1), (OTHER, 1_000_001)):
        records = [Record(begin + n, 0, MatchPaused()) for n in range(COUNT)]
        store.append(rows(match, 0, records))
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
