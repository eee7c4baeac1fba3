"""`/v1/matches/{id}/stream`: an audience's events as they happen."""

from typing import Annotated
from uuid import UUID

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, HeaderParameter, QueryParameter
from litestar.response import Stream

from projections.disclosure import named
from service.arbiter import Arbiter
from service.http.access import audience
from service.http.problems import AnyRequest, Failed
from service.http.responses import READING, only, raises
from service.http.views import LAST, As
from service.streams.lines import EVENT_STREAM, NDJSON, follow

LastEventId = Annotated[
    str | None,
    HeaderParameter(name="Last-Event-ID", description="What an interrupted reader saw last"),
]


def routes(arbiter: Arbiter) -> list[HTTPRouteHandler]:
    """The route of live readers."""

    @get(
        "/v1/matches/{match_id:uuid}/stream",
        operation_id="streamEvents",
        summary="An audience's events, live",
        tags=["reading"],
        responses=raises(*READING),
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
        last_event_id: LastEventId = None,
    ) -> Stream:
        """Server-sent events, or lines of JSON with `Accept: application/x-ndjson`.

        Ends when the match is over and everything has been sent.
        """
        only(request, "as", "after")
        viewer = await audience(arbiter, request, match_id, as_)
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
                return viewer == await audience(arbiter, request, match_id, named(viewer))
            except Failed:
                return False

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
