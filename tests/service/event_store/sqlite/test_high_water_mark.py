"""The high-water mark of the embedded store: written at every commit, read though one was cut."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from service.event_store.database import embedded
from service.event_store.recorder import Row
from service.event_store.sqlite.high_water_mark import (
    SLOT_BYTES,
    DamagedMark,
    Mark,
    MarkFile,
    TextRow,
    begin_mark,
    decode,
    digest_of,
    encode,
    mark_path,
    read_mark,
)
from service.event_store.sqlite.lost_commits import find_loss, mark_end
from service.event_store.sqlite.writer import ROWS_AT_ONCE
from service.event_store.store import Store

MARK = Mark(7, b"d" * 32, b"i" * 16)


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    """A store with a mark, as the service opens it."""
    env = embedded(database)
    with closing(Store(env)) as store:
        mark_end(database, store.keyrings)
        yield store


def row(version: int = 1, state: bytes = b"state") -> TextRow:
    return uuid4().hex, version, "a.topic.1", state


def length(database: Path) -> int:
    found = read_mark(mark_path(database))
    assert found is not None
    return found.length


def test_a_mark_is_a_line_that_people_can_read() -> None:
    line = encode(MARK)
    assert line.startswith(b"arbiter-mark/1 7 ") and decode(line) == MARK


@pytest.mark.parametrize("changed", range(0, 100, 7))
def test_a_changed_mark_is_none(changed: int) -> None:
    line = bytearray(encode(MARK))
    line[changed] ^= 1
    assert decode(bytes(line)) is None


def test_every_commit_is_marked_when_it_returns(database: Path, store: Store) -> None:
    assert length(database) == 0
    for count in (1, 3, ROWS_AT_ONCE + 1):
        before = length(database)
        store.append([Row(*row()) for _ in range(count)])
        assert length(database) == before + count
        assert find_loss(database) is None


@pytest.mark.parametrize("slot", [0, 1])
def test_a_mark_that_was_cut_leaves_the_one_before(tmp_path: Path, slot: int) -> None:
    path = tmp_path / "mark"
    begin_mark(path, MARK)
    with closing(MarkFile(path)) as file:
        for position in range(8, 10 + slot):
            file.advance((position,), (row(),))
    latest = read_mark(path)
    assert latest is not None
    content = bytearray(path.read_bytes())
    place = bytes(content).index(b" %d " % latest.length)
    content[place : place + 40] = b" " * 40
    path.write_bytes(content)
    before = read_mark(path)
    assert before is not None and before.length == latest.length - 1


def test_the_file_does_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    begin_mark(path, MARK)
    with closing(MarkFile(path)) as file:
        for position in range(8, 1_000):
            file.advance((position,), (row(),))
    assert path.stat().st_size == 2 * SLOT_BYTES


def test_it_is_known_for_how_long_a_mark_has_waited_to_be_synced(tmp_path: Path) -> None:
    path, clock = tmp_path / "mark", [100.0]
    begin_mark(path, MARK)
    with closing(MarkFile(path, lambda: clock[0])) as file:
        assert file.unsynced == 0
        for position in (8, 9):
            file.advance((position,), (row(),))
            clock[0] += 2
        assert file.unsynced == 4
        file.sync()
        clock[0] += 10
        assert file.unsynced == 0


def test_a_file_without_any_mark_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    path.write_bytes(b"")
    with pytest.raises(DamagedMark, match="damaged"):
        read_mark(path)


def test_without_a_file_nothing_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    with closing(MarkFile(path)) as file:
        file.advance((1,), (row(),))
        file.sync()
    assert not path.exists() and read_mark(path) is None


def test_long_events_of_the_same_beginning_differ_by_their_length() -> None:
    stream = uuid4().hex
    one, other = (digest_of((stream, 1, "a.topic.1", bytes(size))) for size in (2_000, 2_001))
    assert one != other
