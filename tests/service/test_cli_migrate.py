"""`arbiter migrate`: what workers find when they start, and what it leaves alone."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.storage.tables import FORMAT, POSITION
from tests.service.moved import run
from tests.service.test_index import Log, busy, contents, kept_in
from tests.service.test_index_format import release


@pytest.fixture(params=["sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with kept_in(request.param, tmp_path) as log:
        yield log


def migrated(log: Log, tmp_path: Path, *options: str) -> str:
    """What an operator is told."""
    done = run("migrate", "--data", tmp_path, *options, env=log.env)
    assert done.exit_code == 0, done.output
    return done.output


def position(log: Log) -> int:
    ((reached,),) = log.index._db.select(POSITION)
    return int(reached)


def test_workers_find_the_lists_of_a_new_format_up_to_date(log: Log, tmp_path: Path) -> None:
    """Or the first that is asked would read the whole log, while everybody waits for it."""
    with closing(release(log, FORMAT - 1)) as before:
        busy(log)
        before.follow()
        assert position(log) == 0
        migrated(log, tmp_path)
        assert position(log) == log.store.end()
        assert contents(log.index) == contents(before)


def test_again_it_reads_what_has_come_and_puts_nothing_twice(log: Log, tmp_path: Path) -> None:
    for _ in range(3):
        busy(log)
        migrated(log, tmp_path)
        migrated(log, tmp_path)
    found = contents(log.index)
    log.index.rebuild()
    assert contents(log.index) == found


def test_the_release_before_goes_on_meanwhile(log: Log, tmp_path: Path) -> None:
    busy(log)
    stop = threading.Event()
    failed: list[BaseException] = []

    def follow() -> None:
        try:
            with closing(Log(log.env)) as own, closing(release(own, FORMAT - 1)) as before:
                while not stop.is_set():
                    before.follow()
                    own.match()
        except BaseException as error:  # noqa: BLE001  shown below
            failed.append(error)

    working = threading.Thread(target=follow)
    working.start()
    for _ in range(5):
        migrated(log, tmp_path)
    stop.set()
    working.join()
    assert failed == []
    with closing(release(log, FORMAT - 1)) as before:
        before.follow()
        log.index.follow()
        assert contents(log.index) == contents(before)
