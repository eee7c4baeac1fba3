"""`/m/{id}/board.svg` and `/m/{id}/board.png`: the board of a match as everyone may see it, drawn
by the service, now and at every position. It shows no names."""

import asyncio
from uuid import UUID

from litestar import Controller
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from projections.audience.disclosure import PUBLIC_VIEWER
from projections.pictures import picture_of
from service.http.access.guards import EVERYBODY
from service.http.description.routing import get, problems
from service.http.errors.problems import AnyRequest
from service.http.matches.views import At
from service.http.middleware.caching import CURRENT, POSITION, content_tag, is_unchanged
from service.http.people.pages import page_answer
from service.http.requests.context import context
from service.http.requests.responses import json_bytes
from service.observability.work import PICTURE_DRAWN, PICTURE_PAINTED, spend
from service.web.painting import painted


class PictureController(Controller):
    """Pictures of a match."""

    path = "/m/{match_id:uuid}"

    @get("/board.svg", guards=[EVERYBODY], opt=problems("history_went_back"))
    async def drawn(
        self, request: AnyRequest, match_id: FromPath[UUID], at: At = None
    ) -> ASGIResponse:
        """As SVG, for pages."""
        drawing = (await _drawing(request, match_id, at)).encode()
        headers = {"Cache-Control": _lasting(at)}
        return await asyncio.to_thread(page_answer, request, drawing, "image/svg+xml", headers)

    @get("/board.png", guards=[EVERYBODY], opt=problems("history_went_back"))
    async def painted(
        self, request: AnyRequest, match_id: FromPath[UUID], at: At = None
    ) -> ASGIResponse:
        """As PNG, for other programs that show a link."""
        drawing = await _drawing(request, match_id, at)
        tag = content_tag(drawing.encode())
        headers = {"Cache-Control": _lasting(at), "ETag": tag}
        if is_unchanged(request, tag):
            return json_bytes(b"", 304, headers)
        spend(PICTURE_PAINTED)
        return json_bytes(await asyncio.to_thread(painted, drawing), 200, headers, "image/png")


def address_of_picture(match_id: UUID, at: int | None) -> str:
    """Where programs that show a link find the picture of a match, or of a position of it."""
    return f"/m/{match_id}/board.png" + ("" if at is None else f"?at={at}")


def _lasting(at: int | None) -> str:
    return CURRENT if at is None else POSITION


async def _drawing(request: AnyRequest, match_id: UUID, at: int | None) -> str:
    """The public's board. Raises UnknownMatch, or UnknownPosition."""
    _, view = await context(request).instance.sessions.view(match_id, PUBLIC_VIEWER, at)
    spend(PICTURE_DRAWN)
    return await asyncio.to_thread(picture_of, view)
