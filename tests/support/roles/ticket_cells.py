"""The cells of stream tickets: for every key, match and audience one, brought without the key."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from service.auth.key_form import parse_key
from service.auth.keys import Keyring
from service.auth.tickets import VALID_SECONDS, Tickets
from service.event_store.stream_ids import time_ordered
from tests.support.instants import SECOND
from tests.support.roles.asgi_requests import Request
from tests.support.roles.declared_routes import BROKEN, Route
from tests.support.roles.key_holders import WORTHLESS, Place, Places
from tests.support.roles.role_cells import Cell, Expected, cells, expected, refused
from tests.support.servers.instance_settings import ORGANISER_KEY


class TicketCell(NamedTuple):
    """How the ticket of a holder for an audience is used, and what is answered."""

    cell: Cell
    use: str
    request: Request
    wanted: Expected

    @property
    def name(self) -> str:
        return f"ticket {self.use}: {self.cell.name}"


@dataclass(frozen=True)
class TicketCells:
    """Makes tickets, which are for the route `stream`, and the cells of their uses."""

    tickets: Tickets
    keyring: Keyring
    stream: Route
    places: Places
    now: int

    def on_streams(self) -> Iterator[TicketCell]:
        """A ticket opens what its key does, again and again; nothing else, and not for ever."""
        matches = [place for place in self.places.matches if place.exists]
        following = dict(zip(matches, matches[1:] + matches[:1], strict=True))
        worthless = refused("ticket_unknown")
        for cell in self._issued():
            ticket = self._ticket(cell, self.now)
            opens = worthless if cell.holder.role == WORTHLESS else expected(cell)
            old = self._ticket(cell, self.now - VALID_SECONDS * SECOND)
            yield self._brought(cell, "first", ticket, opens)
            yield self._brought(cell, "used", ticket, opens)
            yield self._brought(cell, "expired", old, worthless)
            yield self._brought(cell, "forged", ticket[:-4], worthless)
            yield self._brought(cell, "elsewhere", ticket, worthless, following[cell.place])
            named = self._brought(cell, "with an audience", ticket, Expected({400}))
            named.request.query["as"] = str(cell.asked)
            yield named

    def on_others(self, route: Route) -> Iterator[TicketCell]:
        """On another route a ticket is no key: nobody's cell, or an unknown parameter."""
        moderators = next(cell for cell in self._issued() if cell.holder.role == "moderator")
        ticket = self._ticket(moderators, self.now)
        for cell in cells(route, self.places):
            if cell.holder.key is None and cell.asked is None:
                nobodys = expected(cell).statuses
                path = route.at(cell.place)
                body = b"" if route.method == "GET" else BROKEN
                request = Request(route.method, path, {"ticket": ticket}, body=body)
                yield TicketCell(cell, "on another route", request, Expected(nobodys | {400}))

    def _issued(self) -> Iterator[Cell]:
        for cell in cells(self.stream, self.places):
            key = cell.holder.key
            has_slot = key == ORGANISER_KEY or (key is not None and parse_key(key) is not None)
            if cell.place.exists and has_slot and cell.asked is not None:
                yield cell

    def _ticket(self, cell: Cell, now: int) -> str:
        key, match = str(cell.holder.key), cell.place.match
        ticket, reference = time_ordered(now // 1_000), self.keyring.reference(key)
        return self.tickets.issue(ticket, match, str(cell.asked), reference)[0]

    def _brought(
        self, cell: Cell, use: str, ticket: str, wanted: Expected, to: Place | None = None
    ) -> TicketCell:
        request = Request("GET", self.stream.at(to or cell.place), {"ticket": ticket})
        return TicketCell(cell, use, request, wanted)
