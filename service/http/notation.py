"""`/v1/matches/{id}/notation`: the moves of a match as text, for whoever may read everything."""

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse

from projections.disclosure import MODERATOR
from projections.notation.writing import FORMAT
from service.http.access import once_opened
from service.http.accounting import account
from service.http.authorization import check_opened
from service.http.caching import is_unchanged
from service.http.dependencies import MATCH_DEPENDENCIES
from service.http.etags import ETAG, etag
from service.http.incarnation_header import INCARNATION, incarnation_header
from service.http.operation import IF_NONE_MATCH, Answer, get
from service.http.parameters import MatchId, QueryParameters
from service.http.problems import AnyRequest
from service.http.responses import json_bytes, private_headers
from service.instance import Instance

PLAIN_TEXT = "text/plain"


class NotationQuery(QueryParameters, frozen=True):
    """Nothing."""


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
        query=NotationQuery,
        answers={200: Answer(None, "The moves")},
    )
    async def read_notation(
        self, request: AnyRequest, match_id: MatchId, instance: NamedDependency[Instance]
    ) -> ASGIResponse:
        """One line a move, in UTF-8; `arbiter import` reads it back. For the match's moderators;
        for everybody as soon as everybody may read everything."""
        await check_opened(instance, request, match_id)
        seq, text = await instance.sessions.notation(match_id)
        await account(instance, request, match_id, MODERATOR, seq)
        tag = etag(f"notation-{FORMAT}", seq, instance.edition)
        headers = private_headers(tag) | incarnation_header(instance)
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, headers)
        return json_bytes(text.encode(), 200, headers, f"{PLAIN_TEXT}; charset=utf-8")
