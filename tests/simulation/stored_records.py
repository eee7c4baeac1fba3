"""The records in a simulated store, decoded once."""

from uuid import UUID

from domain.encoding import decode_all
from domain.events import Event, Record
from projections.audience.disclosure import Viewer, may_see
from tests.simulation.shared_memory_store import MemoryLog


class StoredRecords:
    """The records of every stream, and the positions of each audience's events."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log
        self._decoded: dict[UUID, list[Record[Event]]] = {}
        self._positions: dict[tuple[UUID, Viewer], tuple[list[int], int]] = {}

    @property
    def streams(self) -> list[UUID]:
        """Every stream, in the order in which they began."""
        return list(self._log.streams)

    def of(self, stream: UUID) -> list[Record[Event]]:
        """All records of a stream, in order."""
        known = self._decoded.setdefault(stream, [])
        if len(known) < self._log.length(str(stream)):
            known += decode_all(self._log.select_states(stream, len(known)))
        return known

    def positions(self, match: UUID, viewer: Viewer) -> list[int]:
        """The positions of an audience's events, in order."""
        records = self.of(match)
        found, end = self._positions.get((match, viewer), ([], 0))
        if end < len(records):
            for position, record in enumerate(records[end:], end + 1):
                if may_see(viewer, record.event):
                    found.append(position)
            self._positions[match, viewer] = found, len(records)
        return found

    def stored(self, match: UUID, position: int) -> bytes:
        """The stored bytes of a record."""
        return self._log.select_states_at(match, [position])[0]
