"""`/m/{id}`: a match as everybody may see it, now and at every position.

The page shows what the public's answers of the API say, and nothing else: no key reaches it. What
another audience sees the script of the page reads by the API.
"""

from typing import Any
from uuid import UUID

from litestar import Controller, Response, get
from litestar.params import FromPath
from msgspec import to_builtins
from msgspec.json import decode

from projections.disclosure import PUBLIC_VIEWER, Viewer, named
from projections.disclosure import viewer as viewer_named
from projections.shown_match import shown_match
from service.application.match_sessions import UnknownPosition
from service.event_store.errors import UnknownMatch
from service.http.access import EVERYBODY
from service.http.context import context
from service.http.parameters import As, allow_only
from service.http.people.assets import board_of
from service.http.people.pages import page
from service.http.problems import AnyRequest
from service.http.views import At
from service.instance import Instance


class MatchPage(Controller):
    """The page of a match."""

    include_in_schema = False

    @get("/m/{match_id:uuid}", security=EVERYBODY)
    async def match(
        self, request: AnyRequest, match_id: FromPath[UUID], as_: As = None, at: At = None
    ) -> Response[bytes]:
        """A match now, or after the first `at` events of an audience. For an audience that is not
        the public it is a frame, the same at every position."""
        allow_only(request, "as", "at")
        try:
            viewer = _viewer(as_)
            shown = await _shown(context(request).instance, match_id, viewer, at)
        except (UnknownMatch, UnknownPosition, UnknownAudience):
            return await page(request, "missing.html", 404, here="match")
        return await page(
            request, "match.html", here="match", audience=named(viewer), at=at, **shown
        )


class UnknownAudience(LookupError):
    """No match has this audience, or this match has not."""


def _viewer(name: str | None) -> Viewer:
    """The audience of an address. Raises UnknownAudience."""
    found = PUBLIC_VIEWER if name is None else viewer_named(name)
    if found is None:
        raise UnknownAudience
    return found


async def _shown(
    instance: Instance, match_id: UUID, viewer: Viewer, at: int | None
) -> dict[str, Any]:
    """What the page is filled with: of public things alone. Raises UnknownMatch, UnknownPosition or
    UnknownAudience."""
    sessions = instance.sessions
    opened, public = await sessions.projection(match_id, PUBLIC_VIEWER)
    _, body = await sessions.view(match_id, PUBLIC_VIEWER, at if viewer == PUBLIC_VIEWER else None)
    match, shown = to_builtins(shown_match(opened.name, public.state)), decode(body)
    if isinstance(viewer, int) and viewer >= len(match["seats"]):
        raise UnknownAudience
    awaited = [shown["seats"][seat] for seat in shown["awaiting"]["seats"]]
    board = board_of(match["game"])
    return {"match": match, "shown": shown, "awaited": awaited, "last": public.seq, "board": board}
