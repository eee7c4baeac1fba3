"""`arbiter replay`: shows a match at any position, as any audience saw it."""

from collections.abc import Iterator
from functools import partial
from itertools import islice, takewhile
from pathlib import Path

import msgspec
import rich_click as click
from msgspec import Struct

from arbiter_client import Match
from domain.events import PUBLIC
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, may_see, named
from projections.audience.event_numbers import in_columns, public_number
from projections.audience.lines import Line, in_own_numbers, line, own_number
from projections.audience.view import View, state_of, view
from projections.evidence.name_salts import own_records
from projections.texts.plain_text import plain
from service.cli.audiences import HELP, served_audience
from service.cli.auditing.recorded_match import (
    UNVERIFIED,
    Origin,
    RecordedMatch,
    origin_errors,
    recorded,
)
from service.cli.console import err, out
from service.cli.playing.typed_match import AtService, Place, at_a_place
from service.cli.service_connection import PAGE, foreign

MOST_DIGITS = 9


@click.command()
@click.option(
    "--as", "audience", help=f"{HELP} [default: the key's or the bundle's own, else public]"
)
@click.option(
    "--at",
    metavar="N",
    help="After this many of its events, or with p6 after the public's event 6.",
)
@click.option("--events", is_flag=True, help="List the audience's events up to there, too.")
@at_a_place
def replay(place: Place, data: Path, audience: str | None, at: str | None, events: bool) -> None:
    """Show MATCH as an audience saw it, now or after --at of its events: its view, as the API has
    it.

    MATCH is its id, at --url or in the store; its address on a running
    service, like https://play.example.org/v1/matches/ID; or a bundle (.arb).
    A service shows what the key allows. The store is for those who run it.
    """
    if isinstance(place, AtService):
        with place.connected() as connection:
            asked = served_audience(connection, audience)
            reader = _seen(connection, None, 0).audience if asked is None else asked
            _show(Served(connection, reader), at, events)
        return
    found = recorded(place, data)
    if found.origin == "bundle":
        err.print(f"{UNVERIFIED}\n", style="bold yellow")
    own = found.is_for if found.origin == "bundle" else PUBLIC_VIEWER
    _show(Replayed(found, own if audience is None else found.reader(audience)), at, events)


class Replayed(Struct, frozen=True):
    """A match whose record is here, as a reader sees it. All methods raise errors for the user."""

    recorded: RecordedMatch
    viewer: Viewer

    @property
    def reader(self) -> str:
        """The reader by its name on the wire."""
        return named(self.viewer)

    @property
    def origin(self) -> Origin:
        """Where the match comes from."""
        return self.recorded.origin

    def view(self, at: int | None) -> View:
        """What the reader saw after the first `at` events; by default after all of them."""
        numbered = [(n, one) for n, one in enumerate(self.recorded.records, 1) if one is not None]
        with origin_errors(self.origin):
            state = state_of(self.viewer, numbered, at)
            if state is None:
                raise click.ClickException(f"{self.reader} has seen fewer than {at} events")
            return view(self.recorded.match, self.recorded.created.game, state)

    def lines(self, upto: int | None = None) -> Iterator[Line]:
        """The events of the reader, up to this number of its own; by default all of them."""
        seen = [
            (n, one)
            for n, one in enumerate(self.recorded.records, 1)
            if one is not None and may_see(self.viewer, one.event)
        ]
        own = partial(own_number, [n for n, _ in seen])
        with origin_errors(self.origin):
            records = own_records(self.viewer, (in_own_numbers(one, own) for _, one in seen))
            public = 0
            for seq, record in islice(enumerate(records, 1), upto):
                is_public = record.event.audience == PUBLIC
                public += is_public
                yield line(seq, public if is_public else None, record)


class Served(Struct, frozen=True):
    """The same of a match at a running service, which shows it as far as the key allows."""

    connection: Match
    reader: str
    origin: Origin = "service"

    def view(self, at: int | None) -> View:
        shown = _seen(self.connection, self.reader, at)
        if shown.match != self.connection.id or shown.audience != self.reader:
            raise foreign("it shows another match, or another audience")
        return shown

    def lines(self, upto: int | None = None) -> Iterator[Line]:
        every = self.connection.rows("events", "events", Line, as_=self.reader, limit=PAGE)
        return every if upto is None else takewhile(lambda one: one.seq <= upto, every)


def _seen(connection: Match, reader: str | None, at: int | None) -> View:
    return connection.get("view", View, as_=reader, at=at)


def _show(source: Replayed | Served, at: str | None, events: bool) -> None:
    shown = source.view(None if at is None else _position(source, at))
    if events:
        for one in source.lines(shown.seq):
            fields = msgspec.json.encode(one.data).decode()
            public = source.reader == PUBLIC_VIEWER
            numbers = in_columns(one.seq, one.public_seq, reader_is_public=public)
            out.print(plain(f"{numbers}  {one.at}  {one.type}  {fields}"), soft_wrap=True)
    out.print_json(msgspec.json.encode(shown).decode())


def _position(source: Replayed | Served, typed: str) -> int:
    """How many of the reader's events are meant: by their number, or by the public's. Raises an
    error for the user."""
    public = public_number(typed)
    if public is None:
        if not (typed.isascii() and typed.isdecimal() and len(typed) <= MOST_DIGITS):
            raise click.UsageError(
                f"--at {typed}: 8 of the audience's events, or p6 of the public's"
            )
        return int(typed)
    if source.reader == PUBLIC_VIEWER:
        return public
    for one in source.lines():
        if one.public_seq == public:
            return one.seq
    raise click.ClickException(f"the public has seen fewer than {public} events")
