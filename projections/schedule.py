"""When matches take place and wait until: what calendars and reminders are made from, folded from
public events only."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.match_events import AwaitingChanged, MatchPaused
from projections.matches import ENDS, LISTED, MatchRow, list_match

DeadlineState = Literal["in_force", "passed", "lifted"]

SCHEDULED = (*LISTED, AwaitingChanged)
"""The events that change a scheduled match."""


class ScheduledDeadline(Struct, frozen=True):
    """The last deadline that was set, with whom it is for. It is `lifted` if it was no longer in
    force before its instant: all was in, or the match was paused or ended."""

    awaiting: AwaitingChanged
    state: DeadlineState = "in_force"


class ScheduledMatch(Struct, frozen=True):
    """A match in the public list, and its deadline. `revision` counts the changes of either; the
    last one was at the instant `revised`, in microseconds."""

    row: MatchRow
    revised: int
    revision: int = 0
    deadline: ScheduledDeadline | None = None

    @property
    def in_force(self) -> AwaitingChanged | None:
        """Whom the match awaits until the deadline in force, if there is one."""
        deadline = self.deadline
        return deadline.awaiting if deadline and deadline.state == "in_force" else None


def schedule_match(
    match: str, before: ScheduledMatch | None, record: Record[Event]
) -> ScheduledMatch | None:
    """The match after `record`; None before it was created."""
    row = list_match(match, None if before is None else before.row, record)
    if row is None or before is None:
        return None if row is None else ScheduledMatch(row, record.at)
    if len(row.seats) > len(before.row.seats):
        return replace(before, row=row)  # A seat's first name still belongs to the creation.
    deadline = _deadline(before.deadline, record)
    if (row, deadline) == (before.row, before.deadline):
        return before
    return ScheduledMatch(row, record.at, before.revision + 1, deadline)


def _deadline(before: ScheduledDeadline | None, record: Record[Event]) -> ScheduledDeadline | None:
    event = record.event
    if isinstance(event, AwaitingChanged) and event.deadline is not None:
        return ScheduledDeadline(event)
    if before is None or not isinstance(event, (AwaitingChanged, MatchPaused, *ENDS)):
        return before
    if before.state != "in_force":
        return before
    passed = record.at >= (before.awaiting.deadline or 0)
    return replace(before, state="passed" if passed else "lifted")
