"""A recorder in whose reads something happens, and whose writes can be made to fail, in any way in
which a store may."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, PersistenceError, StoredEvent


class InterruptedRecorder(AggregateRecorder):
    """A recorder that runs `happens` between reading and returning."""

    def __init__(self, stock: AggregateRecorder) -> None:
        self._stock = stock
        self.happens: Callable[[], None] | None = None
        self.inserts_left: int | None = None

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Any:
        if self.inserts_left is not None:
            if self.inserts_left == 0:
                raise PersistenceError("killed")
            self.inserts_left -= 1
        return self._stock.insert_events(stored_events, **kwargs)

    def select_events(self, originator_id: UUID | str, **kwargs: Any) -> Sequence[StoredEvent]:
        events = self._stock.select_events(originator_id, **kwargs)
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return events
