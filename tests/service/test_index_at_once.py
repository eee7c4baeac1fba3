"""Several instances follow the log at once in one database: nothing is lost, doubled or put back.

A thread with a store and an index of its own stands for an instance.
"""

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from domain.match_events import MatchEnded, MatchStarted
from service.storage import index as indexing
from service.storage.database import Cursor
from service.storage.index import Index, take_in
from service.storage.listing import Read
from tests.service.test_index import WON, Log, busy, contents, kept_in

ROUNDS = 15


@pytest.fixture(params=["sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with kept_in(request.param, tmp_path) as log:
        yield log


class Held:
    """Holds up one thread in the midst of taking in its page."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached = threading.Event()
        self.go_on = threading.Event()
        self.whom: threading.Thread | None = None
        monkeypatch.setattr(indexing, "take_in", self._take_in)

    def _take_in(self, cursor: Cursor, page: Sequence[Read]) -> None:
        if threading.current_thread() is self.whom:
            self.reached.set()
            assert self.go_on.wait(10)
        take_in(cursor, page)

    def follow(self, index: Index) -> threading.Thread:
        """Returns when a thread that follows is held up."""
        self.whom = threading.Thread(target=index.follow)
        self.whom.start()
        assert self.reached.wait(10)
        return self.whom


def test_who_reads_a_page_that_another_is_writing_waits_for_it(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the older page would be written over the younger one."""
    with closing(Log(log.env)) as other:
        match_id = log.match(MatchStarted())
        held = Held(monkeypatch)
        slow = held.follow(log.index)
        if log.env["PERSISTENCE_MODULE"].endswith("postgres"):  # SQLite lets nobody write
            log.put(match_id, MatchEnded(WON))
        quick = threading.Thread(target=other.index.follow)
        quick.start()
        quick.join(0.5)
        waited = quick.is_alive()
        held.go_on.set()
        slow.join()
        quick.join()

        assert waited
        followed = contents(log.index)
        log.index.rebuild()
        assert contents(log.index) == followed


def test_who_comes_late_with_a_page_puts_nothing_back(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Log(log.env)) as other:
        match_id = log.match(MatchStarted())
        read, go_on = threading.Event(), threading.Event()
        recorder: Any = log.store.recorder
        name = "select_log" if hasattr(recorder, "select_log") else "select_notifications"
        select = getattr(recorder, name)

        def slowly(*args: Any, **more: Any) -> Any:
            page = select(*args, **more)
            read.set()
            assert go_on.wait(10)
            return page

        monkeypatch.setattr(recorder, name, slowly)
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


def test_many_that_follow_a_log_that_grows_come_to_what_a_rebuild_finds(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "PAGE", 3)
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
    for _ in range(5):
        busy(log)
    done.set()
    for thread in threads:
        thread.join()
    assert failed == []
    log.index.follow()
    followed = contents(log.index)
    assert len(followed[0]) == 60
    log.index.rebuild()
    assert contents(log.index) == followed
    for other in others:
        other.close()


def test_whoever_follows_or_rebuilds_in_whatever_order_finds_the_same(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    luck = random.Random(20)
    with closing(Log(log.env)) as other:
        for _ in range(ROUNDS):
            monkeypatch.setattr(indexing, "PAGE", luck.choice([1, 4, 1_000]))
            luck.choice([log.index.follow, other.index.follow, other.index.rebuild])()
            busy(log) if luck.random() < 0.3 else log.match(MatchStarted())
        other.index.follow()
        followed = contents(log.index)
        assert contents(other.index) == followed
        log.index.rebuild()
        assert contents(log.index) == followed
