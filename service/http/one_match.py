"""`GET /v1/matches/{id}`: a match for everybody."""

from litestar import Controller
from litestar.response.base import ASGIResponse

from projections.disclosure import PUBLIC_VIEWER
from projections.shown_match import ShownMatch, shown_match
from service.http.access import EVERYBODY
from service.http.caching import is_unchanged
from service.http.context import context
from service.http.etags import etag
from service.http.incarnation_header import INCARNATION, incarnation_header
from service.http.operation import IF_NONE_MATCH, Header, get
from service.http.parameters import MatchId, allow_only
from service.http.problems import AnyRequest
from service.http.responses import (
    json,
    json_bytes,
    private_headers,
)

TAG = Header("ETag", "The number of the public's last event, and the release and the history")


class OneMatchController(Controller):
    """What everybody may know of a match at a glance."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("matches",)

    @get(
        operation_id="showMatch",
        summary="A match: its game, seats, status and result",
        security=EVERYBODY,
        answer=ShownMatch,
        headers=[IF_NONE_MATCH],
        answer_headers=[TAG, INCARNATION],
        errors="bad_request",
    )
    async def show_match(self, request: AnyRequest, match_id: MatchId) -> ASGIResponse:
        """The same for everybody: no key is read. It has everything that is on record by now."""
        allow_only(request)
        instance = context(request).instance
        opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        known = public.state
        tag = etag("match", known.seq, instance.edition)
        headers = private_headers(tag) | incarnation_header(instance)
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, headers)
        return json(shown_match(opened.name, known), 200, headers)
