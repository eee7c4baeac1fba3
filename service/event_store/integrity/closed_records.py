"""Closed records: matches whose record is damaged. Nothing is read from them or added to them.

A damaged match must not cost more than any other, and is reported once. It is looked at again
after a while, so that it opens by itself when its record has been repaired.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple
from uuid import UUID

from service.event_store.integrity.digests import RecordAltered
from service.observability import logs

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
        known = error.match in self._closed
        self._closed[error.match] = _Closed(error, self._now() + LOOK_AGAIN_SECONDS)
        if not known:
            logs.failure("record_altered", error, match=str(error.match))
            self._on_closed(error.match)

    def reopen(self, match_id: UUID) -> None:
        """Notes that a record has been read as a whole and is undamaged."""
        if self._closed.pop(match_id, None) is not None:
            logs.info("record_intact_again", match=str(match_id))
