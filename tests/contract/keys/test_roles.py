"""Who may use which route: everyone, at every place, for every audience, as the routes declare.

The cells are generated from the router, so that a new route is tested without being named here.
How keys are written is in `test_keys`, that they come before all else in `test_keys_first`.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import pytest

from service.app import create_app
from service.auth.keyring import parse_key
from service.auth.keys import Keyring
from service.auth.request_guard import RequestGuard
from service.auth.tickets import VALID_SECONDS, Tickets
from service.event_store.stream_ids import time_ordered
from service.http.description.described import AccessNotDeclared
from service.http.description.routing import get
from tests.contract.keys.asgi_requests import Request
from tests.contract.keys.role_cells import (
    Cell,
    Comparison,
    Expected,
    cells,
    expected,
    is_sampled,
    refused,
)
from tests.support.effort import times
from tests.support.instants import SECOND
from tests.support.roles.declared_routes import BROKEN, Route, routes
from tests.support.roles.key_holders import WORTHLESS, Place, Places, places
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live


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
        """A ticket opens what its key does, again and again; nothing else, and not forever."""
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
        """On another route a ticket is no key: no one's cell, or an unknown parameter."""
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


T = TypeVar("T")


@dataclass(frozen=True)
class RoleTable:
    """Every route, and what is answered on the server's own loop."""

    live: Live
    routes: tuple[Route, ...]
    places: Places
    comparison: Comparison
    tickets: TicketCells

    def route(self, name: str) -> Route:
        return next(route for route in self.routes if route.name.endswith(name))

    def cells(self, route: Route) -> list[Cell]:
        return list(cells(route, self.places))

    def deviations(self, route: Route) -> list[Cell]:
        """The cells of a route that are not answered as it declares."""
        tried = [cell for cell in self.cells(route) if self.comparison.every or is_sampled(cell)]
        return self._wrong(tried, self.comparison.holds)

    def ticket_deviations(self, tried: list[TicketCell]) -> list[TicketCell]:
        """Those of these cells that are not answered as they should be."""
        return self._wrong(tried, self._opens)

    async def _opens(self, one: TicketCell) -> bool:
        reply = await self.comparison.reply(one.request)
        return self.comparison.is_as(one.cell, one.wanted, reply)

    def _wrong(self, tried: list[T], holds: Callable[[T], Awaitable[bool]]) -> list[T]:
        async def wrong() -> list[T]:
            return [one for one in tried if not await holds(one)]

        return asyncio.run_coroutine_threadsafe(wrong(), self.live.loop).result()


def role_table(live: Live, *, every: bool = False) -> RoleTable:
    """The table of a server, with matches, a tournament and keys of its own. `every` tries every
    cell with every example of a body, and HEAD after every GET."""
    guard = RequestGuard()
    app = create_app(live.instance, guard=guard)
    found, where = tuple(routes(app)), places(live)
    comparison = Comparison(app, guard.tickets, every)
    stream = next(route for route in found if route.path.endswith("/stream"))
    instance = live.instance
    tickets = TicketCells(guard.tickets, instance.keyring, stream, where, instance.clock.now())
    return RoleTable(live, found, where, comparison, tickets)


EVERY = times("every cell") > 0
"""Whether every cell is tried, and with HEAD where GET is; `test_head` compares them for some
senders."""


@pytest.fixture(scope="module")
def table(live: Live) -> RoleTable:
    return role_table(live, every=EVERY)


def test_every_cell_of_every_route_is_as_declared(table: RoleTable) -> None:
    cells = [cell for route in table.routes for cell in table.cells(route)]
    # The view once more: whoever was refused has changed nothing.
    tried = (table.route("/view"), *table.routes, table.route("/view"))
    assert [cell.name for route in tried for cell in table.deviations(route)] == []
    assert len(cells) > 4_000


def test_a_ticket_opens_the_stream_that_its_key_does_and_no_other(table: RoleTable) -> None:
    tried = list(table.tickets.on_streams())
    assert [one.name for one in table.ticket_deviations(tried)] == []
    assert len(tried) > 2_000


def test_a_ticket_is_no_key_for_any_other_route(table: RoleTable) -> None:
    others = [route for route in table.routes if route != table.tickets.stream]
    tried = [one for route in others for one in table.tickets.on_others(route)]
    assert [one.name for one in table.ticket_deviations(tried)] == []
    assert len(tried) > len(others)


def test_every_kind_of_key_comes_to_every_place(table: RoleTable) -> None:
    for place in (*table.places.matches, *table.places.tournaments):
        kinds = Counter(holder.role for holder in place.holders)
        assert {None, WORTHLESS, "other key", "organiser"} <= kinds.keys(), place.name
        assert kinds[WORTHLESS] > 9


def test_a_route_that_does_not_declare_its_users_does_not_start(live: Live) -> None:
    @get("/v1/novelties", sync_to_thread=False)
    def novelties() -> None:
        """A route without `security`."""

    with pytest.raises(AccessNotDeclared, match="/v1/novelties"):
        create_app(live.instance, [novelties])
