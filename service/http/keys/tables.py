"""`/v1/tables`, `/v1/matches/{id}/again` and `/v1/matches/{id}/recover`: matches that anyone may
open and play with friends, how they play on, and how they get a lost seat back."""

from hashlib import sha256
from typing import Annotated, Any

import msgspec
from limits import parse
from litestar import Controller
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.game import Refused
from domain.match.commands import Conflict
from domain.match.events import ClockRule
from domain.names import LONGEST_NAME, fault_in
from domain.requirements import MOST_SEATS
from domain.tournament.state import KeyedRequest
from projections.fields import Seat
from service.application.keys.tables import TableFull
from service.application.matches.creation import NewMatch
from service.http.access.guards import EVERYBODY, SEATED
from service.http.description.routing import examples, get, post, problems
from service.http.errors.creation_mistakes import creation_failed
from service.http.errors.problems import AnyRequest, Failed
from service.http.keys.invitations import INVITED, TableKey, guessing, own
from service.http.middleware.caching import content_tag, unless_known
from service.http.middleware.rate_limiting import client_address
from service.http.requests.context import context, link_to
from service.http.requests.dependencies import Sent, TheInstance
from service.http.requests.request_body import JSON
from service.http.requests.responses import ETAG, Answer, created, private_headers

OPENED_BY_ADDRESS = parse("20/hour")
"""How many tables may be opened from one address."""

TABLE = examples({"dollar_prize": {"game": "dollar-prize", "name": "Ann"}})
CODE = examples({"code": {"code": "MFRG-GZDF-MZTW-Q2LK-NRWW-43TU"}})


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """An open table to play at. `options` are the game's own; what is left out has its default."""

    game: Annotated[str, Meta(description="The id of a game", examples=["dollar-prize"])]
    name: Annotated[
        str,
        Meta(
            max_length=LONGEST_NAME, description="Of the person who opens it and has the first seat"
        ),
    ]
    options: Annotated[
        dict[str, Any], Meta(description="The game's own options: see `GET /v1/games/{game}`")
    ] = {}
    seats: Annotated[int, Meta(ge=2, le=MOST_SEATS, description="How many play")] = 2
    clock: Annotated[ClockRule, Meta(description="Whether the game's deadlines run")] = "rules"

    def match(self) -> NewMatch:
        """The match to create. Until somebody takes it, a seat has a name of its own."""
        free = (f"Seat {number}" for number in range(2, self.seats + 1))
        names = (self.name, *free)
        return NewMatch(self.game, names, self.options, clock=self.clock, rulings="single")


class OpenedTable(Struct, frozen=True):
    """An open table with the key to its first seat. The `link` is for the others; who has the
    `recovery` code gets a new key if this one is lost. The same request is shown all of it again
    for ten minutes, and no one after that."""

    match: str
    seat: Seat
    key: str
    link: Annotated[str, Meta(description="With it the others take their seats")]
    recovery: Annotated[
        str, Meta(description="What to write down: with it its holder gets the seat back")
    ]


class NextTable(Struct, frozen=True):
    """Where the players of an open table play on: null until one of them has opened it."""

    match: str | None


class NextSeat(Struct, frozen=True):
    """A seat of the next table, with its key and recovery code. The player who opened it also has a
    `link`, for anyone who is to play instead of another; null for the others."""

    match: str
    seat: Seat
    key: str
    link: str | None
    recovery: str


class RecoveryCode(Struct, frozen=True, forbid_unknown_fields=True):
    """The recovery code of a seat, as it was shown once. Spaces, dashes and case do not count."""

    code: Annotated[str, Meta(min_length=1, max_length=100)]


class RecoveredKey(Struct, frozen=True):
    """The new key to a seat, which no one else is shown."""

    key: str


