"""Where `arbiter replay --step` reads positions: in the records of a store, or at a service."""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

import rich_click as click
from msgspec import Struct

from domain.events import Event, Record
from domain.match_events import MatchCreated
from projections.audience import View, view
from projections.disclosure import Viewer, viewer
from projections.history import state_at
from projections.lines import Line, disclosed, line
from projections.name_salts import own_records
from service.cli.service_connection import MatchConnection, foreign


class StoredPositions(Struct, frozen=True):
    """A match all of whose records are here."""

    match: str
    records: Sequence[Record[Event]]

    def view(self, reader: str, at: int | None) -> View:
        """What an audience saw after its first `at` events; by default after all of them. Raises an
        error for the user."""
        created = self.records[0].event
        assert isinstance(created, MatchCreated), "a record begins with the creation"
        state = state_at(_viewer(reader), self.records, at)
        if state is None:
            raise click.ClickException(f"{reader} has seen fewer than {at} events")
        return view(self.match, created.game, state)

    def lines(self, reader: str, upto: int) -> Iterator[Line]:
        """The first events of an audience, up to this number of its own."""
        whose = _viewer(reader)
        seen = disclosed(whose, own_records(whose, self.records))
        return (line(seq, record) for seq, record in islice(seen, upto))


class ServedPositions(Struct, frozen=True):
    """A match at a running service, which shows it as far as the key allows."""

    connection: MatchConnection

    def view(self, reader: str, at: int | None) -> View:
        """See StoredPositions."""
        asked = {"as": reader} if at is None else {"as": reader, "at": at}
        shown = self.connection.get("view", View, asked)
        if shown.match != self.connection.match or shown.audience != reader:
            raise foreign("it shows another match, or another audience")
        return shown

    def lines(self, reader: str, upto: int) -> Iterator[Line]:
        """See StoredPositions."""
        return takewhile(lambda one: one.seq <= upto, self.connection.lines(reader))


def _viewer(reader: str) -> Viewer:
    found = viewer(reader)
    if found is None:
        raise click.ClickException(f"no such audience: {reader}")
    return found
