"""`/v1/matches/{id}/stream-tickets`: streams for browsers, whose readers cannot send a key."""

from uuid import UUID

import msgspec
from litestar import post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response.base import ASGIResponse
from msgspec import Struct, field

from projections.disclosure import Viewer, named
from projections.instants import rfc3339
from service.access.keys import granted, hashed
from service.access.tickets import Ticket, Tickets
from service.arbiter import Arbiter
from service.http.access import audience, audience_of, holder
from service.http.limiting import offered
from service.http.problems import AnyRequest, Failed
from service.http.reading import body_of, parsed
from service.http.responses import json, raises, returns
from service.storage.reading import from_store
from service.stores import Stores

GIVING = (
    "not_json", "wrong_shape", "bad_audience", "key_missing", "key_unknown", "not_allowed",
    "no_such_match", "no_such_seat", "too_large", "try_again",
)  # fmt: skip


class NewTicket(Struct, frozen=True, forbid_unknown_fields=True):
    """As which audience the stream is to be read; by default the key's own."""

    as_: str | None = field(name="as", default=None)


class GivenTicket(Struct, frozen=True):
    """A ticket to the match's stream, and until when it may be shown."""

    ticket: str
    expires: str


_new_ticket = msgspec.json.Decoder(NewTicket)


def routes(stores: Stores, tickets: Tickets) -> list[HTTPRouteHandler]:
    """The route of tickets."""

    @post(
        "/v1/matches/{match_id:uuid}/stream-tickets",
        operation_id="giveStreamTicket",
        summary="A ticket to a stream, for readers that cannot send a key",
        tags=["reading"],
        responses={**returns(201, GivenTicket), **raises(*GIVING)},
    )
    async def give_ticket(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs a key that may read the match. The ticket opens one stream of this match, for the
        audience asked for, within 30 seconds: `GET .../stream?ticket=`. The stream ends when the
        key is revoked. Who is cut off asks for another and goes on with `after`.
        """
        arbiter = await stores.of(match_id)
        grant = await holder(arbiter, request)
        body = (await body_of(request)).strip()
        new = parsed(body, _new_ticket) if body else NewTicket()
        viewer = await audience_of(arbiter, grant, match_id, new.as_)
        key = offered(request.scope["headers"]) or ""
        slot, ring = arbiter.keyring.place(key)
        ticket, expires = tickets.give(
            match_id, named(viewer), slot, ring, hashed(key), arbiter.clock.now()
        )
        given = GivenTicket(ticket, rfc3339(expires))
        return json(given, 201, {"Cache-Control": "no-store"})

    return [give_ticket]


async def by_key(
    arbiter: Arbiter, request: AnyRequest, match_id: UUID, asked: str | None
) -> tuple[Viewer, bytes | None]:
    """The audience as which a request may read, and the hash of the key that it brings.

    Raises Failed.
    """
    viewer = await audience(arbiter, request, match_id, asked)
    key = offered(request.scope["headers"])
    return viewer, None if key is None else hashed(key)


async def shown(arbiter: Arbiter, tickets: Tickets, match_id: UUID, text: str) -> Ticket:
    """What a ticket says that is shown for the first time. Raises Failed."""
    ticket = await tickets.take(text, match_id, arbiter.clock.now())
    if ticket is None:
        raise Failed("ticket_unknown")
    return ticket


async def by_ticket(arbiter: Arbiter, tickets: Tickets, ticket: Ticket) -> tuple[Viewer, bytes]:
    """The audience that a ticket gives, and the hash of the key that it was given for.

    Raises Failed if that key does not give it any more.
    """
    ring = UUID(bytes=ticket.ring)
    keyring = await arbiter.keys.ring(ring)
    key_hash = tickets.held(ticket, keyring.hashes(ticket.slot, ring) or ())
    if key_hash is None:
        hashes = await from_store(keyring.learn_hashes, ticket.slot, ring)
        key_hash = tickets.held(ticket, hashes)
    if key_hash is None:
        raise Failed("ticket_unknown")
    grant, match_id = granted(ticket.slot, ring), UUID(bytes=ticket.match)
    return await audience_of(arbiter, grant, match_id, ticket.audience), key_hash
