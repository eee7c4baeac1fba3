"""Calendars as calendar programs read them (RFC 5545): starts, ends and deadlines of matches, and
the rounds of a tournament. Everything in them is public, and follows from the schedule alone."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from domain.games import GAMES
from projections.audience.matches import ScheduledMatch
from projections.fields import instant, rfc3339

if TYPE_CHECKING:
    from icalendar import Event, Timezone

PRODUCT = "-//Arbiter//Calendar//EN"

REFRESH = timedelta(minutes=15)
"""How often programs are asked to read again (RFC 7986, 5.7)."""


class RoundTimes(NamedTuple):
    """A published round of a stage: since when and until when it is played, in microseconds, and by
    how many seconds it has been made longer."""

    stage: int
    name: str
    number: int
    starts: int
    ends: int | None
    withdrawn: bool
    longer: int = 0


class CalendarSubject(NamedTuple):
    """What a calendar is of: its name, its matches, and of a tournament the rounds that were
    `published`."""

    name: str
    matches: Sequence[ScheduledMatch]
    tournament: str | None = None
    published: Sequence[RoundTimes] = ()


def calendar_feed(subject: CalendarSubject, base: str) -> bytes:
    """The calendar as text; links in it begin with `base`. The same facts are the same bytes."""
    # Imported only here: it takes longer to load than the rest of a command line.
    from icalendar import Calendar, vText

    feed = Calendar()
    feed.add("prodid", PRODUCT)
    feed.add("version", "2.0")
    feed.add("method", "PUBLISH")
    # Named as a text, or the library would not escape it here (RFC 5545, 3.3.11).
    feed.add("name", vText(subject.name))
    feed.add("x-wr-calname", vText(subject.name))
    feed.add("refresh-interval", REFRESH, parameters={"value": "DURATION"})
    for event in _events(subject, base):
        feed.add_component(event)
    if not feed.subcomponents:
        feed.add_component(_utc())
    encoded: bytes = feed.to_ical()
    return encoded


def _utc() -> "Timezone":
    """The component of an empty calendar, which must have one (RFC 5545, 3.6): the zone of its
    times, which programs do not show."""
    from icalendar import Timezone, TimezoneStandard

    observance, zone = TimezoneStandard(), Timezone()
    observance.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001  local time, 3.8.2.4
    observance.add("tzoffsetfrom", timedelta())
    observance.add("tzoffsetto", timedelta())
    zone.add("tzid", "Etc/UTC")
    zone.add_component(observance)
    return zone


def _events(subject: CalendarSubject, base: str) -> "Iterator[Event]":
    for round_ in subject.published:
        yield _published(subject, round_, base)
    for match in subject.matches:
        yield from _match(subject, match, base)


def _match(subject: CalendarSubject, match: ScheduledMatch, base: str) -> "Iterator[Event]":
    """The match from its start on, and its last deadline."""
    row, title = match.row, _title(subject, match)
    link = f"{base}/m/{row.id}"
    void = row.status == "void"
    if row.started is not None:
        event = _event(f"match-{row.id}", title, match.revision, match.revised, link)
        _takes_place(event, instant(row.started), row.ended, cancelled=void)
        yield event
    if match.deadline is not None and match.deadline.awaiting.deadline is not None:
        names = ", ".join(row.seats[seat] for seat in match.deadline.awaiting.seats)
        event = _event(
            f"deadline-{row.id}", f"Deadline: {title}", match.revision, match.revised, link
        )
        if names:
            event.add("description", f"Awaited: {names}")
        lifted = void or match.deadline.state == "lifted"
        _takes_place(event, match.deadline.awaiting.deadline, None, cancelled=lifted)
        yield event


def _published(subject: CalendarSubject, round_: RoundTimes, base: str) -> "Event":
    """A round. It never changes but by becoming longer and by being withdrawn: the seconds count
    its changes."""
    event = _event(
        f"stage-{round_.stage}-round-{round_.number}-{subject.tournament}",
        f"{subject.name}, {round_.name}, round {round_.number}",
        round_.longer + int(round_.withdrawn),
        round_.starts,
        f"{base}/t/{subject.tournament}",
    )
    ends = None if round_.ends is None else rfc3339(round_.ends)
    _takes_place(event, round_.starts, ends, cancelled=round_.withdrawn)
    return event


def _event(uid: str, summary: str, revision: int, revised: int, link: str) -> "Event":
    from icalendar import Event

    event = Event()
    event.add("uid", uid)
    event.add("summary", summary)
    event.add("sequence", revision)
    event.add("dtstamp", _when(revised))
    event.add("last-modified", _when(revised))
    event.add("url", link)
    event.add("transp", "TRANSPARENT")
    return event


def _takes_place(event: "Event", start: int, end: str | None, *, cancelled: bool) -> None:
    began = _when(start)
    event.add("dtstart", began)
    # An end is later than the start (RFC 5545, 3.8.2.2).
    if end is not None and _when(instant(end)) > began:
        event.add("dtend", _when(instant(end)))
    event.add("status", "CANCELLED" if cancelled else "CONFIRMED")


def _title(subject: CalendarSubject, match: ScheduledMatch) -> str:
    row = match.row
    title = f"{', '.join(row.seats)} ({GAMES[row.game].title})"
    return title if subject.tournament is None else f"{subject.name}: {title}"


def _when(microseconds: int) -> datetime:
    """The instant in whole seconds: calendars have no fractions."""
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC)
