"""A fault in who may use a route is found: by each of its cells that lets somebody in, and by no
other. Each fault is planted in the service itself."""

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

import pytest

from projections.disclosure import viewer
from service.auth import grants, tickets
from service.http import authorization
from service.http.access import only
from tests.support.roles.key_holders import OTHER, WORTHLESS
from tests.support.roles.role_cells import Cell, expected, refused
from tests.support.roles.role_table import RoleTable, role_table
from tests.support.servers.live_server import Live


@pytest.fixture(scope="module")
def table(live: Live) -> RoleTable:
    return role_table(live, heads=False)


def names(found: Collection[Cell]) -> set[str]:
    return {cell.name for cell in found}


def test_a_route_that_forgets_its_check(table: RoleTable, monkeypatch: pytest.MonkeyPatch) -> None:
    async def everybody(*_: object) -> bool:
        return True

    route = table.route("/checkpoints")
    monkeypatch.setattr(authorization, "_is_moderator", everybody)
    allowed = (None, WORTHLESS, "moderator")
    let_in = [cell for cell in table.cells(route) if cell.holder.role not in allowed]
    assert names(table.deviations(route)) == names(let_in)
    assert len(let_in) > 50


def test_an_audience_that_is_not_checked(table: RoleTable, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("/view", "/events", "/stream", "/stream-tickets"):
        route = table.route(path)
        assert table.deviations(route) == []
        with monkeypatch.context() as planted:
            planted.setattr(authorization, "is_open", lambda _: True)
            let_in = [one for one in table.cells(route) if expected(one) == refused("not_allowed")]
            assert names(table.deviations(route)) == names(let_in)
            assert len(let_in) > 100


def test_an_audience_that_is_mistaken(table: RoleTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 is shown what seat 0 may see, with the right status."""
    route = table.route("/events")

    def mistaken(name: str) -> object:
        return viewer("seat:0" if name == "seat:1" else name)

    assert table.deviations(route) == []
    monkeypatch.setattr("service.http.authorization.parse_viewer", mistaken)
    found = table.deviations(route)
    assert found
    assert {cell.asked for cell in found} == {"seat:1"}


def test_a_revoked_key_that_still_opens(table: RoleTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def whoever(slot: grants.CachedSlot, _: bytes) -> grants.Grant:
        return slot.grants[0]

    monkeypatch.setattr(grants.CachedSlot, "grant_for", whoever)
    reading = [route for route in table.routes if route.method == "GET"]
    found = [cell for route in reading for cell in table.deviations(route)]
    assert {cell.holder.role for cell in found} == {WORTHLESS}
    revoked = {one.name for one in table.places.anywhere.holders if "revoked" in one.name}
    assert revoked <= {cell.holder.name for cell in found}
    needing = {route.name for route in reading if route.security}
    assert {cell.route.name for cell in found} == needing


def test_a_ticket_for_any_match(table: RoleTable, monkeypatch: pytest.MonkeyPatch) -> None:
    right = tickets.Tickets.read

    def for_any(own: tickets.Tickets, text: str, _: UUID, now: int) -> tickets.Ticket | None:
        found = own._read(text)
        return None if found is None else right(own, text, UUID(bytes=found.match), now)

    monkeypatch.setattr(tickets.Tickets, "read", for_any)
    found = table.ticket_deviations(list(table.tickets.on_streams()))
    assert len(found) > 100
    assert {one.use for one in found} == {"elsewhere"}


def test_a_declaration_that_is_not_kept(table: RoleTable) -> None:
    wrong = replace(table.route("/close-phase"), security=tuple(only("seat")))
    concerned = ("seat:0", "seat:1", "moderator")
    where = [cell for cell in table.cells(wrong) if cell.holder.role in concerned]
    assert names(table.deviations(wrong)) == names(where)
    assert not {OTHER, None} & {cell.holder.role for cell in where}
