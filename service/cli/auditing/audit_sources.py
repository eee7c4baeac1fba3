"""Matches to be shown, wherever they are: in the store, in a bundle or at a service; and what
`arbiter audit` shows of them: the time line, and who has read what."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from uuid import UUID

import rich_click as click
from msgspec import Struct, field
from msgspec.structs import replace

from arbiter_client import Match, ProblemError
from domain.events import Event, Record
from domain.match.events import MatchCreated, SeatNamed
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience, viewer
from projections.audience.lines import Line, record_of
from projections.evidence import log
from projections.evidence.case import VerifierInputs, Wrong, open_bundle
from projections.evidence.knowledge import Reading
from projections.evidence.timeline import (
    ShownRecord,
    TimelineEntry,
    shown_whole,
    timeline,
    timeline_for,
)
from projections.fields import instant
from projections.texts.plain_text import plain
from service.cli.audiences import audience_called, seating, served_audience
from service.cli.console import progress_bar
from service.cli.options import existing_store, intact_records
from service.cli.playing.typed_match import AtService, InFile, InStore, Place
from service.cli.service_connection import foreign
from service.event_store.database import lacks
from service.event_store.reading import reading
from service.event_store.reads import TABLE, ReadTable
from service.event_store.store import Store

Origin = Literal["store", "bundle", "service"]

UNVERIFIED = "This bundle is shown, not verified: run `arbiter verify` on it."

PAGE, TIMELINE_PAGE = 1_000, 10_000
"""Rows of the account of reads, and lines of the time line, that are asked for at once."""


@contextmanager
def origin_errors(origin: Origin) -> Iterator[None]:
    """Turns the errors of a match that is malformed, or that no service could have recorded, into
    an error message, unless it is from our own store."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as fault:
        # A bundle or an answer may be anyone's, so any error means only that it is not valid.
        if origin == "store":
            raise
        why = str(fault) if isinstance(fault, Wrong) else type(fault).__name__
        raise click.ClickException(f"this {origin} cannot be shown: {plain(why)}") from None


class RecordedMatch(Struct, frozen=True):
    """A match by its whole record, in which what a bundle does not open is None. It shows all that
    the audience may see that it `is_for`."""

    match: str
    created: MatchCreated
    records: Sequence[Record[Event] | None]
    origin: Origin = "store"
    is_for: Viewer = MODERATOR

    def reader(self, text: str) -> Viewer:
        """The audience that was typed. Raises an error for the user if there is no such audience,
        or if this does not show all that it may see."""
        with origin_errors(self.origin):
            audience = audience_called(text, seating(self.records))
        if audience != PUBLIC_VIEWER and self.is_for not in (audience, MODERATOR):
            raise click.ClickException(
                f"this does not open all that {name_audience(audience)} may see"
            )
        return audience


def read_place(place: InStore | InFile, data: Path) -> RecordedMatch:
    """The match at a place. Raises an error for the user if there is none."""
    if isinstance(place, InFile):
        return _filed(place.path)
    with existing_store(data) as store:
        return read_match(store, place.id)


def read_match(store: Store, match: UUID) -> RecordedMatch:
    """A match in a store. Raises an error for the user if there is none."""
    records = intact_records(store, match)
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    return RecordedMatch(str(match), created, records)


def _filed(path: Path) -> RecordedMatch:
    """The match in a bundle, with its openings judged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise click.ClickException(
            f"neither the id of a match nor a file nor the address of a match: {path}"
            f" ({error.strerror})"
        ) from None
    with origin_errors("bundle"):
        case = open_bundle(content, VerifierInputs(()))
        if case.manifest.subject.kind != "match":
            raise Wrong("it is of a tournament, whose matches are files in it")
        log.openings(case)
        match, audience, created = case.id, case.manifest.audience, case.created
        # What a seat's bundle of a closed record opens is what everyone may see.
        closed = isinstance(audience, int) and created.record == "closed"
        whose = PUBLIC_VIEWER if closed else audience
        return RecordedMatch(match, created, case.records, "bundle", whose)


NOT_IN_BUNDLES = "a bundle does not say it"
NOT_FOR_READERS = "that is for moderators; leave out --as"
NOT_KEPT = "this store has no account of it"
"""Why a source has no account of reads."""


class Reads(Struct, frozen=True):
    """Who has read what of a match; or why that is `unknown` here."""

    unknown: str | None = None
    readings: Sequence[Reading] = ()


class Source(Struct, frozen=True):
    """A match to be shown: its creation and its time line.

    Of the public and of the `audience` it shows every event, for moderators those of everyone.
    `as_read` is the audience whose own events these are, None for everything there is. `reads` is
    the account of reads.
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
        events = (None if entry.record is None else entry.record.event for entry in self.entries)
        namings = [event for event in events if isinstance(event, SeatNamed)]
        return tuple(event.name for event in namings[: self.created.seats])

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
    if isinstance(place, AtService):
        return _read_served(place, audience, reads)
    match = read_place(place, data)
    with origin_errors(match.origin):
        entries = timeline(shown_whole(match.records))
        source = Source(match.match, match.created, entries, match.is_for, None, match.origin)
        if isinstance(place, InStore) and reads:
            source = replace(source, reads=_stored_reads(data, place.id))
        if audience is None:
            return source
        reader = match.reader(audience)
        entries = timeline_for(entries, reader)
    if reader == MODERATOR:
        return replace(source, entries=entries)
    account = Reads(NOT_FOR_READERS)
    return replace(source, entries=entries, audience=reader, as_read=reader, reads=account)


