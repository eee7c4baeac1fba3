"""Where `arbiter audit` reads a match: in the store, in a bundle, or at a running service."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import rich_click as click
from msgspec import Struct
from msgspec.structs import replace

from arbiter_client import Match
from domain.match_events import MatchCreated, SeatNamed
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, viewer
from projections.lines import record_of
from projections.timeline import Shown, TimelineEntry, shown_whole, timeline, timeline_for
from service.cli.audiences import audience_called, seating, served_audience
from service.cli.match_files import bundled, opened_to, read_file
from service.cli.options import existing_store, intact_records
from service.cli.origins import Origin, origin_errors
from service.cli.progress import progress_bar
from service.cli.read_sources import Reads, served_reads, stored_reads
from service.cli.service_connection import TIMELINE_PAGE, CausedLine, foreign
from service.cli.typed_match import AtService, InFile, InStore, Place

NOT_IN_BUNDLES = "a bundle does not say it"
NOT_FOR_READERS = "that is for moderators; leave out --as"
"""Why a source does not say who has read what."""


class Source(Struct, frozen=True):
    """A match to be shown: its creation and its time line.

    Of the public and of the `audience` it shows every event, for moderators those of everybody.
    `as_read` is the audience whose own events these are, None for everything there is. `reads` is
    the account of who has read what.
    """

    match: str
    created: MatchCreated
    entries: Sequence[TimelineEntry]
    audience: Viewer = MODERATOR
    as_read: Viewer | None = None
    origin: Origin = "store"
    reads: Reads = Reads(NOT_IN_BUNDLES)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those for whom the match was created, by seat."""
        events = (None if one.record is None else one.record.event for one in self.entries)
        named = [event for event in events if isinstance(event, SeatNamed)]
        return tuple(event.name for event in named[: self.created.seats])

    def shows(self, reader: Viewer) -> bool:
        """Whether every event of this reader is shown."""
        return reader == PUBLIC_VIEWER or self.audience in (reader, MODERATOR)

    def reader(self, name: str) -> Viewer:
        """The reader of this name: `public`, `moderator`, `seat:N` or a player's name, however
        spelt. Raises an error for the user if there is none."""
        return audience_called(name, seating([entry.record for entry in self.entries]))


def source_of(place: Place, data: Path, audience: str | None, *, reads: bool) -> Source:
    """A match in the store, in a bundle, or at a service; with the account of its `reads`, if that
    is wanted. Raises an error for the user."""
    match place:
        case AtService():
            return _served(place, audience, reads)
        case InFile(path):
            return _as_read(_bundle(path), audience)
        case InStore():
            return _as_read(_stored(place.id(data), data, reads), audience)


def _stored(match: UUID, data: Path, reads: bool) -> Source:
    with existing_store(data) as store:
        records = intact_records(store, match)
        kept = stored_reads(store, match) if reads else Reads()
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    entries = timeline(str(match), shown_whole(records))
    return Source(str(match), created, entries, reads=kept)


def _bundle(path: Path) -> Source:
    case = bundled(read_file(path))
    with origin_errors("bundle"):
        entries = timeline(case.manifest.match, shown_whole(case.records))
        return Source(case.manifest.match, case.created, entries, opened_to(case), origin="bundle")


def _as_read(source: Source, audience: str | None) -> Source:
    """What one audience sees of a source, in its own count."""
    if audience is None:
        return source
    with origin_errors(source.origin):
        reader = source.reader(audience)
        if not source.shows(reader):
            raise click.ClickException(f"this bundle does not open all that {audience} may see")
        entries = timeline_for(source.match, source.entries, reader)
    own = _restricted(reader)
    reads = source.reads if own is None else Reads(NOT_FOR_READERS)
    return Source(
        match=source.match,
        created=source.created,
        entries=entries,
        audience=reader,
        as_read=own,
        origin=source.origin,
        reads=reads,
    )


def _restricted(reader: Viewer) -> Viewer | None:
    """Whose events alone these are; moderators see everything."""
    return None if reader == MODERATOR else reader


def _served(place: AtService, audience: str | None, reads: bool) -> Source:
    with place.connected() as connection:
        # Before the events are read: that is a look, too, and not one that was asked about.
        kept = served_reads(connection) if reads else Reads()
        source = read_source(connection, audience)
    if audience is not None and source.as_read is not None and kept.by_keys:
        kept = Reads(NOT_FOR_READERS)
    return replace(source, reads=kept)


def read_source(connection: Match, audience: str | None) -> Source:
    """A match of a service, as this audience or as that of the key. Raises an error for the
    user."""
    read = read_match(connection, served_audience(connection, audience))
    record = read.shown[0].record if read.shown else None
    first = None if record is None else record.event
    if not isinstance(first, MatchCreated):
        raise click.ClickException("the service shows no match that begins as matches do")
    with origin_errors("service"):
        entries = timeline(read.match, read.shown)
    own = _restricted(read.audience)
    return Source(read.match, first, entries, read.audience, own, "service")


class ReadMatch(Struct, frozen=True):
    """What a service shows of a match: the events of one audience, in its own count."""

    match: str
    audience: Viewer
    shown: list[Shown]


class _Seen(Struct):
    """What is read of the answer of `/view`."""

    match: str
    audience: str
    seq: int


def read_match(connection: Match, audience: str | None) -> ReadMatch:
    """Everything of a match that this audience may see by now, or else that of the key. Raises an
    error for the user."""
    seen = connection.get("view", _Seen, as_=audience)
    reader = viewer(seen.audience)
    if reader is None or seen.match != connection.id:
        raise foreign("it shows another match, or an audience that there is not")
    shown: list[Shown] = []
    with progress_bar() as bar:
        task = bar.add_task("reading events", total=seen.seq)
        asked = {"as_": seen.audience, "limit": TIMELINE_PAGE}
        for line in connection.rows("timeline", "lines", CausedLine, **asked):
            if line.seq != len(shown) + 1:
                raise foreign(f"event {line.seq} stands where {len(shown) + 1} should")
            shown.append(_shown(line))
            bar.update(task, completed=line.seq)
    return ReadMatch(seen.match, reader, shown)


def _shown(line: CausedLine) -> Shown:
    """The event, whose input stands as far back as in the reader's own count."""
    cause = line.seq if line.input else line.cause
    try:
        return Shown(line.seq, cause, record_of(line, line.seq - (cause or 0)))
    except (KeyError, ValueError, OverflowError, TypeError):
        raise foreign(f"event {line.seq} ({line.type}) is not one of this release") from None
