"""`/v1/matches/{id}/stream-tickets`: streams for browsers, whose readers cannot send a key."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, post
from litestar.di import NamedDependency
from msgspec import Meta, Struct, field

from domain.tournament_state import Request
from projections.disclosure import Viewer, named
from projections.timestamps import Timestamp, rfc3339
from service.application.idempotency import RecordRequest
from service.auth.grants import Grant
from service.auth.tickets import Ticket, Tickets
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import INTERNAL, time_ordered
from service.http.context import context
from service.http.dependencies import audience
from service.http.described import examples, problems
from service.http.grants import key_in, viewer_of
from service.http.guards import ANY_KEY
from service.http.mistakes import AUDIENCE_PATTERN
from service.http.parameters import MatchId
from service.http.problems import AnyRequest, Failed
from service.http.responses import SHOWN_ONCE, Answer, created
from service.instance import Instance


class NewTicket(Struct, frozen=True, forbid_unknown_fields=True):
    """The audience of the stream."""

    as_: Annotated[
        Annotated[str, Meta(extra_json_schema={"pattern": AUDIENCE_PATTERN})] | None,
        Meta(description="By default the key's own"),
    ] = field(name="as", default=None)


class GivenTicket(Struct, frozen=True):
    """A ticket to the match's stream, and when it expires."""

    ticket: Annotated[str, Meta(description="Put it into `ticket` of the address")]
    expires: Timestamp


NEW_TICKET = examples({"own": {}, "seat": {"as": "seat:0"}})
OWN_TICKET = NewTicket()


class TicketsController(Controller):
    """Tickets to streams."""

    path = "/v1/matches/{match_id:uuid}/stream-tickets"
    tags = ("reading",)

    @post(
        operation_id="giveStreamTicket",
        summary="A ticket to a stream, for readers that cannot send a key",
        guards=[ANY_KEY],
        opt=problems("bad_audience not_allowed no_such_seat"),
    )
    async def give_ticket(
        self,
        request: AnyRequest,
        match_id: MatchId,
        own: NamedDependency[Viewer],
        once: NamedDependency[Request | None],
        instance: NamedDependency[Instance],
        data: Annotated[NewTicket, NEW_TICKET] = OWN_TICKET,
    ) -> Answer[GivenTicket]:
        """Needs a key that may read the match. The ticket opens the stream of this match, for the
        audience that the body names: `GET .../stream?ticket=`. It is good for a day, unless the key
        is revoked before. The same request again is given the same ticket. It is for one reader:
        another stream with it ends the first, so a browser that was cut off comes back by itself.
        """
        viewer = await audience(instance, match_id, own, data.as_, "body")
        key = instance.keyring.reference(key_in(request.scope["headers"]) or "")
        tickets = context(request).guard.tickets

        def given(chosen: UUID, *, repeated: bool) -> Answer[GivenTicket]:
            issued = tickets.issue(chosen, match_id, named(viewer), key)
            answer = GivenTicket(issued[0], rfc3339(issued[1]))
            return created(answer, repeated=repeated, headers=SHOWN_ONCE)

        async def again(chosen: UUID) -> Answer[GivenTicket]:
            return given(chosen, repeated=True)

        async def issue(chosen: UUID, record_request: RecordRequest) -> Answer[GivenTicket]:
            await record_request()
            return given(chosen, repeated=False)

        chosen = time_ordered(instance.clock.now() // 1000, INTERNAL)
        return await instance.idempotency.once(once, chosen, again, issue)


async def viewer_by_ticket(
    instance: Instance, tickets: Tickets, ticket: Ticket
) -> tuple[Viewer, bytes, Grant]:
    """The audience that a ticket allows, the hash of the key that requested it, and what that key
    allows.

    Raises Failed if that key does not allow the audience any more.
    """
    ring = UUID(bytes=ticket.ring)
    keyring = instance.keyring
    grants = keyring.cached(ticket.slot, ring)
    key_hash = tickets.key_hash_of(ticket, grants)
    if key_hash is None:
        grants = await in_store_thread(keyring.read, ticket.slot, ring)
        key_hash = tickets.key_hash_of(ticket, grants)
    if key_hash is None:
        raise Failed("ticket_unknown")
    grant = grants[key_hash]
    match_id = UUID(bytes=ticket.match)
    own = await viewer_of(instance, grant, match_id)
    return await audience(instance, match_id, own, ticket.audience), key_hash, grant
