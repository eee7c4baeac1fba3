"""`/v1/matches/{id}/view` and `/events`: what an audience sees, now and at any position."""

from typing import Annotated
from uuid import UUID

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse

from projections.disclosure import named
from projections.lines import line
from projections.sight import View
from service.http.access import audience, etag, tags
from service.http.bodies import EventPage
from service.http.problems import AnyRequest
from service.http.reading import header
from service.http.responses import READING, json, json_bytes, only, own, raises, returns
from service.stores import Stores

LAST = 2**53 - 1
MOST_EVENTS = 1_000

As = Annotated[
    str | None,
    QueryParameter(
        name="as", description="`public`, `seat:N` or `moderator`; by default the key's own"
    ),
]


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The routes of readers."""

    @get(
        "/v1/matches/{match_id:uuid}/view",
        operation_id="viewMatch",
        summary="A match as an audience sees it",
        tags=["reading"],
        responses={**returns(200, View), **raises(*READING)},
    )
    async def view(
        request: AnyRequest,
        match_id: FromPath[UUID],
        as_: As = None,
        at: Annotated[
            int | None,
            QueryParameter(
                ge=0, le=LAST, description="After so many of this audience's events; default: all"
            ),
        ] = None,
    ) -> ASGIResponse:
        """At a given `seq` the body never changes: it may be asked for again with its `ETag`."""
        arbiter = await stores.of(match_id)
        only(request, "as", "at")
        viewer = await audience(arbiter, request, match_id, as_)
        seq, body = await arbiter.open_matches.view(match_id, viewer, at)
        tag = etag(named(viewer), seq)
        headers = own(tag)
        known = tags(header(request, b"if-none-match"))
        if known is not None and (tag in known or "*" in known):
            return json_bytes(b"", 304, headers)
        return json_bytes(body, 200, headers)

    @get(
        "/v1/matches/{match_id:uuid}/events",
        operation_id="listEvents",
        summary="An audience's events",
        tags=["reading"],
        responses={**returns(200, EventPage), **raises(*READING)},
    )
    async def events(
        request: AnyRequest,
        match_id: FromPath[UUID],
        as_: As = None,
        after: Annotated[
            int,
            QueryParameter(ge=0, le=LAST, description="Behind this number of the audience's own"),
        ] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=MOST_EVENTS)] = 100,
    ) -> ASGIResponse:
        """Numbered 1, 2, 3 without gaps in the audience's own count."""
        arbiter = await stores.of(match_id)
        only(request, "as", "after", "limit")
        viewer = await audience(arbiter, request, match_id, as_)
        numbered, more = await arbiter.open_matches.lines(match_id, viewer, after, limit)
        lines = [line(seq, record) for seq, record in numbered]
        page = EventPage(lines, lines[-1].seq if more else None)
        return json(page, 200, own(etag(named(viewer), lines[-1].seq if lines else after)))

    return [view, events]
