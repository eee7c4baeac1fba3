"""How `arbiter audit` prints a time line and who could know a fact: as tables, and as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from domain.games import GAMES
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from projections.audience.event_numbers import Numbering, numbering
from projections.audience.lines import data_of
from projections.evidence.knowledge import Known
from projections.evidence.timeline import TimelineEntry
from projections.texts.plain_text import Names, plain
from service.cli.audiences import called
from service.cli.auditing.audit_sources import Source

PUBLIC_NUMBER = "p no"
"""The heading of numbers in the public's count, like p6."""


# As lines of JSON.


def entry_fields(entry: TimelineEntry) -> dict[str, Any]:
    """An event as an object; its names are stable."""
    fields: dict[str, Any] = {
        name: getattr(entry, name) for name in TimelineEntry.__struct_fields__ if name != "record"
    }
    record = entry.record
    fields["data"] = None if record is None else data_of(record.event)
    return fields


def fact_fields(source: Source, entry: TimelineEntry, rows: Iterable[Known]) -> dict[str, Any]:
    """A fact and who could know it as an object; its names are stable."""
    seats = {name_audience(seat): name for seat, name in enumerate(source.names)}
    readers = [{"name": seats.get(row.reader), **msgspec.to_builtins(row)} for row in rows]
    reads_kept = source.reads.unknown is None
    return {"fact": entry_fields(entry), "readers": readers, "reads_kept": reads_kept}


# For people.


def heading(source: Source, what: str, reader: Viewer | None, at: str | None) -> Text:
    """The title of the match, and of what is shown of it."""
    game = source.created.game
    title = Text(GAMES[game].title if game in GAMES else plain(game), style="bold")
    title.append(f"\n{plain(source.match)}\n", style="not bold")
    whose = source.as_read if reader is None else reader
    whole = "everything recorded here"
    scope = whole if whose is None else f"as seen by {reader_called(name_audience(whose), source)}"
    until = "" if at is None else f", up to {at}"
    return title.append(f"{what}, {scope}{until}; times in UTC\n", style="not bold")


def reader_called(reader: str, source: Source) -> str:
    """What people call a reader."""
    return called(reader, source.names, {PUBLIC_VIEWER: "the public", MODERATOR: "moderators"})


def timeline_numbering(entries: Iterable[TimelineEntry]) -> Numbering:
    """How these events are named."""
    return numbering((entry.number, entry.public_seq) for entry in entries)


def timeline_table(names: Names, entries: Iterable[TimelineEntry], numbers: Numbering) -> Table:
    """A row for each event, with the public's number first where the reader counts otherwise."""
    first = () if numbers.reader_is_public else (PUBLIC_NUMBER,)
    table = listing(*first, "no", "from", "received", "who", "what", "seen by")
    day: str | None = None
    for entry in entries:
        date, _, time = (entry.at or "").partition("T")
        if date and date != day:
            table.add_row(*first and ("",), "", "", Text(date, style="bold cyan"))
            day = date
        cells = _row(entry, time.removesuffix("Z"), names, numbers)
        public = Text("" if entry.public_seq is None else f"p{entry.public_seq}", style="bold")
        table.add_row(*first and (public,), *cells)
    return table


def readers_table(source: Source, rows: Iterable[Known], numbers: Numbering) -> Table:
    """A row for each reader of a fact, and for each way in which it could be known."""
    table = listing("reader", "could know it since", "own no", "how")
    for row in rows:
        since = "" if row.since is None else spaced(row.since)
        table.add_row(
            Text(reader_called(row.reader, source)),
            Text(since or "never here", style="" if since else "dim"),
            Text("" if row.own is None else str(row.own)),
            Text(_how(row, numbers), style="" if since else "dim"),
        )
    return table


def summary(entries: Iterable[TimelineEntry], folded: int) -> Text:
    """Counts of refused, sealed and folded events."""
    counts: Counter[str] = Counter()
    for entry in entries:
        counts["refused or invalid"] += entry.code is not None
        counts["sealed"] += entry.record is None
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    text = Text("\n")
    if folded:
        text.append(
            f"{folded} events that the service records for itself are hidden: --all\n", style="dim"
        )
    return text.append(", ".join(parts) or "nothing refused", style="bold")


def listing(*columns: str) -> Table:
    """A table with these columns and no lines."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for name in columns:
        match name:
            case "p no" | "no" | "from" | "own no":
                dim = "dim" if name == "from" else ""
                table.add_column(name, justify="right", no_wrap=True, style=dim)
            case "who" | "seen by" | "looked at by" | "as":
                table.add_column(name, max_width=14, overflow="fold")
            case "what" | "how" | "before" | "after":
                table.add_column(name, ratio=1, overflow="fold")
            case "reader":
                table.add_column(name, max_width=24, overflow="fold")
            case _:
                table.add_column(name, no_wrap=True)
    return table


def _row(entry: TimelineEntry, time: str, names: Names, numbers: Numbering) -> Iterator[Text]:
    style = "bold" if entry.input else "dim" if entry.record is None else ""
    yield Text(str(entry.number), style=style)
    yield Text("" if entry.cause is None else numbers.brief(entry.cause))
    yield Text(time, style=style)
    yield Text(entry.actor or "", style=style)
    yield Text("\n").join(_what(entry, style, numbers))
    seen_by = called(entry.seen_by or "", names, {MODERATOR: "moderators only"})
    yield Text(seen_by, style="" if entry.seen_by == PUBLIC_VIEWER else "magenta")


def _what(entry: TimelineEntry, style: str, numbers: Numbering) -> Iterator[Text]:
    yield Text(entry.what, style=style)
    if entry.undone_by is not None:
        yield Text(f"undone by {numbers.brief(entry.undone_by)}", style="yellow")
    if entry.input and entry.recorded != entry.at:
        yield Text(f"recorded {_recorded(entry)}", style="yellow")
    if entry.code is not None:
        yield Text(f"{plain(entry.code)}: {entry.rule or 'unknown code'}", style="red")


def _recorded(entry: TimelineEntry) -> str:
    """The time of the record; with its date if that differs from the date of receipt."""
    assert entry.at is not None and entry.recorded is not None, "only inputs have both times"
    date, _, time = entry.recorded.partition("T")
    day = "" if entry.at.startswith(date) else f"{date} "
    return day + time.removesuffix("Z")


def spaced(instant: str) -> str:
    """An RFC 3339 instant as people write it."""
    return instant.replace("T", " ").removesuffix("Z")


def _how(row: Known, numbers: Numbering) -> str:
    by = "" if row.by is None else numbers.cited(row.by)
    match row.how:
        case "event":
            return "the event itself"
        case "disclosed":
            return f"{', '.join(row.fields or ())}, shown by event {by}"
        case "opened":
            return f"the record was opened, event {by}"
    return "by no event up to here"
