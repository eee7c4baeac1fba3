"""A match whose record is here: in the store or in a bundle."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from uuid import UUID

import rich_click as click
from msgspec import Struct

from domain.events import Event, Record
from domain.match.events import MatchCreated
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from projections.evidence import log
from projections.evidence.case import VerifierInputs, Wrong, opened
from projections.texts.plain_text import plain
from service.cli.audiences import audience_called, seating
from service.cli.options import existing_store, intact_records
from service.cli.playing.typed_match import InFile, InStore
from service.event_store.store import Store

Origin = Literal["store", "bundle", "service"]

UNVERIFIED = "This bundle is shown, not verified: run `arbiter verify` on it."


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

    def reader(self, typed: str) -> Viewer:
        """The audience that was typed. Raises an error for the user if there is no such audience,
        or if this does not show all that it may see."""
        with origin_errors(self.origin):
            found = audience_called(typed, seating(self.records))
        if found != PUBLIC_VIEWER and self.is_for not in (found, MODERATOR):
            raise click.ClickException(f"this does not open all that {named(found)} may see")
        return found


def recorded(place: InStore | InFile, data: Path) -> RecordedMatch:
    """The match at a place. Raises an error for the user if there is none."""
    if isinstance(place, InFile):
        return _filed(place.path)
    with existing_store(data) as store:
        return stored(store, place.id)


def stored(store: Store, match: UUID) -> RecordedMatch:
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
        case = opened(content, VerifierInputs(()))
        if case.manifest.subject.kind != "match":
            raise Wrong("it is of a tournament, whose matches are files in it")
        log.openings(case)
        match, audience, created = case.id, case.manifest.audience, case.created
        # What a seat's bundle of a closed record opens is what everyone may see.
        closed = isinstance(audience, int) and created.record == "closed"
        whose = PUBLIC_VIEWER if closed else audience
        return RecordedMatch(match, created, case.records, "bundle", whose)
