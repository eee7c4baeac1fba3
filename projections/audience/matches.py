"""What everyone may know of a match, folded from its public events only: its row in the list, its
course, and when it takes place and waits until, of which calendars and reminders are made."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.events import (
    AwaitingChanged,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    SeatNamed,
)
from domain.match.seats import set_seat
from domain.match.state import Status
from domain.rulings.events import (
    MatchConfirmed,
    MatchRewound,
    MatchVoided,
    ResultRuled,
    SeatReplaced,
)
from domain.rulings.kinds import RulingPeople
from domain.tournament.events import MatchCorrected
from projections.audience.results import (
    CorrectedResult,
    ShownResult,
    correct_result,
    final_at_end,
    show_result,
)
from projections.fields import Seat, Timestamp, rfc3339
from projections.texts.plain_text import Names


class MatchRow(Struct, frozen=True):
    """A match in the list. Nothing here depends on what is hidden in it. `rulings` is how many
    people certain rulings need, `replaced_by` the match that is played instead of a void one.
    `protest_hours` is how long its result is provisional: 0 if it is final at once. `title` is what
    its organiser calls it, or else that of its game, and `prize` what is played for. An
    `open_table` has no organiser: it starts when all of its seats are ready. The result of a match
    that is `ruled` was given by a ruling, and not by the rules of the game. `corrected` is there
    if the match counts otherwise in its tournament, by a ruling there."""

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
    created: Timestamp
    started: Timestamp | None = None
    ended: Timestamp | None = None
    result: ShownResult | None = None
    rulings: RulingPeople = "two"
    replaced_by: str | None = None
    protest_hours: int = 0
    title: str = ""
    prize: str | None = None
    open_table: bool = False
    ruled: bool = False
    corrected: CorrectedResult | None = None


ENDS = (MatchEnded, MatchVoided, MatchConfirmed)
"""The events after which a match is over, or its result provisional."""

LISTED = (
    MatchCreated, MatchStarted, MatchPaused, MatchResumed, MatchRewound, ResultRuled, SeatNamed,
    MatchCorrected, *ENDS,
)  # fmt: skip
"""The events that change a row. That of a correction is in the record of its tournament."""


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
            created=at,
            rulings="two" if event.rulings is UNSET else event.rulings,
            protest_hours=0 if event.protest_hours is UNSET else event.protest_hours,
            title=event.title or _title_of(event.game),
            prize=event.prize or None,
            open_table=bool(event.table),
        )
    if row is None:
        return None
    return _row_after(row, event, at)


def _title_of(game: str) -> str:
    """The title of a game; of one that is not here, its id."""
    return GAMES[game].title if game in GAMES else game


def names_after(names: Names, event: Event) -> tuple[str, ...]:
    """The names of the seats, in order, after an event: that of the next seat, or another one."""
    if not isinstance(event, SeatNamed) or not 0 <= event.seat <= len(names):
        return tuple(names)
    return set_seat(names, event.seat, event.name)


def _row_after(row: MatchRow, event: Event, at: str) -> MatchRow:
    match event:
        case MatchStarted():
            return replace(row, status="running", started=at)
        case MatchPaused() | MatchResumed():
            return replace(row, status="paused" if isinstance(event, MatchPaused) else "running")
        case MatchRewound():
            return replace(row, ended=None, result=None, ruled=False)
        case ResultRuled():
            return replace(row, ruled=True)
        case SeatNamed():
            return replace(row, seats=names_after(row.seats, event))
        case MatchVoided(replaced_by):
            voided = replace(row, status="void", ended=at, result=None, ruled=False)
            return replace(voided, replaced_by=replaced_by)
        case MatchEnded():
            result = show_result(event.result, final_at_end(event))
            return replace(row, status="ended", ended=at, result=result)
        case MatchConfirmed():
            return replace(row, result=show_result(row.result, final=True))
        case MatchCorrected(_, result):
            return replace(row, corrected=correct_result(row.result, result))
    return row


# The course of a match.


class FormerHolder(Struct, frozen=True):
    """Who had a seat, by name, until another person took it over (RFC 3339)."""

    seat: Seat
    name: str
    until: Timestamp


class Course(Struct, frozen=True):
    """A match as its public events tell it, the same for every audience: its row without an id,
    `former` those who had a seat before, and the end of the protest window."""

    row: MatchRow
    former: tuple[FormerHolder, ...] = ()
    protests_until: Timestamp | None = None


CHANGES: frozenset[type[Event]] = frozenset({*LISTED, SeatReplaced})
"""The events that change the course of a match."""


def course_after(course: Course | None, record: Record[Event]) -> Course | None:
    """The course after an event; None before the match was created."""
    event = record.event
    row = list_match("", None if course is None else course.row, record)
    if row is None or course is None:
        return None if row is None else Course(row)
    course = replace(course, row=row)
    match event:
        case MatchEnded(_, until):
            return replace(course, protests_until=None if until is UNSET else rfc3339(until))
        case SeatReplaced(seat):
            former = FormerHolder(seat, row.seats[seat], rfc3339(record.at))
            return replace(course, former=(*course.former, former))
        case _:
            return course


# When a match takes place.

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

    @property
    def until(self) -> int | None:
        """The deadline in force, in microseconds, if there is one."""
        return None if self.in_force is None else self.in_force.deadline


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
    has_passed = record.at >= (before.awaiting.deadline or 0)
    return replace(before, state="passed" if has_passed else "lifted")
