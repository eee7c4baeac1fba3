"""Closed records: matches whose record is damaged. Nothing is read from them or added to them.

A record that was found damaged stays closed until the instance starts again, so that a damaged
match costs no more than any other, and is reported once.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from service.event_store.digests import RecordAltered
from service.observability import logs


class ClosedRecords:
    """The closed records of an instance; any thread may use it. `on_closed` is called for each, in
    the thread that has found it."""

    def __init__(self, on_closed: Callable[[UUID], None] = lambda _: None) -> None:
        self._found: dict[UUID, RecordAltered] = {}
        self._on_closed = on_closed

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, match_id: UUID) -> bool:
        return match_id in self._found

    def check(self, match_id: UUID) -> None:
        """Raises RecordAltered if the match's record is closed."""
        found = self._found.get(match_id)
        if found is not None:
            raise RecordAltered(match_id, found.what, found.position)

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
        if self._found.setdefault(error.match, error) is error:
            logs.failure("record_altered", error, match=str(error.match))
            self._on_closed(error.match)
