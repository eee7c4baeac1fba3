"""One server for the tests that compare what it sends, and the work that it does."""

from collections.abc import Iterator

import pytest

from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.live_server import live

__all__ = ["live"]


@pytest.fixture(scope="module")
def counter() -> Iterator[WorkCounter]:
    with pytest.MonkeyPatch.context() as patch:
        yield WorkCounter(patch)
