"""The cells of a route: every holder of a key, at every place, for every audience. What is answered
is compared with what the route declares."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
from litestar import Litestar
from litestar.types import ASGIApp
from msgspec.structs import replace

from service.auth.tickets import Tickets
from service.http.access.key_needed import EVERYBODY_ONCE_OPENED, ONCE_OVER
from service.http.errors.problems import Problem
from tests.contract.keys.asgi_requests import Reply, Request, answered
from tests.support.http.problem_documents import document
from tests.support.roles.declared_routes import BROKEN, Route
from tests.support.roles.key_holders import SEATS, WORTHLESS, Holder, Place, Places

PROOFS_OF_A_TOURNAMENT = ("{tournament_id}/bundle", "{tournament_id}/checkpoint")
"""Of one that is going on organisers alone may have these; so it is with all tournaments here."""

AUDIENCES = (None, "public", *SEATS, "moderator")


class Cell(NamedTuple):
    """One request to one place, and for which audience it asks."""

    route: Route
    place: Place
    holder: Holder
    asked: str | None

    @property
    def name(self) -> str:
        asks = "" if self.asked is None else f" as {self.asked}"
        return f"{self.route.name}{asks} at {self.place.name} by {self.holder.name}"


class Expected(NamedTuple):
    """How a cell is answered: with one of these statuses, and with one of these codes if that is a
    refusal. Otherwise `audience` is the one whose events are shown, where a route shows them."""

    statuses: set[int]
    codes: frozenset[str] = frozenset()
    audience: str | None = None


@dataclass
class Comparison:
    """Sends cells. `shown` has, for each audience of a place, what the first of its readers saw:
    all others must see the same bytes. `said` has what a refusal of a code says of the request.
    With `every`, HEAD is sent after every GET, and every example of a body."""

    app: Litestar
    tickets: Tickets
    every: bool = True
    shown: dict[tuple[str, str, str | None], bytes] = field(default_factory=dict)
    said: dict[tuple[object, ...], object] = field(default_factory=dict)
    sent: int = 0

    async def holds(self, cell: Cell) -> bool:
        """Whether a cell is answered as its route declares."""
        wanted = expected(cell)
        asked = requests(cell, wanted, every=self.every)
        replies = [await self.reply(request) for request in asked]
        return all(self.is_as(cell, wanted, reply) for reply in replies) and (
            not self.every or cell.route.method != "GET" or await self._head_is_as(cell, replies[0])
        )

    async def _head_is_as(self, cell: Cell, got: Reply) -> bool:
        [request] = requests(cell, expected(cell), every=True)
        return await self.reply(request._replace(method="HEAD")) == Reply(got.status, b"")

    async def reply(self, request: Request) -> Reply:
        """The application's answer."""
        self.sent += 1
        app: ASGIApp = self.app
        return await answered(app, request)

    def is_as(self, cell: Cell, wanted: Expected, reply: Reply) -> bool:
        """Whether a cell is answered like this."""
        if reply.status not in wanted.statuses:
            return False
        if wanted.codes:
            return self._is_refusal(cell, wanted.codes, reply)
        if wanted.audience is None:
            return True
        if cell.route.names_audience == "body":
            given = msgspec.json.decode(reply.body)["ticket"]
            ticket = self.tickets.read(given, cell.place.match, now=0)
            return ticket is not None and ticket.audience == wanted.audience
        where = (cell.route.name, cell.place.name, wanted.audience)
        same = self.shown.setdefault(where, reply.body) == reply.body
        is_view = cell.route.path.endswith("/view")
        return same and (
            not is_view or msgspec.json.decode(reply.body)["audience"] == wanted.audience
        )

    def _is_refusal(self, cell: Cell, codes: frozenset[str], reply: Reply) -> bool:
        """Whether the whole body is a refusal that says nothing of what is refused: what it says of
        the request is the same at every place. A page is the same for everyone."""
        if reply.body.startswith(b"<!doctype html>"):
            page = (cell.route.name, "", None, "", False)
            return self.said.setdefault(page, reply.body) == reply.body
        sent = msgspec.json.decode(reply.body, type=Problem)
        # That a match is over is public: who may use a route by then may still ask for too much.
        by_then = cell.place.is_over if cell.route.names_audience else None
        about = (cell.route.name, cell.holder.name, cell.asked, sent.code, by_then)
        plain, wrong = replace(sent, errors=()), sent.errors
        return self.said.setdefault(about, wrong) == wrong and plain in {
            replace(document(code), errors=()) for code in codes
        }


