"""`/v1/matches/{id}/stream` and `/stream-tickets`: an audience's events as they happen."""

from collections.abc import Awaitable, Callable, Collection, Hashable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, NamedTuple
from uuid import UUID

from litestar import Controller
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct, field

from projections.audience.disclosure import Viewer, name_audience
from projections.audience.lines import Line
from projections.fields import Timestamp, rfc3339
from service.application.evidence.reads import KeyReading
from service.application.idempotency import RecordRequest
from service.auth.grants import Grant
from service.auth.keyring import hash_key
from service.auth.tickets import Ticket, Tickets
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import INTERNAL, time_ordered
from service.http.access.grants import grant_of_request, key_in, viewer_of
from service.http.access.guards import ANY_KEY, Requires
from service.http.description.routing import examples, get, post, problems
from service.http.errors.mistakes import AUDIENCE_PATTERN, in_query
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.rate_limiting import reserve_stream, stream_slots, ticket_in
from service.http.requests.audiences import COUNTS_ONLY, audience, reading_of
from service.http.requests.context import Connection, context
from service.http.requests.dependencies import As, MatchId, Once, Sent, TheInstance, position
from service.http.requests.event_answers import (
    LastEventId,
    StreamEnd,
    StreamOf,
    number_in,
    writer_of,
)
from service.http.requests.responses import INCARNATION, Answer, created
from service.instance import Instance
from service.streams.channels import EVENT_STREAM, NDJSON, Form
from service.streams.live_stream import Reader

NOTHING_MORE = "The match is over, and there is nothing more"
TICKET_AUDIENCE = "as: a ticket is for one audience"
AUDIENCE_BY_TICKET = (in_query("as", "not_allowed_here", "Leave it out: the ticket says it."),)
After = Annotated[int | None, position("Behind this number of the audience's own; default: now")]
StreamTicket = Annotated[
    str | None, QueryParameter(description="A ticket to this stream, in place of a key")
]


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


class StreamReaders(Requires):
    """For readers, by a key, a ticket in place of it, or neither."""

    async def find_grant(self, instance: Instance, connection: Connection) -> Grant | None:
        """What the request's key allows, which a ticket is read instead of. Raises Failed."""
        ticket = ticket_in(connection.scope)
        if ticket is None:
            return await super().find_grant(instance, connection)
        if context(connection).guard.tickets.find_id(ticket) is None:
            raise Failed("ticket_unknown")
        return None


