"""`GET /v1/export/matches`: many matches at once for organisers, one line a match."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse
from msgspec import UNSET, Meta, Struct, UnsetType

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from projections.audience.lines import Line
from projections.audience.shown_match import ShownMatch, shown_match
from service.application.evidence.evidence import is_open
from service.auth.grants import Grant
from service.auth.key_form import hashed
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.digests import RecordAltered
from service.http.access.grants import key_in
from service.http.access.guards import ORGANISER
from service.http.description.described import CONTENT
from service.http.description.routing import get
from service.http.errors.problems import AnyRequest, Failed
from service.http.matches.matches import Named
from service.http.middleware.head import is_head
from service.http.middleware.page_security import DATA, POLICY
from service.http.middleware.rate_limiting import reserve_stream
from service.http.requests.accounting import account_for
from service.http.requests.context import context
from service.http.requests.dependencies import TheGrant, TheInstance
from service.http.requests.parameters import OfGame, OfStatus, OfTournament
from service.http.requests.stream_answers import NO_STORE
from service.instance import Instance
from service.read_models.index import Index, MatchPage
from service.streams.forms import NDJSON

ROWS = 50
"""Matches that are looked up at once."""

LINES = 500
"""Maximum events in memory at once: a longer match is sent in several parts."""


AfterLine = Annotated[
    UUID | None, QueryParameter(description="Behind this match: the last whole line's `id`")
]

Pages = Callable[..., Awaitable[MatchPage]]
"""The page of the list that stands `after` a match."""


class ExportedMatch(Struct, frozen=True):
    """A match, and the events that everyone may read: all of them once the record is opened
    (`audience` is `moderator`), before that the public ones. With a `code`, that of an error, the
    record is damaged, and the line has only what could be read. The last line is `{"end":true}`.
    """

    id: str
    match: ShownMatch | UnsetType = UNSET
    audience: str | UnsetType = UNSET
    seq: Annotated[int | UnsetType, Meta(description="How many events it has")] = UNSET
    events: list[Line] | UnsetType = UNSET
    code: str | UnsetType = UNSET


class ExportController(Controller):
    """What organisers take with them."""

    path = "/v1/export/matches"
    tags = ("matches",)

    @get(
        summary="Many matches with their events, one line each",
        guards=[ORGANISER],
        opt={CONTENT: {NDJSON.media_type: ExportedMatch}},
    )
    async def export_matches(
        self,
        request: AnyRequest,
        grant: TheGrant,
        instance: TheInstance,
        game: OfGame = None,
        status: OfStatus = None,
        tournament: OfTournament = None,
        name: Named = None,
        after: AfterLine = None,
    ) -> ASGIResponse:
        """Newest first, with the filters of the list. Nothing in it is hidden from the organiser.

        A match that is going on is as it was when its line was begun. Without the line
        `{"end":true}` at the end the answer was cut off: ask again with `after`, the `id` of the
        last whole line. It counts as an open stream of the key.
        """
        page = partial(
            Index.page, limit=ROWS, game=game, status=status, tournament=tournament, name=name
        )

        def pages(after: UUID | None) -> Awaitable[MatchPage]:
            return instance.lists.read(partial(page, after=after))

        headers = {**NO_STORE, POLICY: DATA, "X-Accel-Buffering": "no"}
        lines: AsyncIterator[bytes] | Iterator[bytes] = iter(())
        if not is_head(request):
            key = key_in(request.scope["headers"])
            reserve_stream(context(request).guard, request, None if key is None else hashed(key))
            lines = _lines(request, grant, pages, await pages(after))
        return ASGIStreamingResponse(iterator=lines, media_type=NDJSON.media_type, headers=headers)


async def _lines(
    request: AnyRequest, organiser: Grant, pages: Pages, page: MatchPage
) -> AsyncIterator[bytes]:
    """The export in parts, beginning with this page of the list. It is cut off when the key has
    ended, the service stops, or a store does not answer: then its reader goes on later."""
    instance = context(request).instance
    try:
        while True:
            for row in page.matches:
                if instance.stopping.is_set() or not await _may_read_on(request):
                    return
                async for part in _line(instance, organiser, UUID(row.id)):
                    yield part
            if page.next is None:
                yield b'{"end":true}\n'
                return
            page = await pages(after=UUID(page.next))
    except StoreUnavailable:
        return


async def _may_read_on(request: AnyRequest) -> bool:
    try:
        await ORGANISER(request, request.route_handler)
    except Failed:
        return False
    return True


async def _line(instance: Instance, organiser: Grant, match_id: UUID) -> AsyncIterator[bytes]:
    """The line of a match in parts. What is handed out is accounted for before; none of it is a
    look, because everyone may read it."""
    yield b'{"id":"%b"' % str(match_id).encode()
    events = b""
    try:
        opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        viewer: Viewer = MODERATOR if is_open(opened.match) else PUBLIC_VIEWER
        _, projection = await instance.sessions.projection(match_id, viewer)
        seq = projection.seq
        await account_for(instance, organiser, match_id, viewer, seq)
        match = msgspec.json.encode(shown_match(opened.name, public.state))
        head = b',"match":%b,"audience":"%b","seq":%d,"events":['
        yield head % (match, named(viewer).encode(), seq)
        events = b"]"
        for after in range(0, seq, LINES):
            limit = min(LINES, seq - after)
            lines, _ = await instance.sessions.lines(match_id, viewer, after, limit)
            yield (b"," if after else b"") + b",".join(lines)
            # What is in memory needs no waiting: others have their turn.
            await asyncio.sleep(0)
        yield b"]}\n"
    except RecordAltered:
        yield events + b',"code":"record_altered"}\n'
