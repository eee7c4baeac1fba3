"""How a match ended, by the events of a bundle that can be read."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.deadlines import HOUR
from domain.events import Event, Record, later
from domain.match_events import MatchCreated, MatchEnded, makes_over
from domain.rejudging import REVEALED
from domain.rewind_events import MatchRewound
from domain.ruling_events import MatchConfirmed, MatchRuled, MatchVoided, ResultRuled
from projections.evidence.case import Wrong


class Ending(Struct, frozen=True):
    """The event that ended the match, and the one right before it, if that can be read. `first` is
    the instant at which it was first ended; it is `over` once the result is final."""

    event: MatchEnded | MatchVoided
    before: Event | None
    first: int
    over: bool


def ending(created: MatchCreated, records: Sequence[Record[Event] | None]) -> Ending | None:
    """How the match ended; None if it did not. Raises Wrong if anything but seeds being revealed
    comes after it is over, or if a protest window is not as it should be."""
    found: Ending | None = None
    before: Event | None = None
    confirmed_by: int | None = None
    for index, record in enumerate(records):
        event = None if record is None else record.event
        if found is not None and found.over and event is not None:
            if not isinstance(event, REVEALED):
                raise Wrong(f"event {index} happens after the end of the match")
        elif record is not None and isinstance(event, MatchEnded | MatchVoided):
            found = _ended(created, found, before, event, record.at, index)
        elif isinstance(event, MatchRewound):
            # No end is behind the point where the match goes on.
            found = None
        elif record is not None and isinstance(event, MatchConfirmed):
            ruled = record.back > 0 and index - record.back == confirmed_by
            _check_confirmed(found, record.at, index, ruled=ruled)
            found = None if found is None else replace(found, over=True)
        elif record is not None and isinstance(event, MatchRuled) and event.kind == "confirm":
            confirmed_by = index - record.back
        before = event
    return found


def _ended(
    created: MatchCreated,
    found: Ending | None,
    before: Event | None,
    event: MatchEnded | MatchVoided,
    at: int,
    index: int,
) -> Ending:
    first = at if found is None else found.first
    if isinstance(event, MatchEnded):
        if found is not None and not isinstance(before, ResultRuled):
            raise Wrong(f"event {index} ends the match a second time")
        hours = created.protest_hours
        until = UNSET if hours is UNSET else later(first, hours * HOUR)
        if event.protests_until != until:
            raise Wrong(f"event {index} names another end of the protest window")
    return Ending(event, before, first, makes_over(event))


def _check_confirmed(found: Ending | None, at: int, index: int, *, ruled: bool) -> None:
    """Raises Wrong unless a provisional result is confirmed: by a ruling, or when its window has
    ended."""
    if found is None or not isinstance(found.event, MatchEnded):
        raise Wrong(f"event {index} confirms no result")
    until = found.event.protests_until
    if not ruled and (until is UNSET or at < until):
        raise Wrong(f"event {index} confirms the result before the protest window has ended")
