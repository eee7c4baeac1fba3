"""The history of a simulation, as its checks look at it."""

from bisect import bisect_right
from uuid import UUID

from projections.audience.disclosure import Viewer
from tests.simulation.simulation_history import Answered, History, LineRead, Viewed
from tests.simulation.stored_records import StoredRecords


class CheckedHistory:
    """One history. `records` has what is on record at the end."""

    def __init__(self, history: History, records: StoredRecords, match_ids: set[UUID]) -> None:
        self.history, self.records = history, records
        self.answers = [entry for entry in history if isinstance(entry, Answered)]
        self.views = [entry for entry in history if isinstance(entry, Viewed)]
        self.lines = [entry for entry in history if isinstance(entry, LineRead)]
        self.matches = sorted(match_ids)

    def visible(self, match: UUID, viewer: Viewer, length: int) -> int:
        """The number of an audience's events among the first `length`."""
        return bisect_right(self.records.positions(match, viewer), length)