class TablesController(Controller):
    """Open tables."""

    path = "/v1/tables"
    tags = ("tables",)

    @post(
        summary="Open a table to play at with friends",
        guards=[EVERYBODY],
        opt=problems(
            "no_open_tables too_many_tables name_not_allowed unknown_game seats_not_allowed "
            "options_not_allowed invitation_accepted idempotency_key_needed",
            remembered=False,
        ),
    )
    async def open_table(
        self,
        request: AnyRequest,
        data: Annotated[NewTable, TABLE],
        instance: TheInstance,
        key: TableKey = None,
    ) -> Answer[OpenedTable]:
        """For everyone, where the operator allows it. Chance comes from the service; the match is
        public, and proven like any other. It has no organiser and no moderator. Anyone who has the
        link takes a seat with `…/invitations/accept`; it starts when all have said `…/ready`. One
        at which nothing happens for seven days is void.
        """
        if not instance.tables.most:
            raise Failed("no_open_tables")
        if fault_in(data.name) is not None:
            raise Conflict("name_not_allowed")
        _count(request)
        key = own(key)
        new, body = data.match(), msgspec.json.encode(data, order="deterministic")
        keyed = KeyedRequest(
            sha256(f"table\0{key}".encode()).hexdigest(), sha256(key.encode() + body).digest()
        )
        try:
            opened = await instance.tables.open(new, keyed, key)
        except TableFull:
            raise Failed("too_many_tables", headers={"Retry-After": "60"}) from None
        except (Refused, msgspec.ValidationError) as error:
            raise creation_failed(new, error) from None
        first, link = opened.first, link_to(request, f"/play/{opened.match}", opened.token)
        assert link is not None, "there is a token"
        answer = OpenedTable(str(opened.match), first.seat, first.given.key, link, first.recovery)
        return created(answer, repeated=first.given.repeated)


class AgainController(Controller):
    """Playing on after an open table."""

    path = "/v1/matches/{match_id:uuid}/again"
    tags = ("tables",)

    @get(
        summary="At which table the players of an open table play on",
        guards=[SEATED],
        response_headers=[ETAG],
        opt=problems(content={JSON: NextTable}, conditional=True),
    )
    async def find_next_table(self, sent: Sent) -> ASGIResponse:
        """Needs a seat's key. A page that asks every few seconds after the end sends the `ETag`
        of the last answer."""
        next_match = await sent.instance.tables.next_of(sent.id)
        body = msgspec.json.encode(NextTable(None if next_match is None else str(next_match)))
        tag = content_tag(body)
        return unless_known(sent.request, tag, private_headers(tag), body)

    @post(
        summary="Play on at the next table",
        guards=[SEATED],
        opt=problems(
            "no_open_tables too_many_tables no_open_table match_not_over table_full "
            "name_not_allowed unknown_game options_not_allowed invitation_accepted "
            "idempotency_key_needed",
            remembered=False,
        ),
    )
    async def play_again(self, sent: Sent, key: TableKey = None) -> Answer[NextSeat]:
        """Needs a seat's key, of an open table that is over. The first to ask opens a table of the
        same game and options, the others get their seats at it: each the one after their own. It
        starts when all have said `…/ready`.
        """
        tables = sent.instance.tables
        if not tables.most:
            raise Failed("no_open_tables")
        if await tables.next_of(sent.id) is None:
            _count(sent.request)
        try:
            after = await tables.again(sent.id, sent.seat, own(key))
        except TableFull:
            raise Failed("too_many_tables", headers={"Retry-After": "60"}) from None
        link = link_to(sent.request, f"/play/{after.match}", after.token)
        seat_taken, given_key = after.taken, after.taken.given
        answer = NextSeat(
            str(after.match), seat_taken.seat, given_key.key, link, seat_taken.recovery
        )
        return created(answer, repeated=given_key.repeated)


class RecoveryController(Controller):
    """A lost seat."""

    path = "/v1/matches/{match_id:uuid}/recover"
    tags = ("tables",)

    @post(
        summary="Get a new key to a seat of an open table",
        guards=[INVITED],
        opt=problems(
            "no_such_invitation too_many_requests idempotency_key_needed", remembered=False
        ),
    )
    async def recover_seat(
        self, sent: Sent, data: Annotated[RecoveryCode, CODE], key: TableKey = None
    ) -> Answer[RecoveredKey]:
        """For the person who has the seat's recovery code. The old key ends, with its streams; the
        code stays good."""
        tables, keys = sent.instance.tables, sent.instance.match_keys
        with guessing(sent.request):
            new, repeated = await tables.recover(sent.id, data.code, own(key), keys)
        return created(RecoveredKey(new), repeated=repeated)


def _count(request: AnyRequest) -> None:
    """Counts a table of the address of a request. Raises Failed if there were too many."""
    guard = context(request).guard
    address = client_address(guard, request.scope)
    if address is None:
        return
    wait = guard.limiter.count(OPENED_BY_ADDRESS, f"tables/{address}")
    if wait is not None:
        raise Failed("too_many_tables", headers={"Retry-After": str(wait)})
