"""`/v1/matches/{id}/notation`: the moves of a match as text, for whoever may read everything."""

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse

from projections.disclosure import MODERATOR
from projections.notation.writing import FORMAT
from service.http.access import once_opened
from service.http.authorization import check_opened
from service.http.caching import unless_known
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.etags import ETAG, INCARNATION, etag, incarnation_header
from service.http.operation import IF_NONE_MATCH, Answer, get
from service.http.parameters import QueryParameters
from service.http.responses import private_headers

PLAIN_TEXT = "text/plain"


class NotationController(Controller):
    """A match as text."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("reading",)
    dependencies = MATCH_DEPENDENCIES

    @get(
        "/notation",
        operation_id="readNotation",
        summary="The moves of a match as text",
        security=once_opened("moderator"),
        content={PLAIN_TEXT: str},
        headers=[IF_NONE_MATCH],
        answer_headers=[ETAG, INCARNATION],
        query=QueryParameters,
        answers={200: Answer(None, "The moves")},
    )
    async def read_notation(self, call: NamedDependency[MatchCall]) -> ASGIResponse:
        """One line a move, in UTF-8; `arbiter import` reads it back. For the match's moderators;
        for everybody as soon as everybody may read everything."""
        await check_opened(call.instance, call.request, call.id)
        seq, text = await call.instance.sessions.notation(call.id)
        await call.account(MODERATOR, seq)
        tag = etag(f"notation-{FORMAT}", seq, call.instance.edition)
        headers = private_headers(tag) | incarnation_header(call.instance)
        form = f"{PLAIN_TEXT}; charset=utf-8"
        return unless_known(call.request, tag, headers, text.encode(), form)
