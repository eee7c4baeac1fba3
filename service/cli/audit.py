"""`arbiter audit`: the time line of a match, to settle disputes; from the store or a bundle."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import rich_click as click
from msgspec import Struct
from rich.table import Table
from rich.text import Text

from domain.games import GAMES
from domain.match_events import MatchCreated
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, viewer
from projections.event_text import plain, short
from projections.evidence import log
from projections.evidence.case import Case, VerifierInputs, Wrong, opened
from projections.lines import line
from projections.timeline import Numbered, TimelineEntry, timeline, timeline_for
from service.cli.console import err, out
from service.cli.options import data_option, existing_store, intact_records

UNVERIFIED = "This bundle is shown, not verified: run `arbiter verify` on it."

STYLES = {"derives": "green", "does not derive": "bold red"}
"""Styles of the verdict on a draw; all other verdicts are dim."""


class Source(Struct, frozen=True):
    """A match to be shown: its creation, and its events by number; for a bundle also its audience,
    and whether it opens everything that this audience may see."""

    match: str
    created: MatchCreated
    numbered: Sequence[Numbered]
    bundled: bool = False
    audience: Viewer = MODERATOR
    opens_all: bool = True


@click.command()
@click.argument("match")
@click.option(
    "--as", "audience", default=None, help="public, seat:N or moderator. [default: all there is]"
)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each event.")
@data_option
def audit(match: str, audience: str | None, as_json: bool, data: Path) -> None:
    """Show who did what in MATCH and when, why it was refused, how draws came out, and who saw it.

    MATCH is its id in the store, or the path of a bundle (.arb), which is shown as far as it is
    opened. The command reads the store itself, so it is for those who run the service.
    """
    source = _source(match, data)
    with _bundle_errors(source.bundled):
        entries = _timeline(source, audience)
        lines = [_json(entry) for entry in entries] if as_json else []
    if source.bundled:
        (err if as_json else out).print(f"{UNVERIFIED}\n", style="bold yellow", markup=False)
    if as_json:
        for json_line in lines:
            click.echo(json_line)
        return
    out.print(_heading(source, audience, entries))
    out.print(_table(entries))
    out.print(_summary(entries))


# Reading a match.


def _source(match: str, data: Path) -> Source:
    try:
        match_id = UUID(match)
    except ValueError:
        return _bundle(Path(match))
    with existing_store(data, match_id) as store:
        records = intact_records(store, match_id)
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    return Source(str(match_id), created, list(enumerate(records, 1)))


def _bundle(path: Path) -> Source:
    if not path.is_file():
        raise click.ClickException(f"neither the id of a match nor a bundle: {path}")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None
    with _bundle_errors(bundled=True):
        case = opened(raw, VerifierInputs(()))
        log.openings(case)
    manifest = case.manifest
    numbered = list(enumerate(case.records, 1))
    return Source(manifest.match, case.created, numbered, True, manifest.audience, _opens_all(case))


@contextmanager
def _bundle_errors(bundled: bool) -> Iterator[None]:
    """Turns the errors of a bundle that is malformed, or that no service could have recorded, into
    an error message."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as fault:
        # A bundle may come from anybody, so any error means only that it is not a valid one.
        if not bundled:
            raise
        why = str(fault) if isinstance(fault, Wrong) else type(fault).__name__
        raise click.ClickException(f"this bundle cannot be shown: {plain(why)}") from None


def _opens_all(case: Case) -> bool:
    """Whether the bundle opens everything that its own audience may see."""
    seated = isinstance(case.manifest.audience, int)
    return not (seated and case.created.record == "closed")


def _timeline(source: Source, audience: str | None) -> list[TimelineEntry]:
    entries = timeline(source.match, source.numbered)
    if audience is None:
        return entries
    reader = viewer(audience)
    if reader is None or (isinstance(reader, int) and reader >= len(source.created.seats)):
        raise click.ClickException(f"no such audience here: {audience}")
    opens_own = source.opens_all and source.audience in (reader, MODERATOR)
    if not opens_own and reader != PUBLIC_VIEWER:
        raise click.ClickException(f"this bundle does not open all that {audience} may see")
    return timeline_for(source.match, entries, reader)


