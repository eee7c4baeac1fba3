"""Several instances follow the log at once in one database: nothing is lost, doubled or undone.

An instance is a thread with a store and an index of its own.
"""

import threading
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest

from domain.match.events import MatchEnded, MatchStarted
from service.event_store.database import Cursor
from service.read_models import follower
from service.read_models import index as indexing
from service.read_models.follower import LogRecord
from service.read_models.index import Index, apply_page
from tests.support.instance.index_log import WON, Log, busy, contents


class PausedFollower:
    """Pauses one thread while it applies its page."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached = threading.Event()
        self.go_on = threading.Event()
        self.thread: threading.Thread | None = None
        monkeypatch.setattr(indexing, "apply_page", self._apply_page)

    def _apply_page(self, cursor: Cursor, page: Sequence[LogRecord]) -> None:
        if threading.current_thread() is self.thread:
            self.reached.set()
            assert self.go_on.wait(10)
        apply_page(cursor, page)

    def follow(self, index: Index) -> threading.Thread:
        """Starts a thread that follows, and returns when it is paused."""
        self.thread = threading.Thread(target=index.follow)
        self.thread.start()
        assert self.reached.wait(10)
        return self.thread


def test_a_follower_waits_for_the_page_that_another_is_writing(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the older page would overwrite the newer one."""
    with closing(Log(log.env)) as other:
        match_id = log.match(MatchStarted())
        paused = PausedFollower(monkeypatch)
        slow = paused.follow(log.index)
        if log.env["PERSISTENCE_MODULE"].endswith("postgres"):  # SQLite lets no one write
            log.put(match_id, MatchEnded(WON))
        quick = threading.Thread(target=other.index.follow)
        quick.start()
        quick.join(0.5)
        waited = quick.is_alive()
        paused.go_on.set()
        slow.join()
        quick.join()

        assert waited
        followed = contents(log.index)
        log.index.rebuild()
        assert contents(log.index) == followed


def test_a_late_page_undoes_nothing(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Log(log.env)) as other:
        match_id = log.match(MatchStarted())
        read, go_on = threading.Event(), threading.Event()
        recorder: Any = log.store.recorder
        select = recorder.select_log

        def slowly(*args: Any, **more: Any) -> Any:
            page = select(*args, **more)
            read.set()
            assert go_on.wait(10)
            return page

        monkeypatch.setattr(recorder, "select_log", slowly)
        late = threading.Thread(target=log.index.follow)
        late.start()
        assert read.wait(10)
        log.put(match_id, MatchEnded(WON))
        other.index.follow()
        before = contents(other.index)
        go_on.set()
        late.join()

        assert before[0][0].status == "ended"
        assert contents(other.index) == before


def test_many_followers_of_a_growing_log_find_the_same_as_a_rebuild(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "PAGE", 3)
    done = threading.Event()
    failed: list[BaseException] = []

    def follow(index: Index) -> None:
        try:
            while not done.is_set():
                index.follow()
        except BaseException as error:  # noqa: BLE001  shown below
            failed.append(error)

    others = [Log(log.env) for _ in range(3)]
    threads = [threading.Thread(target=follow, args=(other.index,)) for other in others]
    for thread in threads:
        thread.start()
    for _ in range(3):
        busy(log)
    done.set()
    for thread in threads:
        thread.join()
    assert failed == []
    log.index.follow()
    followed = contents(log.index)
    assert len(followed[0]) == 36
    log.index.rebuild()
    assert contents(log.index) == followed
    for other in others:
        other.close()
