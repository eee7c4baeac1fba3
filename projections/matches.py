"""The public list of matches: one row per match, folded from public events only."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.match_events import (
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    SeatNamed,
)
from domain.match_state import Status
from domain.rewind_events import MatchRewound
from domain.ruling_events import MatchConfirmed, MatchVoided
from domain.ruling_kinds import RulingPeople
from projections.course import names_after
from projections.results import ShownResult, final_at_end, shown
from projections.timestamps import Timestamp, rfc3339


class MatchRow(Struct, frozen=True):
    """A match in the list. Nothing here depends on what is hidden in it. `rulings` is how many
    people certain rulings need, `replaced_by` the match that is played instead of a void one.
    `protest_hours` is how long its result is provisional: 0 if it is final at once."""

    id: str
    game: str
    seats: Annotated[
        tuple[str, ...], Meta(description="The names of those who have the seats, in order")
    ]
    status: Status
    chance: str
    clock: str
    record: str
    tournament: str | None
    created_at: Timestamp
    started_at: Timestamp | None = None
    ended_at: Timestamp | None = None
    result: ShownResult | None = None
    rulings: RulingPeople = "two"
    replaced_by: str | None = None
    protest_hours: int = 0


ENDS = (MatchEnded, MatchVoided, MatchConfirmed)
"""The events after which a match is over, or its result provisional."""

LISTED = (MatchCreated, MatchStarted, MatchPaused, MatchResumed, MatchRewound, SeatNamed, *ENDS)
"""The events that change a row."""


def list_match(match: str, row: MatchRow | None, record: Record[Event]) -> MatchRow | None:
    """The row after `record`; None before the match was created."""
    event, at = record.event, rfc3339(record.at)
    if isinstance(event, MatchCreated):
        return MatchRow(
            id=match,
            game=event.game,
            seats=(),
            status="created",
            chance=event.chance,
            clock=event.clock,
            record=event.record,
            tournament=event.tournament,
            created_at=at,
            rulings="two" if event.rulings is UNSET else event.rulings,
            protest_hours=0 if event.protest_hours is UNSET else event.protest_hours,
        )
    if row is None:
        return None
    return _played(row, event, at)


def _played(row: MatchRow, event: Event, at: str) -> MatchRow:
    match event:
        case MatchStarted():
            return replace(row, status="running", started_at=at)
        case MatchPaused():
            return replace(row, status="paused")
        case MatchRewound():
            return replace(row, ended_at=None, result=None)
        case MatchResumed():
            return replace(row, status="running")
        case SeatNamed():
            return replace(row, seats=names_after(row.seats, event))
        case MatchVoided(replaced_by):
            return replace(row, status="void", ended_at=at, result=None, replaced_by=replaced_by)
        case MatchEnded():
            ended = shown(event.result, final_at_end(event))
            return replace(row, status="ended", ended_at=at, result=ended)
        case MatchConfirmed():
            return replace(row, result=shown(row.result, final=True))
        case _:
            return row
