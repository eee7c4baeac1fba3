"""The time line of a match: who did what, when it was received and recorded, what came of it, and
who could see it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import PUBLIC, Event, Numbered, Record, stored_name
from domain.games import rules_of
from domain.match.commands import CONFLICTS, DRAW_CODES, REUSED_KEY, REUSED_KEY_TEXT
from domain.match.events import TURNED_DOWN, ActionReceived, Directed, MatchCreated
from domain.match.live import undoes, undone
from domain.rulings.events import MatchRuled, SeatRuled
from projections.audience.disclosure import Viewer, audience_of, may_see, name_audience
from projections.audience.lines import in_own_numbers, own_number
from projections.audience.matches import names_after
from projections.evidence.name_salts import own_records
from projections.fields import instant, rfc3339
from projections.texts import event_text
from projections.texts.actor_text import actor, known_actors
from projections.texts.plain_text import Names


class ShownRecord(NamedTuple):
    """A record as its reader has it: its number in their count, from 1, and that of its input, None
    for an input that they have not got. Without a `record` it is sealed to the reader, who knows
    only that it exists."""

    number: int
    cause: int | None
    record: Record[Event] | None


SEALED_ENTRY = "sealed"

RULED = (MatchRuled, SeatRuled)
"""The rulings of which others than moderators are told."""


class TimelineEntry(Struct, frozen=True):
    """One event on the time line. Times are RFC 3339, in UTC.

    `public_seq` is its number in the public's count, None if the public has not got it. `at` is
    when its input was received, `recorded` when that was put on the record. `cause` is the number
    of the input from which it follows, None for an input itself and where the reader has not got
    it. Where something was refused or found invalid `code` says by which rule and `rule` what it
    says. `seen_by` is the audience by its name on the wire; `housekeeping` serves the service
    alone; `undone_by` is the number of the event of a ruling that undid this one.
    """

    number: int
    record: Record[Event] | None
    what: str
    public_seq: int | None = None
    type: str | None = None
    at: str | None = None
    recorded: str | None = None
    actor: str | None = None
    input: bool = False
    cause: int | None = None
    code: str | None = None
    rule: str | None = None
    seen_by: str | None = None
    housekeeping: bool = False
    undone_by: int | None = None


def shown_whole(records: Iterable[Record[Event] | None]) -> Iterator[ShownRecord]:
    """The records of a whole match by their positions; those that are sealed are None."""
    for position, record in enumerate(records, 1):
        yield ShownRecord(position, None if record is None else position - record.back, record)


def shown_to(
    viewer: Viewer, positions: Sequence[int], records: Iterable[Record[Event]]
) -> list[ShownRecord]:
    """The records of one reader, which stand at these positions of the whole, in their numbers.

    Of a ruling whose input they may not see they are shown the ruling itself as the input: so
    no one learns whether the last seat's consent carried it out.
    """
    renumbered = (in_own_numbers(record, partial(own_number, positions)) for record in records)
    numbers = {position: number for number, position in enumerate(positions, 1)}
    causes, records_shown = dict(numbers), list[ShownRecord]()
    for (position, number), record in zip(
        numbers.items(), own_records(viewer, renumbered), strict=True
    ):
        if isinstance(record.event, RULED):
            causes.setdefault(position - record.back, number)
        records_shown.append(ShownRecord(number, causes.get(position - record.back), record))
    return records_shown


class Dated(NamedTuple):
    """A record of a time line and when it was put on the record, without what an entry says of it.
    Times are RFC 3339; both are None for one that is sealed."""

    number: int
    record: Record[Event] | None
    recorded: str | None


def dated(lines: Sequence[ShownRecord]) -> list[Dated]:
    """The records of a time line with their times."""
    records = {entry.number: entry.record for entry in lines if entry.record is not None}

    def recorded(cause: int | None, record: Record[Event] | None) -> str | None:
        first = record if cause is None else records.get(cause, record)
        return None if first is None else rfc3339(_recorded_at(first))

    return [Dated(n, record, recorded(cause, record)) for n, cause, record in lines]


def timeline(
    records_shown: Iterable[ShownRecord], numbers: range | None = None
) -> list[TimelineEntry]:
    """The time line of a match, or of what one reader sees of it, from its first event on; the
    entries of these `numbers` alone, if any are given, are made and returned."""
    entries = list(records_shown)
    open_records = [
        Numbered(n, cause, record) for n, cause, record in entries if record is not None
    ]
    names: Names = ()
    rules = _sentences(open_records)
    undone_by = _find_undone(open_records)
    inputs = {numbered_event.number: numbered_event.record for numbered_event in open_records}
    directed = {
        numbered_event.cause: numbered_event.event
        for numbered_event in open_records
        if isinstance(numbered_event.event, Directed)
    }
    lines: list[TimelineEntry] = []
    public = 0
    for number, cause, record in entries:
        is_public = record is not None and record.event.audience == PUBLIC
        public += is_public
        if numbers is not None and number not in numbers:
            pass
        elif record is None:
            lines.append(TimelineEntry(number, None, SEALED_ENTRY))
        else:
            who = actor(record.event, names, directed.get(number))
            first = record if cause is None else inputs.get(cause, record)
            entry = _entry(number, cause, record, first, who, names=names, rules=rules)
            lines.append(
                replace(
                    entry, undone_by=undone_by.get(number), public_seq=public if is_public else None
                )
            )
        names = names if record is None else names_after(names, record.event)
    return lines


def shown_again(entry: TimelineEntry) -> ShownRecord:
    """What an entry was made of."""
    return ShownRecord(entry.number, entry.number if entry.input else entry.cause, entry.record)


def timeline_for(entries: Iterable[TimelineEntry], viewer: Viewer) -> list[TimelineEntry]:
    """The part of these entries, which are numbered by position, that a viewer sees, in its own
    count; it can know an entry from its `recorded` on.

    It is derived again from what the viewer may see and nothing else, so nothing found with the
    help of other entries, such as a cause, stays in it. For the first few entries it is what the
    viewer knew at that time.
    """
    own_entries = [
        (entry.number, entry.record)
        for entry in entries
        if entry.record is not None and may_see(viewer, entry.record.event)
    ]
    positions = [number for number, _ in own_entries]
    return timeline(shown_to(viewer, positions, [record for _, record in own_entries]))


def up_to(entries: Iterable[TimelineEntry], at: int) -> list[TimelineEntry]:
    """The first entries: those that were on record at this instant, in microseconds since 1970.
    What came before them was on record no later, whichever time it bears."""

    def on_record(entry: TimelineEntry) -> bool:
        return entry.recorded is None or instant(entry.recorded) <= at

    return list(takewhile(on_record, entries))


def _find_undone(open_records: Sequence[Numbered]) -> Mapping[int, int]:
    """The numbers of the events that were undone, each with that of the event that did it."""
    created = open_records[0].event if open_records else None
    if not isinstance(created, MatchCreated) or not undoes(entry.event for entry in open_records):
        return {}
    return undone(open_records, rules_of(created).sealed_phase)


def _sentences(open_records: Sequence[Numbered]) -> Mapping[str, str]:
    """A sentence for each code that can be on the record."""
    created = open_records[0].event if open_records else None
    if not isinstance(created, MatchCreated):
        return SENTENCES
    try:
        codes = rules_of(created).codes
    except KeyError:
        codes = {}
    return {**SENTENCES, **codes}


SENTENCES: Mapping[str, str] = {**CONFLICTS, **DRAW_CODES, REUSED_KEY: REUSED_KEY_TEXT}
"""A sentence for every code that is not a game's own."""


def _entry(
    number: int,
    cause: int | None,
    record: Record[Event],
    first: Record[Event],
    who: str,
    *,
    names: Names,
    rules: Mapping[str, str],
) -> TimelineEntry:
    """The entry of a record, whose input was `first`."""
    event, is_input = record.event, cause == number
    code = event.code if isinstance(event, TURNED_DOWN) else None
    return TimelineEntry(
        number,
        record,
        event_text.account(event, names),
        type=stored_name(type(event)),
        at=rfc3339(record.at),
        recorded=rfc3339(_recorded_at(first)),
        actor=who,
        input=is_input,
        cause=None if is_input else cause,
        code=code,
        rule=None if code is None else rules.get(code),
        seen_by=name_audience(audience_of(event)),
        housekeeping=stored_name(type(event)) in known_actors().housekeeping,
    )


def _recorded_at(record: Record[Event]) -> int:
    event = record.event
    late = event.recorded if isinstance(event, ActionReceived) else UNSET
    return record.at if late is UNSET else late