def cells(route: Route, places: Places) -> Iterator[Cell]:
    """Every cell of a route."""
    for place in places.of(route.parameters):
        for holder in place.holders:
            for asked in AUDIENCES if route.names_audience else (None,):
                yield Cell(route, place, holder, asked)


def is_sampled(cell: Cell) -> bool:
    """Whether a cell is tried where not every one is: of the keys that open nothing, which are
    refused before a route is looked at, a quarter, by turns."""
    turn = sum(map(len, (cell.route.name, cell.place.name, cell.holder.name)))
    return cell.holder.role != WORTHLESS or turn % 4 == 0


def requests(cell: Cell, wanted: Expected, *, every: bool) -> list[Request]:
    """What is sent: where the answer is a refusal, also what would have an effect without it; of
    several examples, one by turns, unless it is `every` one."""
    route, place = cell.route, cell.place
    query = {"as": cell.asked} if route.names_audience == "query" and cell.asked else {}
    if route.method == "GET":
        bodies = [b""]
    elif route.names_audience == "body":
        bodies = [msgspec.json.encode({"as": cell.asked})]
    else:
        turn = len(cell.holder.name) % max(1, len(route.examples))
        examples = route.examples if every else route.examples[turn : turn + 1]
        bodies = [BROKEN, *examples] if wanted.codes else [BROKEN]
    return [Request(route.method, route.at(place), query, cell.holder.key, body) for body in bodies]


def expected(cell: Cell) -> Expected:
    """What the route's declaration says of a cell."""
    route, place, role = cell.route, cell.place, cell.holder.role
    at_public_address = route.has_public_address and cell.asked == "public"
    if route.security and not at_public_address:
        if role == WORTHLESS:
            return refused("key_unknown")
        if role is None and not route.takes_no_key:
            return refused("key_missing")
    if not place.exists:
        return _of_nothing(route, cell.holder)
    if route.path.endswith(PROOFS_OF_A_TOURNAMENT):
        return Expected({200, 404}) if role == "organiser" else refused("tournament_not_closed")
    later = place.is_over and f"{kind_of(role)}{ONCE_OVER}" in route.roles
    let_in = (
        not route.roles or any(_is_named(route, place, one) for one in cell.holder.roles) or later
    )
    opens = place.is_opened if EVERYBODY_ONCE_OPENED in route.roles else place.is_over
    if not let_in and not (route.takes_no_key and opens):
        return refused("key_missing" if role is None else "not_allowed")
    audience = _audience(cell)
    if audience is None:
        return refused("not_allowed")
    return Expected(_done(route, place), audience=audience if route.names_audience else None)


def _audience(cell: Cell) -> str | None:
    """The audience that is shown; None if the holder may not ask for it."""
    own = cell.holder.role if cell.holder.role in (*SEATS, "moderator") else "public"
    asked = cell.asked or own
    return asked if own == "moderator" or cell.place.is_opened or asked in (own, "public") else None


def _done(route: Route, place: Place) -> set[int]:
    """How the route answers whom it lets in. Posts have a broken body, so that nothing changes; no
    token of a calendar is sent, and no tournament has a stage."""
    if route.path == "/v1/calendar.ics":
        return {400}
    if not route.security:
        return {200, 404} if route.method == "GET" else {400}
    if route.names_audience == "body":
        return {201}
    absent = route.parameters - place.values.keys() or "stage" in route.parameters
    missing = {404} if absent else set()
    return missing | ({200, 204} if route.method == "GET" else {400})


def refused(*codes: str) -> Expected:
    """A refusal with one of these codes."""
    return Expected({document(code).status for code in codes}, frozenset(codes))


def kind_of(role: str | None) -> str | None:
    """The role as routes name it: without the number of a seat."""
    return None if role is None else role.partition(":")[0]


def _is_named(route: Route, place: Place, role: str) -> bool:
    """Whether a route lets in a role; where its path names a player, that one alone."""
    kind, _, number = role.partition(":")
    of_another = (
        kind == "player" and "player" in route.parameters and number != place.values["player"]
    )
    return kind in route.roles and not of_another


def _of_nothing(route: Route, holder: Holder) -> Expected:
    """That a match or a tournament does not exist is no secret."""
    code = "no_such_tournament" if "tournament_id" in route.parameters else "no_such_match"
    may = not route.roles or holder.role in route.roles or route.takes_no_key
    return refused(code) if may else refused(code, "not_allowed")
