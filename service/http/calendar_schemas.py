"""What is sent and answered about calendars."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from projections.fields import Player
from projections.timestamps import Timestamp, rfc3339
from service.http.tournament_schemas import Number
from service.notices.registrations import Calendar


class NewCalendar(Struct, frozen=True, forbid_unknown_fields=True):
    """A calendar of one match, or of one tournament; `player` chooses whose matches of it. Without
    either it is of what the key is for."""

    match: UUID | None = None
    tournament: UUID | None = None
    player: Number | None = None


class ShownCalendar(Struct, frozen=True):
    """A calendar, without its address."""

    id: str
    match: str | None
    tournament: str | None
    player: Player | None
    since: Timestamp


class MadeCalendar(ShownCalendar, frozen=True):
    """A new calendar. Its address is shown once: null in the answer to a repeated request."""

    link: Annotated[str | None, Meta(description="What to subscribe to in a calendar program")]


class CalendarList(Struct, frozen=True):
    """Calendars, in the order in which they were made."""

    calendars: list[ShownCalendar]


def shown_fields(calendar: Calendar) -> tuple[str, str | None, str | None, int | None, str]:
    """A calendar as it is shown."""
    since = rfc3339(calendar.since)
    return calendar.id, calendar.match, calendar.tournament, calendar.player, since
