"""`/v1/matches/{id}/stream-tickets`: streams for browsers, whose readers cannot send a key."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct, field

from projections.disclosure import Viewer, named
from projections.timestamps import Timestamp, rfc3339
from service.application.idempotency import RecordRequest
from service.auth.grants import Grant, grant_of
from service.auth.key_form import hashed
from service.auth.tickets import Ticket, Tickets
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import INTERNAL, time_ordered
from service.http.access import ANY_KEY
from service.http.authentication import key_in
from service.http.authorization import viewer_of_grant
from service.http.context import context
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.idempotency import read_once
from service.http.operation import IDEMPOTENCY_KEY, post
from service.http.problems import Failed
from service.http.request_body import Body
from service.http.responses import SHOWN_ONCE, created
from service.http.usual_mistakes import AUDIENCE_PATTERN
from service.instance import Instance


class NewTicket(Struct, frozen=True, forbid_unknown_fields=True):
    """The audience of the stream; by default the key's own."""

    as_: Annotated[str, Meta(extra_json_schema={"pattern": AUDIENCE_PATTERN})] | None = field(
        name="as", default=None
    )


class GivenTicket(Struct, frozen=True):
    """A ticket to the match's stream, and when it expires."""

    ticket: str
    expires: Timestamp


NEW_TICKET = Body(NewTicket, {"own": {}, "seat": {"as": "seat:0"}}, required=False)


class TicketsController(Controller):
    """Tickets to streams."""

    path = "/v1/matches/{match_id:uuid}/stream-tickets"
    tags = ("reading",)
    dependencies = MATCH_DEPENDENCIES

    @post(
        operation_id="giveStreamTicket",
        summary="A ticket to a stream, for readers that cannot send a key",
        security=ANY_KEY,
        answer=GivenTicket,
        body=NEW_TICKET,
        headers=[IDEMPOTENCY_KEY],
        errors="bad_audience not_allowed no_such_seat",
    )
    async def give_ticket(
        self, call: NamedDependency[MatchCall], grant: NamedDependency[Grant]
    ) -> ASGIResponse:
        """Needs a key that may read the match. The ticket opens the stream of this match, for the
        audience that the body names: `GET .../stream?ticket=`. It is good for a day, unless the key
        is revoked before. The same request again is given the same ticket. It is for one reader:
        another stream with it ends the first, so a browser that was cut off comes back by itself.
        """
        new, once = await read_once(call.request, NEW_TICKET)
        viewer = await viewer_of_grant(call.instance, grant, call.id, new.as_, "body")
        key = key_in(call.request.scope["headers"]) or ""
        slot, ring = call.instance.keyring.slot_of(key)
        tickets, idempotency = context(call.request).guard.tickets, call.instance.idempotency

        def given(chosen: UUID, *, repeated: bool) -> ASGIResponse:
            issued = tickets.issue(chosen, call.id, named(viewer), slot, ring, hashed(key))
            answer = GivenTicket(issued[0], rfc3339(issued[1]))
            return created(answer, repeated=repeated, headers=SHOWN_ONCE)

        async def again(chosen: UUID) -> ASGIResponse:
            return given(chosen, repeated=True)

        async def issue(chosen: UUID, record_request: RecordRequest) -> ASGIResponse:
            await record_request()
            return given(chosen, repeated=False)

        now = call.instance.clock.now() // 1000
        return await idempotency.once(once, time_ordered(now, INTERNAL), again, issue)


async def viewer_by_ticket(
    instance: Instance, tickets: Tickets, ticket: Ticket
) -> tuple[Viewer, bytes, Grant]:
    """The audience that a ticket allows, the hash of the key that requested it, and what that key
    allows.

    Raises Failed if that key does not allow the audience any more.
    """
    ring = UUID(bytes=ticket.ring)
    keyring = instance.keyring
    key_hash = tickets.key_hash_of(ticket, keyring.hashes(ticket.slot, ring) or ())
    if key_hash is None:
        hashes = await in_store_thread(keyring.load_hashes, ticket.slot, ring)
        key_hash = tickets.key_hash_of(ticket, hashes)
    if key_hash is None:
        raise Failed("ticket_unknown")
    grant = keyring.grant_by(ticket.slot, ring, key_hash) or grant_of(ticket.slot, ring)
    viewer = await viewer_of_grant(instance, grant, UUID(bytes=ticket.match), ticket.audience)
    return viewer, key_hash, grant
