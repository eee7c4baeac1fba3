"""The public list of matches: one row per match, folded from public events only."""

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.game import Result
from domain.match_events import (
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
)
from domain.match_state import Status
from domain.ruling_events import MatchVoided, SeatReplaced
from domain.ruling_kinds import RulingPeople
from projections.timestamps import rfc3339


class MatchRow(Struct, frozen=True):
    """A match in the list. Nothing here depends on what is hidden in it. `rulings` is how many
    people certain rulings need, `replaced_by` the match that is played instead of a void one."""

    id: str
    game: str
    seats: tuple[str, ...]
    status: Status
    chance: str
    clock: str
    record: str
    tournament: str | None
    created_at: str
    started_at: str | None = None
    ended_at: str | None = None
    result: Result | None = None
    rulings: RulingPeople = "two"
    replaced_by: str | None = None


OVER = (MatchEnded, MatchVoided)
"""The events after which a match is over."""

LISTED = (MatchCreated, MatchStarted, MatchPaused, MatchResumed, SeatReplaced, *OVER)
"""The events that change a row."""


def list_match(match: str, row: MatchRow | None, record: Record[Event]) -> MatchRow | None:
    """The row after `record`; None before the match was created."""
    event, at = record.event, rfc3339(record.at)
    if isinstance(event, MatchCreated):
        return MatchRow(
            match,
            event.game,
            event.seats,
            "created",
            event.chance,
            event.clock,
            event.record,
            event.tournament,
            at,
            rulings="two" if event.rulings is UNSET else event.rulings,
        )
    if row is None:
        return None
    match event:
        case MatchStarted():
            return replace(row, status="running", started_at=at)
        case MatchPaused():
            return replace(row, status="paused")
        case MatchResumed():
            return replace(row, status="running")
        case SeatReplaced(seat, name):
            seats = (*row.seats[:seat], name, *row.seats[seat + 1 :])
            return replace(row, seats=seats)
        case MatchVoided(replaced_by):
            return replace(row, status="void", ended_at=at, replaced_by=replaced_by)
        case MatchEnded(result):
            return replace(row, status="ended", ended_at=at, result=result)
        case _:
            return row
