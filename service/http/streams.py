"""`/v1/matches/{id}/stream`: an audience's events as they happen."""

from typing import Annotated
from uuid import UUID

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, HeaderParameter, QueryParameter
from litestar.response import Stream

from projections.disclosure import Viewer, named
from service.access.edge import Edge
from service.http.limiting import HoldingStreams, hold_stream
from service.http.problems import AnyRequest, Failed
from service.http.responses import READING, only, raises
from service.http.tickets import by_key, by_ticket, shown
from service.http.views import LAST, As
from service.stores import Stores
from service.streams.lines import EVENT_STREAM, NDJSON, follow

LastEventId = Annotated[
    str | None,
    HeaderParameter(name="Last-Event-ID", description="What an interrupted reader saw last"),
]


def routes(stores: Stores, edge: Edge) -> list[HTTPRouteHandler]:
    """The route of live readers."""

    @get(
        "/v1/matches/{match_id:uuid}/stream",
        operation_id="streamEvents",
        summary="An audience's events, live",
        tags=["reading"],
        responses=raises(*READING, "ticket_unknown"),
        middleware=[HoldingStreams()],
    )
    async def stream(
        request: AnyRequest,
        match_id: FromPath[UUID],
        as_: As = None,
        after: Annotated[
            int | None,
            QueryParameter(
                ge=0, le=LAST, description="Behind this number of the audience's own; default: now"
            ),
        ] = None,
        ticket: Annotated[
            str | None, QueryParameter(description="A ticket to this stream, in place of a key")
        ] = None,
        last_event_id: LastEventId = None,
    ) -> Stream:
        """Server-sent events, or lines of JSON with `Accept: application/x-ndjson`.

        Ends when the match is over and everything has been sent. With a `ticket` the audience is
        the ticket's.
        """
        arbiter = await stores.of(match_id)
        only(request, "as", "after", "ticket")
        if ticket is not None and as_ is not None:
            raise Failed("bad_request", "as: a ticket is for one audience")
        taken = None if ticket is None else await shown(arbiter, edge.tickets, match_id, ticket)

        async def given(asked: str | None) -> tuple[Viewer, bytes | None]:
            """What the ticket gives, or what the key does, and whose stream it is."""
            if taken is not None:
                return await by_ticket(arbiter, edge.tickets, taken)
            return await by_key(arbiter, request, match_id, asked)

        viewer, key_hash = await given(as_)
        begin = after if after is not None else _number(last_event_id)
        if begin is not None:
            await arbiter.open_matches.lines(match_id, viewer, begin, 1)
        accepted = request.headers.get("accept", "")
        form = NDJSON if NDJSON.media_type in accepted else EVENT_STREAM
        if begin is None:
            _, reader = await arbiter.open_matches.read(match_id, viewer)
            begin = reader.sight.seq

        async def allowed() -> bool:
            """The key may have been revoked since."""
            try:
                return viewer == (await given(named(viewer)))[0]
            except Failed:
                return False

        hold_stream(edge.gate, request, key_hash)
        return Stream(
            follow(arbiter, match_id, viewer, begin, form, allowed),
            media_type=form.media_type,
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return [stream]


def _number(last_event_id: str | None) -> int | None:
    if last_event_id is None or last_event_id == "":
        return None
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 16):
        raise Failed("bad_request", "Last-Event-ID: not a number of this stream")
    return int(last_event_id)
