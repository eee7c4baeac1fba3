"""A store for keys, and a match that they are of."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from service.event_store.database import embedded
from service.event_store.store import Store
from service.event_store.stream_ids import time_ordered


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    env = embedded(database)
    with closing(Store(env)) as store:
        yield store


@pytest.fixture
def match_id() -> UUID:
    return time_ordered(0)
