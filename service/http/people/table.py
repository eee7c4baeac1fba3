"""`/table/{id}`: a match for who moderates or organises it.

The page itself shows what everybody may see. What a key shows is read by its script, over the API.
"""

from uuid import UUID

from litestar import Controller, Response, get
from litestar.params import FromPath
from msgspec import to_builtins

from projections.disclosure import PUBLIC_VIEWER
from projections.shown_match import shown_match
from service.event_store.errors import UnknownMatch
from service.http.access import EVERYBODY
from service.http.context import context
from service.http.parameters import allow_only
from service.http.people.assets import board_of
from service.http.people.pages import page
from service.http.problems import AnyRequest


class TablePage(Controller):
    """The table of a match."""

    include_in_schema = False

    @get("/table/{match_id:uuid}", security=EVERYBODY)
    async def table(self, request: AnyRequest, match_id: FromPath[UUID]) -> Response[bytes]:
        """The frame of the table; no key reaches it."""
        allow_only(request)
        instance = context(request).instance
        try:
            opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        except UnknownMatch:
            return await page(request, "missing.html", 404, here="match")
        match = to_builtins(shown_match(opened.name, public.state))
        board = board_of(match["game"])
        return await page(request, "table.html", here="match", match=match, board=board)
