"""The table of roles of a server under test: set up once, and sent without a network."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from service.app import create_app
from service.auth.request_guard import RequestGuard
from tests.support.roles.declared_routes import Route, routes
from tests.support.roles.key_holders import Places, places
from tests.support.roles.role_cells import Cell, Comparison, cells
from tests.support.roles.ticket_cells import TicketCell, TicketCells
from tests.support.servers.live_server import Live

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
        return self._wrong(self.cells(route), self.comparison.holds)

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


def role_table(live: Live, *, heads: bool = False) -> RoleTable:
    """The table of a server, with matches, a tournament and keys of its own. `heads` sends HEAD
    after every GET."""
    guard = RequestGuard()
    app = create_app(live.instance, guard=guard)
    found, where = tuple(routes(app)), places(live)
    comparison = Comparison(app, guard.tickets, heads)
    stream = next(route for route in found if route.path.endswith("/stream"))
    instance = live.instance
    tickets = TicketCells(guard.tickets, instance.keyring, stream, where, instance.clock.now())
    return RoleTable(live, found, where, comparison, tickets)
