"""An index that has far to go: nobody waits for it in a thread, and it stops when it is told."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from service.storage import index as indexing
from service.storage.index import FarBehind
from tests.service.test_index import Log, busy, contents, kept_in

PATIENCE = 30


@pytest.fixture(params=["sqlite", "postgres"])
def log(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Log]:
    monkeypatch.setattr(indexing, "PAGE", 5)
    with kept_in(request.param, tmp_path) as log:
        busy(log)
        yield log


def test_who_reads_meanwhile_is_told_at_once(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "SOON", 0.0)
    told: list[BaseException | None] = []
    with ThreadPoolExecutor(1) as another:

        def asks(position: int, end: int) -> None:
            if position > 5:
                told.append(another.submit(log.index.follow).exception(PATIENCE))

        log.index.follow(asks)
    assert told and all(isinstance(error, FarBehind) for error in told)
    log.index.follow()


def test_who_is_soon_there_is_waited_for(log: Log) -> None:
    waited: list[Future[None]] = []
    with ThreadPoolExecutor(1) as another:

        def asks(position: int, end: int) -> None:
            if not waited:
                waited.append(another.submit(log.index.follow))

        log.index.follow(asks)
        assert waited[0].result(PATIENCE) is None


def test_told_to_stop_it_ends_after_the_page_and_goes_on_another_time(log: Log) -> None:
    pages: list[int] = []

    def stops(position: int, end: int) -> None:
        pages.append(position)
        log.index.stop()

    with pytest.raises(FarBehind):
        log.index.follow(stops)
    assert len(pages) == 1
    with closing(log.new_index()) as following:
        following.follow()
        with closing(log.new_index()) as fresh:
            fresh.rebuild()
            assert contents(following) == contents(fresh)
