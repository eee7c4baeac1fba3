"""Follows the log for the schedule of matches, from a position of its own."""

from collections.abc import Mapping, Sequence

from domain.events import stored_name
from projections.schedule import SCHEDULED, ScheduledMatch, schedule_match
from service.event_store.recorder import Log
from service.notices.public_records import PublicRecord, decoded
from service.notices.schedule_table import ScheduleTable

PAGE = 1_000
"""Maximum public records that are read and applied in one transaction."""

PAGES = 100
"""Maximum pages of one call: the first one may have the whole log before it."""

FAR = 1_000
"""How far the log may grow without such a record before the position is written."""

_TOPICS = [stored_name(kind) for kind in SCHEDULED]


class ScheduleReader:
    """Reads one store's log for its schedule. All methods block."""

    def __init__(self, log: Log, table: ScheduleTable) -> None:
        self._log = log
        self._table = table

    def follow(self) -> bool:
        """Reads towards the present end of the log. Returns whether it was reached. Raises
        PersistenceError."""
        end = self._log.max_notification_id() or 0
        return any(not self._follow_page(end) for _ in range(PAGES))

    def _follow_page(self, end: int) -> bool:
        """Applies a page. True if there may be more."""
        position = self._table.position()
        if end <= position:
            return False
        stored = self._log.select_log(position, end, _TOPICS, PAGE)
        if not stored and end - position <= FAR:
            return False
        page, full = decoded(stored), len(stored) == PAGE
        reached = stored[-1][0] if full else end
        known = self._table.matches({read.stream for read in page})
        # Another instance that was faster leaves the rest to be read again.
        return not self._table.advance(position, reached, changed(page, known)) or full


def changed(
    page: Sequence[PublicRecord], known: Mapping[str, ScheduledMatch]
) -> list[ScheduledMatch]:
    """The matches that a page of the log changes, as they are behind it."""
    after = dict(known)
    for read in page:
        match = schedule_match(read.stream, after.get(read.stream), read.record)
        # Without one its creation could not be read: the record is closed.
        if match is not None:
            after[read.stream] = match
    return [match for name, match in after.items() if match is not known.get(name)]
