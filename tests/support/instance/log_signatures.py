"""The signatures that the notary records, and a store that reports them."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition
from threading import Event as ThreadEvent
from typing import TypeVar
from uuid import UUID

from eventsourcing.persistence import OperationalError

from domain.events import stored_name
from domain.proof.log_events import CheckpointSigned
from service.event_store.integrity.digests import StoredRows
from service.event_store.recorder import Length, Row
from service.event_store.store import paired_stream
from service.instance import Instance
from tests.support.instance.service_instance import PATIENCE, WatchedStore, on_record

T = TypeVar("T")


class NotifyingStore(WatchedStore):
    """Notifies waiters of every append; appends of checkpoints can be made to fail, and reads to
    wait.

    `unsigned` fails an append of a checkpoint that has not begun, `signed` one that is on disk;
    `closed_too_early` is set if it is closed while reads wait.
    """

    def __init__(self, env: dict[str, str]) -> None:
        super().__init__(env)
        self.unsigned: deque[Exception] = deque()
        self.signed: deque[Exception] = deque()
        self.has_read, self.go_on = ThreadEvent(), ThreadEvent()
        self.go_on.set()
        self._blocked: UUID | None = None
        self.closed_too_early = False
        self._grown = Condition()

    def append(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> None:
        signing = any(row[2] == stored_name(CheckpointSigned) for row in rows)
        if signing and self.unsigned:
            raise self.unsigned.popleft()
        super().append(rows, unchanged, digests)
        with self._grown:
            self._grown.notify_all()
        if signing and self.signed:
            raise self.signed.popleft()

    def rows(self, match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        return self._unless_blocked(match, super().rows(match, after, upto))

    def states(self, match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        return self._unless_blocked(match, super().states(match, after, upto))

    def _unless_blocked(self, match: UUID, found: T) -> T:
        if self._blocked in (None, match):
            self.has_read.set()
            assert self.go_on.wait(PATIENCE)
        if self.closed_too_early:
            # A read after that may crash the process.
            raise OperationalError("closed")
        return found

    def block_reads(self, stream: UUID | None = None) -> None:
        """From now on every reader of the stream, or of any, waits for `go_on`; `has_read` is set
        by the first."""
        self._blocked = stream
        self.has_read.clear()
        self.go_on.clear()

    def close(self) -> None:
        self.closed_too_early = not self.go_on.is_set()
        self.go_on.set()
        super().close()

    async def until(self, true: Callable[[], bool]) -> None:
        """Returns when something has come true that only appending can make true."""

        def wait() -> bool:
            with self._grown:
                return self._grown.wait_for(true, PATIENCE)

        assert await asyncio.to_thread(wait), "it never came true"


def notifying(instance: Instance) -> NotifyingStore:
    assert isinstance(instance.store, NotifyingStore)
    return instance.store


def recorded(instance: Instance, match: UUID) -> list[CheckpointSigned]:
    """The signatures of a match, as they are recorded."""
    events = [record.event for record in on_record(instance, paired_stream(match))]
    assert all(isinstance(event, CheckpointSigned) for event in events)
    return [event for event in events if isinstance(event, CheckpointSigned)]
