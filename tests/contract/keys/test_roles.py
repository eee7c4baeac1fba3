"""Who may use which route: everyone, at every place, for every audience, as the routes declare.

The cells are generated from the router, so that a new route is tested without being named here.
How keys are written is in `test_keys`, that they come before all else in `test_keys_first`.
"""

from collections import Counter

import pytest

from service.app import create_app
from service.http.description.described import AccessNotDeclared
from service.http.description.routing import get
from tests.support.effort import times
from tests.support.roles.key_holders import WORTHLESS
from tests.support.roles.role_table import RoleTable, role_table
from tests.support.servers.live_server import Live

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
