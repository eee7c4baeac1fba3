"""Records read from a store and judged: by their digest, and by whether they can be decoded. Of a
match whose record is damaged nothing is read, and nothing is added to it.

A damaged match must not cost more than any other, and is reported once. It is looked at again after
a while, so that it opens by itself when its record has been repaired.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple, get_args
from uuid import UUID

from domain.encoding import UPCASTERS, decode, decode_all
from domain.events import Event, Record, stored_name
from domain.games import AnyEvent
from projections.audience.lines import checksum
from projections.audience.own_lines import OwnRows
from service.event_store.integrity.digests import (
    NEWER,
    ROW_CHANGED,
    UNREADABLE,
    Digest,
    RecordAltered,
    StoredRow,
    begin_digest,
    check_rows,
)
from service.event_store.store import Store
from service.observability import logs

KNOWN_NAMES = frozenset({*map(stored_name, get_args(AnyEvent)), *UPCASTERS})
"""The stored names of all events that this release can read."""


class CheckedRecords(NamedTuple):
    """Records of a match, the bytes as which they are stored, and the digest after them."""

    records: list[Record[Event]]
    states: list[bytes]
    digest: Digest


def read_checked(store: Store, match: UUID, since: Digest | None = None) -> CheckedRecords:
    """The records of a match after those that `since` covers, by default all of them.

    Raises RecordAltered if they do not agree with the stored digest, or cannot be decoded.
    """
    before = since or begin_digest(match)
    rows_read = store.rows(match, before.length)
    digest = check_rows(match, before, rows_read)
    states = [row.state for row in rows_read.rows]
    return CheckedRecords(decode_rows(match, rows_read.rows, before.length), states, digest)


def decode_rows(match: UUID, rows: Sequence[StoredRow], after: int) -> list[Record[Event]]:
    """The records of rows that follow position `after`. Raises RecordAltered."""
    try:
        return decode_all([row.state for row in rows])
    except Exception:  # noqa: BLE001  an upcaster may raise anything for damaged fields
        return [_decode_row(match, row, position) for position, row in enumerate(rows, after + 1)]


def _decode_row(match: UUID, row: StoredRow, position: int) -> Record[Event]:
    try:
        return decode(row.state)
    except Exception as error:
        raise RecordAltered(match, undecoded(row), position) from error


def undecoded(row: StoredRow) -> str:
    """What is wrong with a row that cannot be decoded, for the operator."""
    name = row.topic.decode(errors="replace")
    return UNREADABLE if name in KNOWN_NAMES else f"{UNREADABLE}, or {NEWER}: {name!r}"


def own_states(store: Store, match: UUID, own: OwnRows) -> list[bytes]:
    """The stored bytes of an audience's own records, and of no others.

    Raises RecordAltered if one is missing, or does not have its checksum: that which it had when
    the record was read as a whole.
    """
    states = store.states_at(match, own.positions)
    if len(states) != len(own.positions):
        raise RecordAltered(match, ROW_CHANGED)
    for position, state, expected in zip(own.positions, states, own.checksums, strict=True):
        if checksum(state) != expected:
            raise RecordAltered(match, ROW_CHANGED, position)
    return states


LOOK_AGAIN_SECONDS = 60.0
"""Seconds for which a closed record is not read."""


class _Closed(NamedTuple):
    error: RecordAltered
    until: float


class ClosedRecords:
    """The closed records of an instance; any thread may use it. `on_closed` is called for each, in
    the thread that has found it; `now` returns seconds and is monotonic."""

    def __init__(
        self,
        on_closed: Callable[[UUID], None] = lambda _: None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._closed: dict[UUID, _Closed] = {}
        self._on_closed = on_closed
        self._now = now

    def __len__(self) -> int:
        return len(self._closed)

    def check(self, match_id: UUID) -> None:
        """Raises RecordAltered if the match's record is closed, and was read a short while ago."""
        closed = self._closed.get(match_id)
        if closed is not None and self._now() < closed.until:
            raise RecordAltered(match_id, closed.error.what, closed.error.position)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Closes a record that is found damaged while inside."""
        try:
            yield
        except RecordAltered as error:
            self.close(error)
            raise

    def close(self, error: RecordAltered) -> None:
        """Closes a record; logs why if it was not closed before."""
        was_closed = error.match in self._closed
        self._closed[error.match] = _Closed(error, self._now() + LOOK_AGAIN_SECONDS)
        if not was_closed:
            logs.failure("record_altered", error, match=str(error.match))
            self._on_closed(error.match)

    def reopen(self, match_id: UUID) -> None:
        """Notes that a record has been read as a whole and is undamaged."""
        if self._closed.pop(match_id, None) is not None:
            logs.info("record_intact_again", match=str(match_id))
