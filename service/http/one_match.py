"""`GET /v1/matches/{id}`: a match for everybody."""

from litestar import Controller
from litestar.response.base import ASGIResponse
from msgspec.json import encode

from projections.disclosure import PUBLIC_VIEWER
from projections.shown_match import ShownMatch, shown_match
from service.http.access import EVERYBODY
from service.http.caching import unless_known
from service.http.context import context
from service.http.etags import INCARNATION, etag, incarnation_header
from service.http.operation import IF_NONE_MATCH, Header, get
from service.http.parameters import MatchId, allow_only
from service.http.problems import AnyRequest
from service.http.responses import (
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
        return unless_known(request, tag, headers, encode(shown_match(opened.name, known)))