class StreamsController(Controller):
    """Streams, and tickets to them for browsers, whose readers cannot send a key."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("reading",)

    @get(
        "/stream",
        summary="An audience's events, live",
        guards=[StreamReaders(optional=True)],
        response_headers=[INCARNATION],
        responses={204: ResponseSpec(None, description=NOTHING_MORE)},
        opt=problems(
            "ticket_unknown history_went_back",
            content={EVENT_STREAM.media_type: str, NDJSON.media_type: Line | StreamEnd},
            problem_headers={"409": [INCARNATION]},
        ),
    )
    async def stream_events(
        self,
        request: AnyRequest,
        match_id: MatchId,
        instance: TheInstance,
        as_: As = None,
        after: After = None,
        ticket: StreamTicket = None,
        last_event_id: LastEventId = None,
    ) -> ASGIResponse:
        """Server-sent events, or lines of JSON with `Accept: application/x-ndjson`.

        Begins with the number after which it begins. Ends when the match is over and everything
        has been sent: with `event: end`, as JSON `{"end":true,"seq":N}`. A reader that comes back
        then is answered 204. `Last-Event-ID` wins over `after`. With a `ticket` the audience is the
        ticket's.
        """
        last_seen = number_in(last_event_id)
        if ticket is not None and as_ is not None:
            raise Failed("bad_request", TICKET_AUDIENCE, errors=AUDIENCE_BY_TICKET)
        ticket_read = None if ticket is None else _ticket(request, match_id, ticket)
        access = await _access(instance, request, match_id, as_, ticket_read)
        reading = access.reading
        if hidden := reading is not None and reading.hidden:
            # Even a refusal tells how much there is at most; the stream begins with the number
            # after which it begins, and a HEAD tells that there is one.
            await reading.add(COUNTS_ONLY)
        stream = StreamOf(instance, instance.streams, match_id, access.viewer)
        after = await stream.begin(after, last_seen)

        def reader(form: Form) -> Reader:
            # First, so that the stream that it ends is not counted any more.
            still_allowed = access.hold(stream_slots(request.scope))
            reserve_stream(context(request).guard, request, access.key_hash)
            writer = None if hidden else writer_of(request)
            return Reader(access.viewer, form, still_allowed, access.watches, writer, reading)

        return await stream.answer(request, after, reader)

    @post(
        "/stream-tickets",
        summary="A ticket to a stream, for readers that cannot send a key",
        guards=[ANY_KEY],
        opt=problems("bad_audience not_allowed no_such_seat"),
    )
    async def give_stream_ticket(
        self, sent: Sent, once: Once, data: Annotated[NewTicket, NEW_TICKET] = OWN_TICKET
    ) -> Answer[GivenTicket]:
        """Needs a key that may read the match. The ticket opens the stream of this match, for the
        audience that the body names: `GET .../stream?ticket=`. It is good for a day, unless the key
        is revoked before. The same request again is given the same ticket. It is for one reader:
        another stream with it ends the first, so a browser that was cut off comes back by itself.
        """
        instance, headers = sent.instance, sent.request.scope["headers"]
        viewer = await audience(instance, sent.id, sent.own, data.as_, "body")
        key = instance.keyring.reference(key_in(headers) or "")
        tickets = context(sent.request).guard.tickets

        def answer_with(ticket_id: UUID, *, repeated: bool) -> Answer[GivenTicket]:
            ticket, expires = tickets.issue(ticket_id, sent.id, name_audience(viewer), key)
            answer = GivenTicket(ticket, rfc3339(expires))
            return created(answer, repeated=repeated)

        async def again(ticket_id: UUID) -> Answer[GivenTicket]:
            return answer_with(ticket_id, repeated=True)

        async def issue(ticket_id: UUID, record_request: RecordRequest) -> Answer[GivenTicket]:
            await record_request()
            return answer_with(ticket_id, repeated=False)

        ticket_id = time_ordered(instance.clock.now() // 1000, INTERNAL)
        return await instance.idempotency.once(once, ticket_id, again, issue)


@dataclass(frozen=True)
class Access:
    """By what a reader may read a stream as `viewer`. `check` returns the audience that it may read
    now, or raises Failed; without a key there is none, because what anyone may read stays open.
    `watches` are what it depends on: its key, its tournament, its ticket. `reading` accounts for
    the lines, if it reads by a key."""

    instance: Instance
    viewer: Viewer
    check: Callable[[], Awaitable[Viewer]] | None = None
    key_hash: bytes | None = None
    watches: Collection[Hashable] = ()
    ticket: UUID | None = None
    reading: KeyReading | None = None

    def hold(self, slots: ExitStack) -> Callable[[], Awaitable[bool]]:
        """Holds the ticket, if there is one, until `slots` are released or another stream holds it.
        Returns a check whether the reader may read on."""
        broadcast, ticket, superseded = self.instance.broadcast, self.ticket, slots.close
        if ticket is not None:
            broadcast.hold(ticket, superseded)
            self.instance.tell_others(ticket)
            slots.callback(broadcast.release, ticket, superseded)

        async def still_allowed() -> bool:
            if ticket is not None and not broadcast.holds(ticket, superseded):
                return False
            try:
                return self.check is None or self.viewer == await self.check()
            except Failed:
                return False

        return still_allowed


class Allowed(NamedTuple):
    """The audience that a reader may read now, and the key that allows it; None without a key."""

    viewer: Viewer
    key_hash: bytes | None
    grant: Grant | None


async def _access(
    instance: Instance, request: AnyRequest, match_id: UUID, as_: str | None, ticket: Ticket | None
) -> Access:
    """How the reader may read by a ticket, by a key, or without either. Raises Failed."""

    async def allowed() -> Allowed:
        if ticket is None:
            grant = await grant_of_request(instance, request)
            key, name = key_in(request.scope["headers"]), as_
            key_hash = None if grant is None or key is None else hash_key(key)
        else:
            key_hash, grant = await _issued_for(instance, context(request).guard.tickets, ticket)
            name = ticket.audience
        own = await viewer_of(instance, grant, match_id)
        return Allowed(await audience(instance, match_id, own, name), key_hash, grant)

    viewer, key_hash, grant = await allowed()
    if grant is None:
        return Access(instance, viewer)

    async def check() -> Viewer:
        return (await allowed()).viewer

    ticket_id = None if ticket is None else UUID(bytes=ticket.id)
    watches = [watch for watch in (key_hash, grant.tournament, ticket_id) if watch is not None]
    reading = await reading_of(instance, grant, match_id, viewer)
    return Access(instance, viewer, check, key_hash, watches, ticket=ticket_id, reading=reading)


def _ticket(request: AnyRequest, match_id: UUID, text: str) -> Ticket:
    """The ticket to this match. Raises Failed."""
    shared = context(request)
    ticket = shared.guard.tickets.read(text, match_id, shared.instance.clock.now())
    if ticket is None:
        raise Failed("ticket_unknown")
    return ticket


async def _issued_for(instance: Instance, tickets: Tickets, ticket: Ticket) -> tuple[bytes, Grant]:
    """The hash of the key that requested a ticket, and what that key allows. Raises Failed if it
    has ended."""
    ring, keyring = UUID(bytes=ticket.ring), instance.keyring
    grants = keyring.cached(ticket.slot, ring)
    key_hash = tickets.key_hash_of(ticket, grants)
    if key_hash is None:
        grants = await in_store_thread(keyring.read, ticket.slot, ring)
        key_hash = tickets.key_hash_of(ticket, grants)
    if key_hash is None:
        raise Failed("ticket_unknown")
    return key_hash, grants[key_hash]
