"""A log with its lists, in every kind of database and in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.instance.index_log import Log, log_in


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with log_in(request.param, tmp_path) as log:
        yield log
