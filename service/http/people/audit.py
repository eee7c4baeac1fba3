"""`/m/{id}/audit`: the record of a match, for those who settle a dispute.

The page shows what everybody may read and nothing else: no key reaches it. What a key shows its
script reads through the API.
"""

from uuid import UUID

from litestar import Controller, get
from litestar.params import FromPath
from litestar.response.base import ASGIResponse
from msgspec import to_builtins

from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.shown_match import shown_match
from projections.timeline import timeline
from service.application.evidence import is_open
from service.event_store.errors import UnknownMatch
from service.http.context import context
from service.http.guards import EVERYBODY
from service.http.people.pages import missing, page
from service.http.problems import AnyRequest
from service.http.timeline_schemas import timeline_lines
from service.web.assets import ADDRESS

SHOWN = 100
"""Events that the page has without a script."""

VERIFIER = f"{ADDRESS}/verifier.js"


class AuditPage(Controller):
    """The page of an audit."""

    @get("/m/{match_id:uuid}/audit", guards=[EVERYBODY])
    async def audit(self, request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """The record as everybody may read it: all of it once it is open, else the public's."""
        instance = context(request).instance
        try:
            loaded, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        except UnknownMatch:
            return await missing(request)
        everything = is_open(loaded.match)
        viewer = MODERATOR if everything else PUBLIC_VIEWER
        first = await instance.sessions.shown(match_id, viewer, SHOWN, timeline)
        return await page(
            request,
            "audit.html",
            here="match",
            match=to_builtins(shown_match(loaded.name, public.state)),
            lines=to_builtins(timeline_lines(first)),
            open=everything,
            over=loaded.match.over,
            verifier=VERIFIER,
        )
