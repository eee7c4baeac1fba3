"""Audiences as people type them: `public`, `moderator`, `seat:N`, or a player's name."""

from collections.abc import Mapping, Sequence

import rich_click as click
from msgspec import Struct

from arbiter_client import Match
from domain.events import Event, Record
from domain.names import person_of, skeleton_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience, viewer
from projections.audience.matches import Course, FormerHolder, course_after
from projections.texts.plain_text import Names, person, plain

HELP = "public, moderator, seat:N, or a player's name."


class Seating(Struct, frozen=True):
    """The names of a match's players, seat by seat, and of those whom someone has replaced."""

    seats: tuple[str, ...]
    former_holders: tuple[FormerHolder, ...] = ()


def seating(records: Sequence[Record[Event] | None]) -> Seating:
    """The seating by the public events among these, which begin with the creation."""
    course: Course | None = None
    for record in records:
        course = course if record is None else course_after(course, record)
    return Seating(()) if course is None else Seating(course.row.seats, course.former)


def served_seating(match: Match) -> Seating:
    """The same of a match at a service, as everyone may know it."""
    return match.get("", Seating)


def seat_called(name: str, names: Names) -> int | None:
    """The seat of this name: as it is written, or else however spelt; None if there is none, or
    if several sound so."""
    for form in (skeleton_of, person_of):
        seats = [seat for seat, own in enumerate(names) if form(own) == form(name)]
        if seats:
            return seats[0] if len(seats) == 1 else None
    return None


def audience_called(text: str, who: Seating) -> Viewer:
    """The audience that was typed. Someone who plays goes before someone who was replaced. Raises
    an error for the user, with all audiences that there are."""
    audience = viewer(text)
    if audience is None:
        audience = seat_called(text, who.seats)
    if audience is None:
        had = {
            holder.seat
            for holder in who.former_holders
            if person_of(holder.name) == person_of(text)
        }
        audience = had.pop() if len(had) == 1 else None
    if audience is None or (isinstance(audience, int) and audience >= len(who.seats)):
        raise click.ClickException(f"no such audience here: {plain(text)}; there are {_all(who)}")
    return audience


def _all(who: Seating) -> str:
    seats = (f"{name_audience(seat)} ({plain(name)})" for seat, name in enumerate(who.seats))
    return ", ".join((PUBLIC_VIEWER, MODERATOR, *seats))


def called(audience: str, names: Names, others: Mapping[str, str] | None = None) -> str:
    """What people call an audience, by its name on the wire: the player in a seat by name, others
    by these words, or as they are named."""
    seat = viewer(audience)
    return (
        person(seat, names)
        if isinstance(seat, int)
        else (others or {}).get(audience, plain(audience))
    )


def served_audience(match: Match, text: str | None) -> str | None:
    """The audience on the wire; None is that of the key. Raises an error for the user."""
    if text is None or viewer(text) is not None:
        return text
    return name_audience(audience_called(text, served_seating(match)))
