"""`/v1/matches/{id}/view` and `/events`: what an audience sees, now and at any position."""

from typing import Annotated

from litestar import Controller, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.response.base import ASGIResponse

from projections.audience import View
from projections.disclosure import named
from service.http.authentication import KEY_OPTIONAL
from service.http.authorization import viewer as viewer_of
from service.http.context import context
from service.http.etags import ETAG, etag, parse_tags
from service.http.operation import Header, declares
from service.http.parameters import As, MatchId, PageLimit, allow_only, position
from service.http.problems import AnyRequest
from service.http.request_body import header
from service.http.responses import READ_ERRORS, json_bytes, private_headers, raises, returns
from service.http.schemas import EventPage

At = Annotated[int | None, position("After this many of the audience's events; default: all")]
After = Annotated[int, position("After this number in the audience's own count")]

IF_NONE_MATCH = Header("If-None-Match", "The `ETag` of the view that the client has")


class ViewsController(Controller):
    """What readers see."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("reading",)

    @get(
        "/view",
        operation_id="viewMatch",
        summary="A match as an audience sees it",
        security=KEY_OPTIONAL,
        responses={
            **returns(200, View),
            304: ResponseSpec(None, description="The view that is known already"),
            **raises(*READ_ERRORS),
        },
        operation_class=declares(headers=[IF_NONE_MATCH], answer_headers=[ETAG]),
    )
    async def view(
        self, request: AnyRequest, match_id: MatchId, as_: As = None, at: At = None
    ) -> ASGIResponse:
        """At one `seq` the body never changes: request it again with its `ETag`."""
        instance = await context(request).router.instance_for(match_id)
        allow_only(request, "as", "at")
        viewer = await viewer_of(instance, request, match_id, as_)
        seq, body = await instance.sessions.view(match_id, viewer, at)
        tag = etag(named(viewer), seq)
        headers = private_headers(tag)
        known = parse_tags(header(request, b"if-none-match"))
        if known is not None and (tag in known or "*" in known):
            return json_bytes(b"", 304, headers)
        return json_bytes(body, 200, headers)

    @get(
        "/events",
        operation_id="listEvents",
        summary="An audience's events",
        security=KEY_OPTIONAL,
        responses={**returns(200, EventPage), **raises(*READ_ERRORS)},
        operation_class=declares(answer_headers=[ETAG]),
    )
    async def events(
        self,
        request: AnyRequest,
        match_id: MatchId,
        as_: As = None,
        after: After = 0,
        limit: PageLimit = 100,
    ) -> ASGIResponse:
        """Numbered 1, 2, 3 without gaps in the audience's own count."""
        instance = await context(request).router.instance_for(match_id)
        allow_only(request, "as", "after", "limit")
        viewer = await viewer_of(instance, request, match_id, as_)
        lines, more = await instance.sessions.lines(match_id, viewer, after, limit)
        last = after + len(lines)
        body = b'{"events":[%b],"next":%b}' % (b",".join(lines), b"%d" % last if more else b"null")
        return json_bytes(body, 200, private_headers(etag(named(viewer), last)))
