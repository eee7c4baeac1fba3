"""The time line of a match: who did what, when it was received and recorded, what came of it, and
who could see it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.commands import CONFLICTS, DRAW_CODES, REUSED_KEY, REUSED_KEY_TEXT
from domain.events import Event, Record, stored_name
from domain.games import rules_of
from domain.live import undoes, undone
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    DrawRefused,
    MatchCreated,
    SubmissionInvalid,
    is_input,
)
from projections import event_text
from projections.actor_text import actor
from projections.course import names_after
from projections.disclosure import Viewer, audience_of, may_see, named
from projections.draw_check import CheckedDraw, checked_draws
from projections.housekeeping import is_housekeeping
from projections.lines import in_own_numbers, own_number
from projections.name_salts import own_records
from projections.plain_text import Names
from projections.timestamps import instant, rfc3339

Numbered = tuple[int, Record[Event] | None]
"""A record with its number in the count of its reader, from 1; None is a record that is sealed to
the reader, who knows only that it exists."""

SEALED_ENTRY = "sealed"


class TimelineEntry(Struct, frozen=True):
    """One event on the time line. Times are RFC 3339, in UTC.

    `at` is when its input was received, `recorded` when that was put on the record. `cause` is the
    number of the input from which it follows, None for an input itself and where that is unknown.
    Where something was refused or found invalid `code` says by which rule and `rule` what it says.
    `seen_by` is the audience by its name on the wire; `housekeeping` serves the service alone;
    `undone_by` is the number of the event of a ruling that undid this one.
    """

    number: int
    record: Record[Event] | None
    what: str
    type: str | None = None
    at: str | None = None
    recorded: str | None = None
    actor: str | None = None
    input: bool = False
    cause: int | None = None
    code: str | None = None
    rule: str | None = None
    seen_by: str | None = None
    draw: CheckedDraw | None = None
    housekeeping: bool = False
    undone_by: int | None = None


_TURNED_DOWN = (ActionRefused, SubmissionInvalid, DrawRefused)


class _Input(Struct, frozen=True):
    """The last input from outside."""

    number: int
    at: int
    recorded: int


def timeline(match: str, numbered: Iterable[Numbered]) -> list[TimelineEntry]:
    """The time line of a match, or of what one reader sees of it, from its first event on.

    A consequence bears the instant of its input. So an event at the very instant of the input
    before it is taken as its consequence; for a reader who sees everything this is always right.
    After a sealed event no cause is named before the next input.
    """
    records = list(numbered)
    opened = [(number, record.event) for number, record in records if record is not None]
    names, rules = _played(opened)
    draws, gone = checked_draws(match, opened), _undone(opened)
    entries: list[TimelineEntry] = []
    last: _Input | None = None
    before: Event | None = None
    for index, (number, record) in enumerate(records):
        if record is None:
            entries.append(TimelineEntry(number, None, SEALED_ENTRY))
            last = None
            continue
        if is_input(record.event, before):
            last = _Input(number, record.at, _recorded(record))
        cause = last if last is not None and last.at == record.at else None
        behind = records[index + 1][1] if index + 1 < len(records) else None
        who = actor(record.event, names, None if behind is None else behind.event)
        entry = _entry(number, record, cause, who, names, rules, draws.get(number))
        entries.append(replace(entry, undone_by=gone.get(number)))
        before = record.event
        names = names_after(names, before)
    return entries


def timeline_for(
    match: str, entries: Iterable[TimelineEntry], viewer: Viewer
) -> list[TimelineEntry]:
    """The part of these entries that a viewer sees, in its own count; it can know an entry from
    its `recorded` on.

    It is derived again from what the viewer may see and nothing else, so nothing found with the
    help of other entries, such as a cause or whether a draw derives, stays in it. For the first
    few entries it is what the viewer knew at that time.
    """
    seen = [
        (entry.number, entry.record)
        for entry in entries
        if entry.record is not None and may_see(viewer, entry.record.event)
    ]
    own = partial(own_number, [number for number, _ in seen])
    records = (in_own_numbers(record, own) for _, record in seen)
    return timeline(match, enumerate(own_records(viewer, records), 1))


def up_to(entries: Iterable[TimelineEntry], at: int) -> list[TimelineEntry]:
    """The first entries: those that were on record at this instant, in microseconds since 1970.
    What came before them was on record no later, whichever time it bears."""

    def on_record(entry: TimelineEntry) -> bool:
        return entry.recorded is None or instant(entry.recorded) <= at

    return list(takewhile(on_record, entries))


def _undone(opened: Sequence[tuple[int, Event]]) -> Mapping[int, int]:
    """The numbers of the events that were undone, each with that of the event that did it."""
    created = opened[0][1] if opened else None
    if not isinstance(created, MatchCreated) or not undoes(event for _, event in opened):
        return {}
    return undone(opened, rules_of(created).sealed_phase)


def _played(opened: Sequence[tuple[int, Event]]) -> tuple[Names, Mapping[str, str]]:
    """Who plays, and a sentence for each code that can be on the record."""
    created = opened[0][1] if opened else None
    if not isinstance(created, MatchCreated):
        return (), SENTENCES
    try:
        codes = rules_of(created).codes
    except KeyError:
        codes = {}
    return created.seats, {**SENTENCES, **codes}


SENTENCES: Mapping[str, str] = {
    **CONFLICTS,
    **DRAW_CODES,
    REUSED_KEY: REUSED_KEY_TEXT,
}
"""A sentence for every code that is not a game's own."""


def _entry(
    number: int,
    record: Record[Event],
    cause: _Input | None,
    who: str,
    names: Names,
    rules: Mapping[str, str],
    draw: CheckedDraw | None,
) -> TimelineEntry:
    event = record.event
    given = cause is not None and cause.number == number
    code = event.code if isinstance(event, _TURNED_DOWN) else None
    return TimelineEntry(
        number,
        record,
        event_text.sentence(event, names),
        stored_name(type(event)),
        rfc3339(record.at),
        rfc3339(record.at if cause is None else cause.recorded),
        who,
        given,
        None if cause is None or given else cause.number,
        code,
        None if code is None else rules.get(code),
        named(audience_of(event)),
        draw,
        is_housekeeping(event),
    )


def _recorded(record: Record[Event]) -> int:
    event = record.event
    late = event.recorded if isinstance(event, ActionReceived) else UNSET
    return record.at if late is UNSET else late
