"""`arbiter audit`: who did what in a match, and who could know it from when, to settle disputes."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import rich_click as click
from msgspec import Struct
from rich.table import Table
from rich.text import Text

from projections.audience.disclosure import Viewer, name_audience
from projections.audience.event_numbers import public_number
from projections.evidence.facts import find_entries
from projections.evidence.knowledge import Knowledge, Known, Look, own_numbers
from projections.evidence.timeline import TimelineEntry, shown_again, timeline, timeline_for, up_to
from projections.fields import instant
from projections.texts.plain_text import quote_name
from service.cli.audiences import HELP
from service.cli.auditing.audit_output import (
    entry_fields,
    fact_fields,
    heading,
    listing,
    reader_called,
    readers_table,
    spaced,
    summary,
    timeline_numbering,
    timeline_table,
)
from service.cli.auditing.audit_sources import UNVERIFIED, Source, origin_errors, source_of
from service.cli.console import err, out
from service.cli.playing.typed_match import Place, at_a_place
from service.cli.rulings.ruling_fields import INSTANT


class AuditQuestion(Struct, frozen=True):
    """What is asked of a source: about which reader, and the entries up to the time in question,
    which ended at the instant `until`, in microseconds."""

    reader: Viewer | None
    at: str | None
    entries: Sequence[TimelineEntry]
    until: int | None = None


@click.command()
@click.option("--as", "audience", help=f"Read as {HELP} [default: all there is]")
@click.option(
    "--fact",
    help="Who could know it: p6 (the public's event 6), its number here, or words and name=value.",
)
@click.option("--who", help="Of one reader alone: a player's name, seat:N, public, moderator.")
@click.option(
    "--at",
    help="Up to then: RFC 3339, p6 for the public's event 6, or a number (with --who in that "
    "reader's count).",
)
@click.option(
    "--all", "everything", is_flag=True, help="Show what the service records for itself, too."
)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each event or fact.")
@at_a_place
def audit(
    place: Place,
    data: Path,
    audience: str | None,
    fact: str | None,
    who: str | None,
    at: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Show who did what in MATCH and when, why it was refused, how draws came out, and who saw it;
    or, with --fact, who could know one thing, from when, and who has looked.

    MATCH is its id, at --url or in the store; the path of a bundle (.arb);
    or the address of a match on a running service, like https://play.example.org/v1/matches/ID. A
    service is read as far as the key allows. The store is for those who run it.
    """
    source = source_of(place, data, audience, reads=fact is not None)
    with origin_errors(source.origin):
        question = _question(source, who, at)
        if source.origin == "bundle":
            (err if as_json else out).print(f"{UNVERIFIED}\n", style="bold yellow")
        if fact is None:
            _show_timeline(source, question, everything, as_json)
        else:
            _show_facts(source, question, fact, as_json)


# What is asked.


def _question(source: Source, who: str | None, at: str | None) -> AuditQuestion:
    reader = None if who is None else source.reader(who)
    entries = source.entries
    if at is None:
        return AuditQuestion(reader, at, entries)
    public = public_number(at)
    if public is not None:
        numbers = [entry.number for entry in entries if entry.public_seq is not None]
    elif not at.isdecimal():
        return _until(reader, at, entries)
    elif reader is None:
        numbers = [entry.number for entry in entries]
    else:
        numbers = list(own_numbers(_check_shows(source, reader), entries))
    count = int(at[:9]) if public is None else public
    if count > len(numbers):
        whose = "there are" if public is None else "the public has"
        raise click.ClickException(f"{whose} only {len(numbers)} events, not {at}")
    last = numbers[count - 1] if count else 0
    first = [entry for entry in entries if entry.number <= last]
    # It ended when the next one was recorded; None if that is not known, or not yet.
    then = entries[len(first)].recorded if len(first) < len(entries) else None
    return AuditQuestion(reader, f"event {at}", first, None if then is None else instant(then))


def _until(reader: Viewer | None, at: str, entries: Sequence[TimelineEntry]) -> AuditQuestion:
    try:
        until = instant(at)
        return AuditQuestion(reader, at, up_to(entries, until), until)
    except (ValueError, OverflowError):
        raise click.ClickException(f"--at {at}: p6, a number, or an instant {INSTANT}") from None


