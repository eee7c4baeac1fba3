"""`/m/{id}`: a match as everybody may see it.

The page shows what the public's answers of the API say, and nothing else: no key reaches it.
"""

from uuid import UUID

from litestar import Controller, Response, get
from litestar.params import FromPath
from msgspec import to_builtins
from msgspec.json import decode

from projections.disclosure import PUBLIC_VIEWER
from projections.shown_match import shown_match
from service.application.match_sessions import UnknownPosition
from service.event_store.errors import UnknownMatch
from service.http.access import EVERYBODY
from service.http.context import context
from service.http.parameters import allow_only
from service.http.people.assets import board_of
from service.http.people.pages import page
from service.http.problems import AnyRequest
from service.http.views import At


class MatchPage(Controller):
    """The page of a match."""

    include_in_schema = False

    @get("/m/{match_id:uuid}", security=EVERYBODY)
    async def match(
        self, request: AnyRequest, match_id: FromPath[UUID], at: At = None
    ) -> Response[bytes]:
        """A match now, or after the public's first `at` events."""
        allow_only(request, "at")
        instance = await context(request).router.instance_for(match_id)
        try:
            opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
            _, body = await instance.sessions.view(match_id, PUBLIC_VIEWER, at)
        except (UnknownMatch, UnknownPosition):
            return await page(request, "missing.html", 404, here="match")
        match, shown = to_builtins(shown_match(opened.name, public.state)), decode(body)
        awaited = [shown["seats"][seat] for seat in shown["awaiting"]["seats"]]
        return await page(
            request,
            "match.html",
            here="match",
            match=match,
            shown=shown,
            awaited=awaited,
            last=public.seq,
            board=board_of(shown["game"]),
        )
