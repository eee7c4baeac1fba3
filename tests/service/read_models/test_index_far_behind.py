"""An index that is far behind the log: no thread waits for it, and it stops on request."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from service.read_models import follower
from service.read_models import index as indexing
from service.read_models.index import FarBehind
from tests.support.instance.index_log import Log, busy, contents, log_in

PATIENCE = 30


@pytest.fixture(params=["sqlite", "postgres"])
def log(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Log]:
    monkeypatch.setattr(follower, "PAGE", 5)
    with log_in(request.param, tmp_path) as log:
        busy(log)
        yield log


def test_a_read_meanwhile_fails_at_once(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "SLOW_FOLLOW_SECONDS", 0.0)
    errors: list[BaseException | None] = []
    with ThreadPoolExecutor(1) as executor:

        def on_progress(position: int, end: int) -> None:
            if position > 5:
                errors.append(executor.submit(log.index.follow).exception(PATIENCE))

        log.index.follow(on_progress)
    assert errors and all(isinstance(error, FarBehind) for error in errors)
    log.index.follow()


def test_a_short_follow_is_waited_for(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "SLOW_FOLLOW_SECONDS", PATIENCE)
    waited: list[Future[None]] = []
    with ThreadPoolExecutor(1) as executor:

        def on_progress(position: int, end: int) -> None:
            if not waited:
                waited.append(executor.submit(log.index.follow))

        log.index.follow(on_progress)
        assert waited[0].result(PATIENCE) is None


def test_stopped_it_ends_after_the_page_and_continues_later(log: Log) -> None:
    pages: list[int] = []

    def on_progress(position: int, end: int) -> None:
        pages.append(position)
        log.index.stop()

    with pytest.raises(FarBehind):
        log.index.follow(on_progress)
    assert len(pages) == 1
    with closing(log.new_index()) as following:
        following.follow()
        with closing(log.new_index()) as fresh:
            fresh.rebuild()
            assert contents(following) == contents(fresh)
