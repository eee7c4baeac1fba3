"""Pages of the log, of the stored names that the index reads."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from eventsourcing.persistence import ApplicationRecorder


@runtime_checkable
class QuickLog(Protocol):
    """A recorder that reads the log without wrapping each record."""

    def select_log(
        self, position: int, upto: int, topics: Sequence[str], limit: int
    ) -> list[tuple[int, str, bytes]]: ...


def select_log(
    recorder: ApplicationRecorder, position: int, upto: int, topics: Sequence[str], limit: int
) -> list[tuple[int, str, bytes]]:
    """The records with these stored names after `position` of the log, up to `upto`: position,
    stream and stored bytes of each. `limit` is the maximum number of records."""
    if isinstance(recorder, QuickLog):
        return recorder.select_log(position, upto, topics, limit)
    page = recorder.select_notifications(position, limit, upto, topics, inclusive_of_start=False)
    return [(stored.id, str(stored.originator_id), stored.state) for stored in page]
