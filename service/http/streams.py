"""`/v1/matches/{id}/stream`: an audience's events as they happen."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from projections.disclosure import Viewer, named
from projections.lines import Line
from service.auth.keys import hashed
from service.http.authentication import KEY_OPTIONAL, key_in
from service.http.authorization import viewer as viewer_of
from service.http.context import context
from service.http.dependencies import MATCH_DEPENDENCIES, query
from service.http.head import is_head
from service.http.operation import declares
from service.http.parameters import As, MatchId, QueryParameters, position
from service.http.problems import AnyRequest, Failed
from service.http.rate_limiting import StreamSlots, reserve_stream
from service.http.responses import READ_ERRORS, raises
from service.http.tickets import viewer_by_ticket
from service.instance import Instance
from service.streams.live_stream import EVENT_STREAM, NDJSON, follow

LastEventId = Annotated[
    str | None,
    HeaderParameter(name="Last-Event-ID", description="What an interrupted reader saw last"),
]

Identify = Callable[[str | None], Awaitable[tuple[Viewer, bytes | None]]]
"""Returns the audience that may read a stream now, if the reader names this audience or none, and
the hash of the reader's key. Raises Failed."""


class StreamQuery(QueryParameters, frozen=True):
    """For which audience, and from where on."""

    as_: As = None
    after: Annotated[
        int | None, position("Behind this number of the audience's own; default: now")
    ] = None
    ticket: Annotated[
        str | None, QueryParameter(description="A ticket to this stream, in place of a key")
    ] = None


class StreamsController(Controller):
    """Live readers."""

    path = "/v1/matches/{match_id:uuid}/stream"
    tags = ("reading",)
    dependencies = MATCH_DEPENDENCIES

    @get(
        operation_id="streamEvents",
        summary="An audience's events, live",
        security=KEY_OPTIONAL,
        responses=raises(*READ_ERRORS, "ticket_unknown"),
        operation_class=declares(content={EVENT_STREAM.media_type: str, NDJSON.media_type: Line}),
        middleware=[StreamSlots()],
        dependencies=query(StreamQuery),
    )
    async def stream(
        self,
        request: AnyRequest,
        match_id: MatchId,
        parameters: NamedDependency[StreamQuery],
        instance: NamedDependency[Instance],
        last_event_id: LastEventId = None,
    ) -> Stream:
        """Server-sent events, or lines of JSON with `Accept: application/x-ndjson`.

        Ends when the match is over and everything has been sent. With a `ticket` the audience is
        the ticket's.
        """
        identify = await _identification(instance, request, match_id, parameters)
        viewer, key_hash = await identify(parameters.as_)
        after = parameters.after if parameters.after is not None else _number(last_event_id)
        begin = await _begin(instance, match_id, viewer, after)
        accepted = request.headers.get("accept", "")
        form = NDJSON if NDJSON.media_type in accepted else EVENT_STREAM

        async def still_allowed() -> bool:
            """The key may have been revoked since."""
            try:
                return viewer == (await identify(named(viewer)))[0]
            except Failed:
                return False

        if is_head(request):
            lines = no_lines()
        else:
            reserve_stream(context(request).guard, request, key_hash)
            lines = follow(instance, match_id, viewer, begin, form, still_allowed)
        return Stream(
            lines,
            media_type=form.media_type,
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )


async def no_lines() -> AsyncIterator[bytes]:
    """What the answer to a HEAD request has in it."""
    nothing: tuple[bytes, ...] = ()
    for line in nothing:
        yield line


async def _identification(
    instance: Instance, request: AnyRequest, match_id: UUID, parameters: StreamQuery
) -> Identify:
    """How the reader is identified, by a ticket or by a key. Uses the ticket up, unless nothing of
    the stream is read. Raises Failed."""
    tickets = context(request).guard.tickets
    if parameters.ticket is None:

        async def by_key(audience: str | None) -> tuple[Viewer, bytes | None]:
            viewer = await viewer_of(instance, request, match_id, audience)
            key = key_in(request.scope["headers"])
            return viewer, None if key is None else hashed(key)

        return by_key
    if parameters.as_ is not None:
        raise Failed("bad_request", "as: a ticket is for one audience")
    redeem = tickets.check if is_head(request) else tickets.redeem
    ticket = await redeem(parameters.ticket, match_id, instance.clock.now())
    if ticket is None:
        raise Failed("ticket_unknown")

    async def by_ticket(_: str | None) -> tuple[Viewer, bytes | None]:
        return await viewer_by_ticket(instance, tickets, ticket)

    return by_ticket


async def _begin(instance: Instance, match_id: UUID, viewer: Viewer, after: int | None) -> int:
    """The number behind which the stream begins: by default the audience's last.

    Raises UnknownPosition for a number that the audience has not reached.
    """
    if after is not None:
        await instance.sessions.lines(match_id, viewer, after, 1)
        return after
    _, projection = await instance.sessions.projection(match_id, viewer)
    return projection.state.seq


def _number(last_event_id: str | None) -> int | None:
    if last_event_id is None or last_event_id == "":
        return None
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 16):
        raise Failed("bad_request", "Last-Event-ID: not a number of this stream")
    return int(last_event_id)