# As lines of JSON.


def _json(entry: TimelineEntry) -> bytes:
    fields: dict[str, Any] = {
        name: getattr(entry, name) for name in TimelineEntry.__struct_fields__ if name != "record"
    }
    record = entry.record
    fields["data"] = None if record is None else line(entry.number, record).data
    return msgspec.json.encode(fields)


# For people.


def _heading(source: Source, audience: str | None, entries: Sequence[TimelineEntry]) -> Text:
    name = source.created.game
    game = GAMES.get(name)
    title = plain(name) if game is None else game.title
    heading = Text(title, style="bold")
    heading.append(f"\n{source.match}\n", style="not bold")
    whose = "everything recorded here" if audience is None else f"as seen by {audience}"
    return heading.append(f"{len(entries):,} events, {whose}; times in UTC\n", style="not bold")


def _table(entries: Iterable[TimelineEntry]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("no", justify="right", no_wrap=True)
    table.add_column("from", justify="right", no_wrap=True, style="dim")
    table.add_column("received", no_wrap=True)
    table.add_column("who", max_width=12, overflow="fold")
    table.add_column("what", ratio=1, overflow="fold")
    table.add_column("seen by", max_width=10, overflow="fold")
    day: str | None = None
    for entry in entries:
        date, _, time = (entry.at or "").partition("T")
        if date and date != day:
            table.add_row("", "", Text(date, style="bold cyan"))
            day = date
        table.add_row(*_row(entry, time.removesuffix("Z")))
    return table


def _row(entry: TimelineEntry, time: str) -> Iterator[Text]:
    style = "bold" if entry.input else "dim" if entry.record is None else ""
    yield Text(str(entry.number), style=style)
    yield Text("" if entry.cause is None else str(entry.cause))
    yield Text(time, style=style)
    yield Text(entry.actor or "", style=style)
    yield Text("\n").join(_what(entry, style))
    yield Text(entry.seen_by or "", style="" if entry.seen_by == "public" else "magenta")


def _what(entry: TimelineEntry, style: str) -> Iterator[Text]:
    yield Text(entry.what, style=style)
    if entry.input and entry.recorded != entry.at:
        yield Text(f"recorded {_time(entry)}", style="yellow")
    if entry.code is not None:
        yield Text(f"{plain(entry.code)}: {entry.rule or 'unknown code'}", style="red")
    draw = entry.draw
    if draw is not None:
        epoch = "" if draw.epoch is None else f"epoch {draw.epoch}, "
        key = "" if draw.key_commit is None else f"key commitment {short(draw.key_commit)}, "
        found = draw.verdict, STYLES.get(draw.verdict, "dim")
        yield Text.assemble((f"{epoch}{key}", "dim"), found)


def _time(entry: TimelineEntry) -> str:
    """The time of the record; with its date if that differs from the date of receipt."""
    assert entry.at is not None and entry.recorded is not None, "only inputs have both times"
    date, _, time = entry.recorded.partition("T")
    day = "" if entry.at.startswith(date) else f"{date} "
    return day + time.removesuffix("Z")


def _summary(entries: Iterable[TimelineEntry]) -> Text:
    """Counts of refused and sealed events, and of draws by verdict."""
    counted: Counter[str] = Counter()
    for entry in entries:
        counted["refused or invalid"] += entry.code is not None
        counted["sealed"] += entry.record is None
        if entry.draw is not None:
            counted[f"draws ({entry.draw.verdict})"] += 1
    parts = [f"{count} {name}" for name, count in counted.items() if count]
    wrong = counted["draws (does not derive)"]
    return Text("\n" + (", ".join(parts) or "nothing refused"), style="red" if wrong else "bold")
