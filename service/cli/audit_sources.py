"""Where `arbiter audit` reads a match: in the store, in a bundle, or at a running service."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from uuid import UUID

import rich_click as click
from msgspec import Struct
from msgspec.structs import replace

from domain.match_events import MatchCreated
from domain.seats import spoken
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, viewer
from projections.evidence import log
from projections.evidence.case import Case, VerifierInputs, Wrong, opened
from projections.plain_text import plain
from projections.timeline import Numbered, TimelineEntry, timeline, timeline_for
from service.cli.options import existing_store, intact_records
from service.cli.read_sources import Reads, served_reads, stored_reads
from service.cli.service_connection import MatchConnection, connected, is_address
from service.cli.service_reader import read_match

Origin = Literal["store", "bundle", "service"]

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

    def shows(self, reader: Viewer) -> bool:
        """Whether every event of this reader is shown."""
        return reader == PUBLIC_VIEWER or self.audience in (reader, MODERATOR)

    def reader(self, name: str) -> Viewer:
        """The reader of this name: `public`, `moderator`, `seat:N` or a player's name, however
        spelt. Raises an error for the user if there is none."""
        seats = self.created.seats
        found = viewer(name)
        if found is None:
            named = [seat for seat, own in enumerate(seats) if spoken(own) == spoken(name)]
            found = named[0] if len(named) == 1 else None
        if found is None or (isinstance(found, int) and found >= len(seats)):
            raise click.ClickException(f"no such audience here: {plain(name)}")
        return found


def source_of(
    match: str, data: Path, key: str | None, audience: str | None, *, reads: bool
) -> Source:
    """The match of this id in the store, in the bundle at this path, or at this address; with the
    account of its `reads`, if that is wanted. Raises an error for the user."""
    if is_address(match):
        return _served(match, key, audience, reads)
    try:
        match_id = UUID(match)
    except ValueError:
        return _as_read(_bundle(Path(match)), audience)
    return _as_read(_stored(match_id, data, reads), audience)


def _stored(match: UUID, data: Path, reads: bool) -> Source:
    with existing_store(data, match) as store:
        records = intact_records(store, match)
        kept = stored_reads(store, match) if reads else Reads()
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    entries = timeline(str(match), enumerate(records, 1))
    return Source(str(match), created, entries, reads=kept)


def _bundle(path: Path) -> Source:
    if not path.is_file():
        raise click.ClickException(
            f"neither the id of a match nor a bundle nor the address of a match: {path}"
        )
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None
    with origin_errors("bundle"):
        case = opened(raw, VerifierInputs(()))
        log.openings(case)
        numbered: list[Numbered] = list(enumerate(case.records, 1))
        entries = timeline(case.manifest.match, numbered)
        return Source(case.manifest.match, case.created, entries, _opened_to(case), origin="bundle")


def _opened_to(case: Case) -> Viewer:
    """The reader all of whose events the bundle opens."""
    audience = case.manifest.audience
    closed = isinstance(audience, int) and case.created.record == "closed"
    return PUBLIC_VIEWER if closed else audience


def _as_read(source: Source, audience: str | None) -> Source:
    """What one audience sees of a source, in its own count."""
    if audience is None:
        return source
    reader = source.reader(audience)
    if not source.shows(reader):
        raise click.ClickException(f"this bundle does not open all that {audience} may see")
    with origin_errors(source.origin):
        entries = timeline_for(source.match, source.entries, reader)
    own = _restricted(reader)
    reads = source.reads if own is None else Reads(NOT_FOR_READERS)
    return Source(source.match, source.created, entries, reader, own, source.origin, reads)


def _restricted(reader: Viewer) -> Viewer | None:
    """Whose events alone these are; moderators see everything."""
    return None if reader == MODERATOR else reader


def _served(address: str, key: str | None, audience: str | None, reads: bool) -> Source:
    with connected(address, key) as connection:
        # Before the events are read: that is a look, too, and not one that was asked about.
        kept = served_reads(connection) if reads else Reads()
        source = read_source(connection, audience)
    if audience is not None and source.as_read is not None and kept.by_keys:
        kept = Reads(NOT_FOR_READERS)
    return replace(source, reads=kept)


def read_source(connection: MatchConnection, audience: str | None) -> Source:
    """A match of a service, as this audience or as that of the key. Raises an error for the
    user."""
    read = read_match(connection, audience)
    first = read.records[0].event if read.records else None
    if not isinstance(first, MatchCreated):
        raise click.ClickException("the service shows no match that begins as matches do")
    with origin_errors("service"):
        entries = timeline(read.match, enumerate(read.records, 1))
    own = _restricted(read.audience)
    return Source(read.match, first, entries, read.audience, own, "service")


@contextmanager
def origin_errors(origin: Origin) -> Iterator[None]:
    """Turns the errors of a match that is malformed, or that no service could have recorded, into
    an error message, unless it is from our own store."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as fault:
        # A bundle or an answer may be anybody's, so any error means only that it is not valid.
        if origin == "store":
            raise
        why = str(fault) if isinstance(fault, Wrong) else type(fault).__name__
        raise click.ClickException(f"this {origin} cannot be shown: {plain(why)}") from None