def _check_shows(source: Source, reader: Viewer) -> Viewer:
    if not source.shows(reader):
        raise click.ClickException(f"this does not show all that {name_audience(reader)} may see")
    return reader


# The answer.


def _show_timeline(
    source: Source, question: AuditQuestion, everything: bool, as_json: bool
) -> None:
    if question.reader is not None:
        reader = _check_shows(source, question.reader)
        entries = timeline_for(question.entries, reader)
    elif question.at is not None:
        entries = timeline(map(shown_again, question.entries))
    else:
        entries = list(source.entries)
    if as_json:
        for line in [msgspec.json.encode(entry_fields(entry)) for entry in entries]:
            click.echo(line)
        return
    visible = [entry for entry in entries if everything or not entry.housekeeping]
    out.print(heading(source, f"{len(entries):,} events", question.reader, question.at))
    out.print(timeline_table(source.names, visible, timeline_numbering(entries)))
    out.print(summary(entries, len(entries) - len(visible)))


def _show_facts(source: Source, question: AuditQuestion, words: str, as_json: bool) -> None:
    facts = find_entries(source.entries, words, source.names)
    if not facts:
        raise click.ClickException(f"no event here says {words!r}")
    if any(fact.record is None for fact in facts):
        raise click.ClickException(f"event {words} is sealed here")
    until = question.until
    readings = [item for item in source.reads.readings if until is None or item.first <= until]
    knowledge = Knowledge(source.created, question.entries, source.audience, readings)
    answers = [(fact, _find_known(knowledge, fact, question.reader)) for fact in facts]
    if as_json:
        for fact, rows in answers:
            click.echo(msgspec.json.encode(fact_fields(source, fact, rows)))
        return
    numbers = timeline_numbering(source.entries)
    out.print(heading(source, f"{len(facts):,} fact{'s' * (len(facts) > 1)}", None, question.at))
    for fact, rows in answers:
        out.print(timeline_table(source.names, [fact], numbers))
        out.print()
        out.print(readers_table(source, rows, numbers))
        out.print()
        if any(item.looked for item in rows):
            out.print(looks_table(source, rows))
        out.print(not_read(source, rows))


def _find_known(knowledge: Knowledge, fact: TimelineEntry, reader: Viewer | None) -> list[Known]:
    readers = knowledge.readers if reader is None else (reader,)
    return [row for each_reader in readers for row in knowledge.of(fact, each_reader)]


def looks_table(source: Source, rows: Sequence[Known]) -> Table:
    """A row for each person to whom the fact was handed, and as which audience. What was handed out
    by a key counts as looked at."""
    table = listing("looked at by", "as", "at the earliest", "at the latest")
    for look in _first_looks(rows):
        name = "somebody" if look.person is None else quote_name(look.person)
        table.add_row(
            Text(f"{name} ({look.role})"),
            Text("" if look.audience is None else reader_called(look.audience, source)),
            Text(spaced(look.earliest)),
            Text(spaced(look.latest)),
        )
    return table


def _first_looks(rows: Sequence[Known]) -> Iterable[Look]:
    """The first look of each key as each audience, where a fact could be known in several ways."""
    first: dict[tuple[str | None, ...], Look] = {}
    for look in (look for row in rows for look in row.looked):
        first.setdefault((look.person, look.role, look.key_id, look.audience), look)
    return first.values()


def not_read(source: Source, rows: Sequence[Known]) -> Text:
    """As which readers no one has looked, by any key; or why that is unknown."""
    if source.reads.unknown is not None:
        return Text(f"whether it was sent, and who looked: {source.reads.unknown}\n", style="dim")
    readers = {row.reader for row in rows if row.looked}
    unread = dict.fromkeys(
        reader_called(row.reader, source)
        for row in rows
        if row.own is not None and row.reader not in readers
    )
    return Text(f"sent to no key of: {', '.join(unread) or 'nobody else'}\n", style="dim")
