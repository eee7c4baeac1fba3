"""Calendars are valid by RFC 5545, and the same event is the same whenever it is read."""

from datetime import UTC, datetime
from typing import Any

from icalendar import Calendar
from msgspec.structs import replace

from domain.match.events import AwaitingChanged
from projections.audience.matches import DeadlineState, MatchRow, ScheduledDeadline, ScheduledMatch
from projections.fields import rfc3339
from service.notices.calendar_feed import CalendarSubject, RoundTimes, calendar_feed
from tests.support.instants import NOON, SECOND

BASE = "https://play.example"
HOUR = 3_600 * SECOND
LONG = "Ünal, who; has \\ a name of many letters, each of them dear to all who know her"
ROW = MatchRow(
    "m1", "dollar-prize", ("Ann", "Ben"), "running", "server", "rules", "opened_at_end", None,
    rfc3339(NOON), rfc3339(NOON + SECOND // 2),
)  # fmt: skip


def a_deadline(at: int, state: DeadlineState = "in_force") -> ScheduledDeadline:
    return ScheduledDeadline(AwaitingChanged((0,), phase="bid", deadline=at), state)


RUNNING = ScheduledMatch(ROW, NOON + SECOND, 2, a_deadline(NOON + HOUR))


def feed(*matches: ScheduledMatch) -> bytes:
    return calendar_feed(CalendarSubject("Arbiter", matches), BASE)


def events(text: bytes) -> dict[str, Any]:
    return {str(one["uid"]): one for one in Calendar.from_ical(text).walk("VEVENT")}


def statuses(*matches: ScheduledMatch) -> list[str]:
    return [str(one["status"]) for one in events(feed(*matches)).values()]


def test_a_calendar_is_as_rfc_5545_says() -> None:
    """Lines are folded and end in CRLF, times are UTC, and events have what they must."""
    named = replace(RUNNING, row=replace(ROW, seats=(LONG, "Ben")))
    text = feed(named)
    assert text.startswith(b"BEGIN:VCALENDAR\r\n") and text.endswith(b"END:VCALENDAR\r\n")
    lines = text.split(b"\r\n")
    assert all(len(line) <= 75 and b"\n" not in line for line in lines)
    assert any(line.startswith(b" ") for line in lines)
    assert b"DTSTART:20260101T120000Z" in lines and b"DTSTAMP:20260101T120001Z" in lines
    assert b"REFRESH-INTERVAL;VALUE=DURATION:PT15M" in lines
    assert LONG in events(text)["match-m1"]["summary"]
    read = Calendar.from_ical(text)
    assert read.errors == [] and read["version"] == "2.0" and read["prodid"]
    for event in read.walk("VEVENT"):
        assert event.errors == []
        assert {"UID", "DTSTAMP", "DTSTART", "STATUS", "SEQUENCE", "SUMMARY"} <= set(event)


def test_a_deadline_that_moves_keeps_its_uid_and_has_a_higher_sequence() -> None:
    later = replace(RUNNING, revision=3, deadline=a_deadline(NOON + 2 * HOUR))
    before, after = (events(feed(one))["deadline-m1"] for one in (RUNNING, later))
    assert before["sequence"] < after["sequence"]
    assert before.decoded("dtstart") == datetime(2026, 1, 1, 13, tzinfo=UTC)
    assert after.decoded("dtstart") == datetime(2026, 1, 1, 14, tzinfo=UTC)
    assert str(after["description"]) == "Awaited: Ann"
    assert feed(RUNNING) == feed(RUNNING)


def test_what_is_void_or_lifted_is_cancelled_and_what_has_passed_is_not() -> None:
    assert statuses(RUNNING) == ["CONFIRMED", "CONFIRMED"]
    lifted = replace(RUNNING, deadline=a_deadline(NOON + HOUR, "lifted"))
    assert statuses(lifted) == ["CONFIRMED", "CANCELLED"]
    passed = replace(RUNNING, deadline=a_deadline(NOON + HOUR, "passed"))
    assert statuses(passed) == ["CONFIRMED", "CONFIRMED"]
    void = replace(lifted, row=replace(ROW, status="void", ended=rfc3339(NOON + HOUR)))
    assert statuses(void) == ["CANCELLED", "CANCELLED"]


def test_an_end_is_later_than_the_start_or_not_said() -> None:
    ended = replace(ROW, status="ended", ended=rfc3339(NOON + HOUR))
    at_once = replace(ended, ended=rfc3339(NOON + SECOND * 3 // 4))
    for row, said in ((ended, True), (at_once, False), (ROW, False)):
        assert ("dtend" in events(feed(replace(RUNNING, row=row)))["match-m1"]) == said


def test_published_rounds_have_their_times() -> None:
    first = RoundTimes(1, "Swiss", 1, NOON, NOON + HOUR, withdrawn=False)
    second = RoundTimes(1, "Swiss", 2, NOON + HOUR, None, withdrawn=True)
    subject = CalendarSubject("Cup", [RUNNING], "c1", [first, second])
    found = events(calendar_feed(subject, BASE))
    assert str(found["match-m1"]["summary"]) == "Cup: Ann, Ben (Dollar Prize)"
    assert [uid for uid in found if "round" in uid] == ["stage-1-round-1-c1", "stage-1-round-2-c1"]
    one, two = found["stage-1-round-1-c1"], found["stage-1-round-2-c1"]
    assert (one["summary"], one["status"]) == ("Cup, Swiss, round 1", "CONFIRMED")
    assert one["dtend"].dt == datetime(2026, 1, 1, 13, tzinfo=UTC)
    assert (two["status"], two["sequence"], "dtend" in two) == ("CANCELLED", 1, False)
    extended = subject._replace(published=[first._replace(ends=NOON + 2 * HOUR, longer=3600)])
    later = events(calendar_feed(extended, BASE))["stage-1-round-1-c1"]
    assert later["dtend"].dt == datetime(2026, 1, 1, 14, tzinfo=UTC)
    assert later["sequence"] > one["sequence"]


def test_a_name_is_escaped_wherever_it_stands() -> None:
    name = 'A; B, C\\D: "E"\nATTENDEE:x\r\nEND:VCALENDAR'
    named = replace(RUNNING, row=replace(ROW, seats=(name, "Ben")))
    text = calendar_feed(CalendarSubject(name, [named], "t"), BASE)
    lines = text.replace(b"\r\n ", b"").split(b"\r\n")
    escaped = b'A\\; B\\, C\\\\D: "E"\\nATTENDEE:x\\nEND:VCALENDAR'
    assert b"NAME:" + escaped in lines and b"X-WR-CALNAME:" + escaped in lines
    assert not any(line.startswith(b"ATTENDEE") for line in lines)
    read = Calendar.from_ical(text)
    assert read.errors == []
    assert str(events(text)["match-m1"]["summary"]).startswith("A; B, C\\D")


def test_a_calendar_of_nothing_has_a_component() -> None:
    """What has no time yet is not in it."""
    text = feed(ScheduledMatch(replace(ROW, status="created", started=None), NOON))
    (component,) = Calendar.from_ical(text).subcomponents
    assert component.name == "VTIMEZONE" and events(text) == {}
    assert b"TZOFFSETTO:+0000" in text and b"DTSTART:19700101T000000\r\n" in text
    assert [one.name for one in Calendar.from_ical(feed(RUNNING)).subcomponents] == ["VEVENT"] * 2
