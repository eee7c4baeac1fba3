"""`/embed/{id}`: the board of a match for other sites, in a frame of theirs.

It shows what everybody may see, live; it has no keys, keeps nothing and leads nowhere but to the
page of the match.
"""

from uuid import UUID

from litestar import Controller, Response, get
from litestar.params import FromPath
from msgspec.json import decode

from domain.games import GAMES
from projections.disclosure import PUBLIC_VIEWER
from service.event_store.errors import UnknownMatch
from service.http.access import EVERYBODY
from service.http.context import context
from service.http.page_security import EMBEDDED_PAGE, page_headers
from service.http.parameters import allow_only
from service.http.people.assets import board_of
from service.http.people.pages import page
from service.http.problems import AnyRequest


class EmbeddedPage(Controller):
    """The board alone."""

    include_in_schema = False

    @get("/embed/{match_id:uuid}", security=EVERYBODY)
    async def board(self, request: AnyRequest, match_id: FromPath[UUID]) -> Response[bytes]:
        """The board of a match as it is now."""
        allow_only(request)
        instance = context(request).instance
        headers = page_headers(EMBEDDED_PAGE)
        try:
            _, body = await instance.sessions.view(match_id, PUBLIC_VIEWER, None)
        except UnknownMatch:
            return await page(request, "embed_missing.html", 404, headers)
        shown = decode(body)
        return await page(
            request,
            "embed.html",
            headers=headers,
            shown=shown,
            title=GAMES[shown["game"]].title,
            board=board_of(shown["game"]),
        )
