"""`/`: what is on, what was just decided, and the latest tournaments."""

from operator import itemgetter
from typing import Any

from litestar import Controller, get
from litestar.response.base import ASGIResponse
from msgspec import to_builtins

from domain.games import GAMES
from service.event_store.errors import StoreUnavailable
from service.http.context import context
from service.http.guards import EVERYBODY
from service.http.page_security import LOBBY_PAGE, SAME_ORIGIN, page_headers
from service.http.people.pages import page
from service.http.problems import AnyRequest

RETRY = {"Cache-Control": "no-store", "Retry-After": "1"}

ON_NOW, ABOUT_TO_BEGIN, DECIDED, TOURNAMENTS = 24, 6, 12, 6
"""How many of each the lobby shows."""


class LobbyPage(Controller):
    """The first page."""

    @get("/", guards=[EVERYBODY])
    async def lobby(self, request: AnyRequest) -> ASGIResponse:
        """The public lists, as everybody may read them."""
        try:
            lists = await _lists(request)
        except StoreUnavailable:
            return await page(request, "lobby.html", 503, RETRY, here="lobby", away=True)
        titles = {game.id: game.title for game in GAMES.values()}
        demo = context(request).demo is not None
        return await page(
            request, "lobby.html", headers=page_headers(LOBBY_PAGE, SAME_ORIGIN),
            here="lobby", away=False, titles=titles, demo=demo, **lists,
        )  # fmt: skip


async def _lists(request: AnyRequest) -> dict[str, Any]:
    """The public lists, as far as the lobby shows them."""
    lists = context(request).instance.lists

    async def matches(status: str, limit: int) -> Any:
        found = await lists.read(lambda index: index.page(limit=limit, status=status))
        return to_builtins(found.matches)

    tournaments = await lists.read(lambda index: index.tournaments(limit=TOURNAMENTS))
    on_now = await matches("running", ON_NOW) + await matches("paused", ON_NOW)
    return {
        "running": sorted(on_now, key=itemgetter("created_at"), reverse=True)[:ON_NOW],
        "waiting": await matches("created", ABOUT_TO_BEGIN),
        "decided": await matches("ended", DECIDED),
        "tournaments": to_builtins(tournaments.tournaments),
    }