def _read_served(place: AtService, audience: str | None, reads: bool) -> Source:
    with place.connected() as connection:
        # Before the events are read: that is a look, too, and not one that was asked about.
        account = _served_reads(connection) if reads else Reads()
        source = read_source(connection, audience)
    by_keys = any(reading_row.audience is not None for reading_row in account.readings)
    if audience is not None and source.as_read is not None and by_keys:
        account = Reads(NOT_FOR_READERS)
    return replace(source, reads=account)


class _Seen(Struct):
    """What is read of the answer of `/view`."""

    match: str
    audience: str
    seq: int


class _CausedLine(Line, frozen=True):
    """A line of `/timeline`, as far as it is read: whether it is an input, or else the number of
    the one from which it follows."""

    input: bool
    cause: int | None


def read_source(connection: Match, audience: str | None) -> Source:
    """Everything of a match of a service that this audience may see by now, or else that of the
    key. Raises an error for the user."""
    answer = connection.get("view", _Seen, as_=served_audience(connection, audience))
    reader = viewer(answer.audience)
    if reader is None or answer.match != connection.id:
        raise foreign("it shows another match, or an audience that there is not")
    records: list[ShownRecord] = []
    with progress_bar() as bar:
        task = bar.add_task("reading events", total=answer.seq)
        parameters = {"as_": answer.audience, "limit": TIMELINE_PAGE}
        for line in connection.rows("timeline", "lines", _CausedLine, **parameters):
            if line.seq != len(records) + 1:
                raise foreign(f"event {line.seq} stands where {len(records) + 1} should")
            records.append(_record_of(line))
            bar.update(task, completed=line.seq)
    first = records[0].record if records else None
    if first is None or not isinstance(first.event, MatchCreated):
        raise click.ClickException("the service shows no match that begins as matches do")
    with origin_errors("service"):
        entries = timeline(records)
    own = None if reader == MODERATOR else reader
    return Source(answer.match, first.event, entries, reader, own, "service")


def _record_of(line: _CausedLine) -> ShownRecord:
    """The event, whose input stands as far back as in the reader's own count."""
    cause = line.seq if line.input else line.cause
    try:
        return ShownRecord(line.seq, cause, record_of(line, line.seq - (cause or 0)))
    except (KeyError, ValueError, OverflowError, TypeError):
        raise foreign(f"event {line.seq} ({line.type}) is not one of this release") from None


# The account of reads.


class _ServedRead(Struct):
    """What is read of a row of `/reads`."""

    person: str | None
    role: str
    seq: int
    first: str
    last: str
    key_id: str | None = None
    audience: str | None = field(name="as", default=None)


def _stored_reads(data: Path, match: UUID) -> Reads:
    with existing_store(data) as store, reading(store.env) as reader:
        if lacks(reader.database, TABLE):
            return Reads(NOT_KEPT)
        reads = ReadTable(reader.database).of_match(match)
    readings = [
        Reading(
            read_row.name,
            read_row.role,
            read_row.seq,
            read_row.first,
            read_row.last,
            key_id=read_row.key_id,
            audience=viewer(read_row.audience),
        )
        for read_row in reads
    ]
    return Reads(None, readings)


def _served_reads(match: Match) -> Reads:
    """The account as far as the service shows it to the key. Raises an error for the user."""
    try:
        reads = list(match.rows("reads", "reads", _ServedRead, limit=PAGE))
    except ProblemError as refused:
        return Reads(f"the service does not tell this key ({plain(refused.code)})")
    return Reads(None, [_reading(read_row) for read_row in reads])


def _reading(read_row: _ServedRead) -> Reading:
    audience = None if read_row.audience is None else viewer(read_row.audience)
    if read_row.audience is not None and audience is None:
        raise foreign(f"somebody has read as {read_row.audience}")
    try:
        first, last = instant(read_row.first), instant(read_row.last)
    except (ValueError, OverflowError) as error:
        raise foreign(str(error)) from None
    return Reading(
        read_row.person,
        read_row.role,
        read_row.seq,
        first,
        last,
        key_id=read_row.key_id,
        audience=audience,
    )
