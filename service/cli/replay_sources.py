"""Where `arbiter replay` reads a match: in the store, in a file, or at a running service."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Protocol
from uuid import UUID

import rich_click as click
from msgspec import Struct

from arbiter_client import Match
from domain.events import PUBLIC, Event, Record
from domain.match_events import MatchCreated
from projections.audience import View, state_of, view
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see, named, viewer
from projections.evidence.case import Case
from projections.lines import Line, in_own_numbers, line, own_number
from projections.name_salts import own_records
from service.cli.audiences import audience_called, seating, served_audience
from service.cli.console import err
from service.cli.match_files import UNVERIFIED, match_in, opened_to
from service.cli.options import existing_store, intact_records
from service.cli.origins import Origin, origin_errors
from service.cli.service_connection import PAGE, foreign
from service.cli.typed_match import AtService, InFile, InStore, Place

Numbered = tuple[int, Record[Event]]
"""A record with its position in the whole record of its match."""


class ReplaySource(Protocol):
    """A match that can be shown at any position. All methods raise errors for the user."""

    @property
    def title(self) -> str:
        """What the match is called here."""

    @property
    def origin(self) -> Origin:
        """Where the match comes from."""

    def reader(self, typed: str | None) -> str:
        """The audience that was typed, by its name on the wire; or whose this match is here."""

    def view(self, reader: str, at: int | None) -> View:
        """What an audience saw after its first `at` events; by default after all of them."""

    def lines(self, reader: str, upto: int | None = None) -> Iterator[Line]:
        """The events of an audience, up to this number of its own; by default all of them."""


class RecordedMatch(Struct, frozen=True):
    """A match whose record is here, or all that one audience may see of it. It `is_for` that
    audience, and is shown as `own` by default."""

    title: str
    match: str
    game: str
    origin: Origin
    numbered: Sequence[Numbered]
    is_for: Viewer = MODERATOR
    own: Viewer = PUBLIC_VIEWER

    def reader(self, typed: str | None) -> str:
        """See ReplaySource."""
        with origin_errors(self.origin):
            who = seating([record for _, record in self.numbered])
            found = self.own if typed is None else audience_called(typed, who)
        if found != PUBLIC_VIEWER and self.is_for not in (found, MODERATOR):
            raise click.ClickException(f"this does not open all that {named(found)} may see")
        return named(found)

    def view(self, reader: str, at: int | None) -> View:
        """See ReplaySource."""
        with origin_errors(self.origin):
            state = state_of(_viewer(reader), self.numbered, at)
            if state is None:
                raise click.ClickException(f"{reader} has seen fewer than {at} events")
            return view(self.match, self.game, state)

    def lines(self, reader: str, upto: int | None = None) -> Iterator[Line]:
        """See ReplaySource."""
        whose = _viewer(reader)
        seen = [(n, record) for n, record in self.numbered if may_see(whose, record.event)]
        own = partial(own_number, [n for n, _ in seen])
        with origin_errors(self.origin):
            records = own_records(whose, (in_own_numbers(record, own) for _, record in seen))
            public = 0
            for seq, record in islice(enumerate(records, 1), upto):
                is_public = record.event.audience == PUBLIC
                public += is_public
                yield line(seq, public if is_public else None, record)


class ServedMatch(Struct, frozen=True):
    """A match at a running service, which shows it as far as the key allows."""

    connection: Match
    origin: Origin = "service"

    @property
    def title(self) -> str:
        """See ReplaySource."""
        return self.connection.id

    def reader(self, typed: str | None) -> str:
        """See ReplaySource."""
        asked = served_audience(self.connection, typed)
        return self._seen(None, 0).audience if asked is None else asked

    def view(self, reader: str, at: int | None) -> View:
        """See ReplaySource."""
        shown = self._seen(reader, at)
        if shown.match != self.connection.id or shown.audience != reader:
            raise foreign("it shows another match, or another audience")
        return shown

    def lines(self, reader: str, upto: int | None = None) -> Iterator[Line]:
        """See ReplaySource."""
        every = self.connection.rows("events", "events", Line, as_=reader, limit=PAGE)
        return every if upto is None else takewhile(lambda one: one.seq <= upto, every)

    def _seen(self, reader: str | None, at: int | None) -> View:
        return self.connection.get("view", View, as_=reader, at=at)


@contextmanager
def replayed(place: Place, data: Path) -> Iterator[ReplaySource]:
    """The match at a place. Raises an error for the user if there is none."""
    match place:
        case AtService():
            with place.connected() as connection:
                yield ServedMatch(connection)
        case InFile(path):
            yield _filed(path)
        case InStore():
            yield _stored(place.id(data), data)


def _stored(match: UUID, data: Path) -> RecordedMatch:
    with existing_store(data) as store:
        records = intact_records(store, match)
    return recorded_match(str(match), records)


def recorded_match(match: str, records: Sequence[Record[Event]]) -> RecordedMatch:
    """A match by its whole record, from the store. Raises an error for the user if it is none."""
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    return RecordedMatch(match, match, created.game, "store", list(enumerate(records, 1)))


def _filed(path: Path) -> RecordedMatch:
    """The match in a file. A bundle shows what its reader may see, a notation everything."""
    found = match_in(path)
    if isinstance(found, Case):
        err.print(f"{UNVERIFIED}\n", style="bold yellow")
        return _bundled(found)
    match, numbered = found.match, list(enumerate(found.records, 1))
    return RecordedMatch(path.name, match.id, match.created.game, "notation", numbered)


def _bundled(case: Case) -> RecordedMatch:
    match = case.manifest.match
    opened = [(n, record) for n, record in enumerate(case.records, 1) if record is not None]
    with origin_errors("bundle"):
        own, game = opened_to(case), case.created.game
    return RecordedMatch(
        title=match, match=match, game=game, origin="bundle", numbered=opened, is_for=own, own=own
    )


def _viewer(reader: str) -> Viewer:
    found = viewer(reader)
    assert found is not None, "readers are audiences"
    return found
