"""`/view`, `/events` and `/notation` of `/v1/matches/{id}`: what an audience sees of a match, now
and at any position, and its moves as text."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from projections.audience.disclosure import MODERATOR, Viewer, name_audience
from projections.audience.view import View
from projections.notation.writing import FORMAT
from service.http.access.grants import found_grant
from service.http.access.guards import ONCE_IT_IS_OPEN, READERS
from service.http.description.routing import get, problems
from service.http.errors.mistakes import in_query
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware import caching
from service.http.middleware.caching import of_history, reads_public_address
from service.http.requests.audiences import account_for
from service.http.requests.context import context
from service.http.requests.dependencies import (
    As,
    MatchId,
    PageLimit,
    TheInstance,
    match_request,
    position,
)
from service.http.requests.dependencies import viewer as viewer_of
from service.http.requests.event_answers import (
    ANSWERED,
    WAITS,
    EventPage,
    page_of,
    public_lasting,
    wait_for_page,
)
from service.http.requests.request_body import JSON
from service.http.requests.responses import ETAG, INCARNATION, etag
from service.instance import Instance

At = Annotated[int | None, position("After this many of the audience's events; default: all")]
After = Annotated[int, position("After this number in the audience's own count")]

Wait = Annotated[
    WAITS | None,
    QueryParameter(
        description="With `as=public`: if there is no event after `after`, answer when there is "
        "one, or with an empty page after this many seconds; at once when the match is over"
    ),
]


PLAIN_TEXT = "text/plain"

NOT_PUBLIC = (in_query("as", "unknown_value", "Only the public's events wait.", "public"),)


class ViewsController(Controller):
    """What readers see."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("reading",)

    @get(
        "/view",
        summary="A match as an audience sees it",
        guards=[READERS],
        response_headers=ANSWERED,
        opt=problems("history_went_back", content={JSON: View}, conditional=True, public="as"),
    )
    async def view_match(
        self, request: AnyRequest, match_id: MatchId, as_: As = None, at: At = None
    ) -> ASGIResponse:
        """At one `seq` the body never changes: request it again with its `ETag`. With `as=public`
        the answer is the same for everyone, and no key is read."""
        instance = context(request).instance
        sent = await match_request(request, instance, match_id)
        viewer = await viewer_of(sent, as_)
        # What is withheld meanwhile is in the body: at worst it is asked for once more.
        withheld = await _withheld(instance, match_id, viewer)
        async with sent.accounting_for_refusals(viewer):
            seq, body = await instance.sessions.view(match_id, viewer, at)
        await sent.account(viewer, seq)
        tag = etag(name_audience(viewer), seq, instance.edition, withheld)
        lasting = {"Cache-Control": caching.CURRENT if at is None else caching.VIEW}
        public = reads_public_address(request.scope)
        return of_history(request, tag, body, lasting if public else None)

    @get(
        "/events",
        summary="An audience's events",
        guards=[READERS],
        response_headers=ANSWERED,
        opt=problems(
            "history_went_back wait_not_public",
            content={JSON: EventPage},
            conditional=True,
            public="as",
        ),
    )
    async def list_events(
        self,
        request: AnyRequest,
        match_id: MatchId,
        as_: As = None,
        after: After = 0,
        limit: PageLimit = 100,
        wait: Wait = None,
    ) -> ASGIResponse:
        """Numbered 1, 2, 3 without gaps in the audience's own count. With `as=public` the answer is
        the same for everyone, and no key is read; only then it may `wait`."""
        instance = context(request).instance
        public = reads_public_address(request.scope)
        sent = await match_request(request, instance, match_id)
        viewer = await viewer_of(sent, as_)
        if wait is not None:
            if not public:
                raise Failed("wait_not_public", errors=NOT_PUBLIC)
            await wait_for_page(request, instance.streams, match_id, after, wait)
        withheld = await _withheld(instance, match_id, viewer)
        async with sent.accounting_for_refusals(viewer):
            lines, more = await instance.sessions.lines(match_id, viewer, after, limit)
        last = after + len(lines)
        await sent.account(viewer, last)
        reader = await _reader(instance, match_id, viewer)
        tag = etag(reader, last, instance.edition, withheld, more=more)
        lasting = public_lasting(instance, wait, lines, more=more) if public else None
        return of_history(request, tag, page_of(lines, last, more=more), lasting)

    @get(
        "/notation",
        summary="The moves of a match as text",
        response_description="The moves",
        guards=[ONCE_IT_IS_OPEN],
        response_headers=[ETAG, INCARNATION],
        opt=problems(content={PLAIN_TEXT: str}, conditional=True),
    )
    async def read_notation(
        self, request: AnyRequest, match_id: MatchId, instance: TheInstance
    ) -> ASGIResponse:
        """One line a move, in UTF-8. For the match's moderators; for everyone as soon as everyone
        may read everything."""
        withheld = await _withheld(instance, match_id, MODERATOR)
        seq, text = await instance.sessions.notation(match_id)
        if (grant := found_grant(request)) is not None:
            await account_for(instance, grant, match_id, MODERATOR, seq)
        tag = etag(f"notation-{FORMAT}", seq, instance.edition, withheld)
        form = f"{PLAIN_TEXT}; charset=utf-8"
        return of_history(request, tag, text.encode(), media_type=form)


async def _withheld(instance: Instance, match_id: UUID, viewer: Viewer) -> int:
    """In how many events of an audience a name is withheld."""
    return (await instance.sessions.cached_projection(match_id, viewer))[1].withheld


async def _reader(instance: Instance, match_id: UUID, viewer: Viewer) -> str:
    """By what the pages of different readers differ: the audience, and which holder of its seat
    reads them."""
    holder = (await instance.sessions.cached(match_id)).tenure(viewer)
    return f"{name_audience(viewer)}-{holder}" if holder else name_audience(viewer)
