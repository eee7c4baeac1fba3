"""The course of a match: when it was created, started and ended, and who has had its seats. A fold
of public events, so it is the same for every audience."""

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import Event, Instant, Record
from domain.match_events import MatchCreated, MatchEnded, MatchStarted, SeatNamed
from domain.ruling_events import MatchVoided, SeatReplaced
from domain.seats import seated
from projections.fields import Seat
from projections.plain_text import Names
from projections.timestamps import Timestamp, rfc3339


class FormerHolder(Struct, frozen=True):
    """Who had a seat, by name, until somebody else took it over (RFC 3339)."""

    seat: Seat
    name: str
    until: Timestamp


class Course(Struct, frozen=True):
    """`seats` are the names of those who have the seats now, as far as they are named, `former`
    those who had one before. `protests_until` is the end of the protest window, `replaced_by` the
    match that is played instead of a void one."""

    seats: tuple[str, ...]
    created: Instant
    started: Instant | None = None
    ended: Instant | None = None
    protests_until: Instant | None = None
    replaced_by: str | None = None
    former: tuple[FormerHolder, ...] = ()


CHANGES: frozenset[type[Event]] = frozenset(
    {MatchCreated, MatchStarted, MatchEnded, MatchVoided, SeatReplaced, SeatNamed}
)
"""The events that change the course of a match."""


def course_after(course: Course | None, record: Record[Event]) -> Course | None:
    """The course after an event; None before the match was created."""
    event, at = record.event, record.at
    if isinstance(event, MatchCreated):
        return Course((), at)
    if course is None:
        return None
    match event:
        case MatchStarted():
            return replace(course, started=at)
        case MatchEnded(_, until):
            return replace(course, ended=at, protests_until=None if until is UNSET else until)
        case MatchVoided(replaced_by):
            return replace(course, ended=at, replaced_by=replaced_by)
        case SeatReplaced(seat):
            left = FormerHolder(seat, course.seats[seat], rfc3339(at))
            return replace(course, former=(*course.former, left))
        case SeatNamed():
            return replace(course, seats=names_after(course.seats, event))
        case _:
            return course


def names_after(names: Names, event: Event) -> tuple[str, ...]:
    """The names of the seats, in order, after an event: that of the next seat, or another one."""
    if not isinstance(event, SeatNamed) or not 0 <= event.seat <= len(names):
        return tuple(names)
    return seated(names, event.seat, event.name)
