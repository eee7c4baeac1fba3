"""`/`: what is on, what was just decided, and the latest tournaments; `/demo/{game}`, which starts
a match between bots; `/games/{game}`, how one is played; and `/play/{match}` and `/organise`, the
pages of a seat and of an organiser.

A form of the lobby asks for a demo, so it needs no script. The pages of a seat and of an organiser
are the same for everyone. What an invitation is good for stands after the link's `#`, which is
not sent, and a key is in the browser alone: the scripts use it through the API.
"""

import asyncio
import math
from collections.abc import Iterable
from operator import itemgetter
from typing import Any
from uuid import UUID

from limits import parse
from litestar import Controller
from litestar.params import FromPath
from litestar.response.base import ASGIResponse
from msgspec import to_builtins

from domain.games import GAMES
from projections.audience.disclosure import PUBLIC_VIEWER
from service.event_store.errors import StoreUnavailable
from service.http.access.guards import EVERYBODY
from service.http.description.routing import get, post, problems
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.page_security import LOBBY_PAGE, SAME_ORIGIN, WORKER, page_headers
from service.http.middleware.rate_limiting import client_address
from service.http.people.pages import BY_LANGUAGE, language_of, page, page_answer
from service.http.requests.context import context, root_of
from service.http.requests.request_body import check_no_body, value_of
from service.http.requests.responses import json_bytes
from service.read_models.index import MatchFilters
from service.web.assets import board_of, form_of
from service.web.game_rules import game_rules
from service.web.rendering import rendered

RETRY = {"Cache-Control": "no-store", "Retry-After": "1"}

RATE = parse("5/hour")
"""How many matches between bots one client may start."""

OWN_SITE = (b"same-origin", b"none")
"""What Fetch Metadata says of a request that no other site has made."""

GAME_FILES = {
    name: {
        **board_of(name)._asdict(),
        "form": form_of(name),
        "options": to_builtins(game.complete(game.Options(), game.seats[0])),
    }
    for name, game in GAMES.items()
}
"""What each game brings to be drawn and played with."""

ON_NOW, ABOUT_TO_BEGIN, DECIDED, TOURNAMENTS = 24, 6, 12, 6
"""How many of each the lobby shows."""


class DemoFull(Exception):
    """There are as many matches between bots as there may be, for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class LobbyPages(Controller):
    """The first page, and where people begin from there."""

    @get("/", guards=[EVERYBODY])
    async def lobby(self, request: AnyRequest) -> ASGIResponse:
        """The public lists, as everyone may read them."""
        try:
            lists = await _lists(request)
            alive = await _alive(request, lists)
        except StoreUnavailable:
            return await page(request, "lobby.html", 503, RETRY, here="lobby", away=True)
        root, language = root_of(request), language_of(request).code
        games = [game_rules(game, language, root) for game in GAMES]
        demo = context(request).demo is not None
        return await page(
            request, "lobby.html", headers=page_headers(LOBBY_PAGE, SAME_ORIGIN),
            here="lobby", away=False, games=games, demo=demo,
            tables=context(request).instance.tables.most > 0, **alive, **lists,
        )  # fmt: skip

    @post("/demo/{game:str}", guards=[EVERYBODY], opt=problems(remembered=False))
    async def start(self, request: AnyRequest, game: FromPath[str]) -> ASGIResponse:
        """Starts a match and answers 303 with the address of its page."""
        await check_no_body(request)
        demo = context(request).demo
        if demo is None or game not in GAMES:
            raise Failed("not_found")
        if not _is_own(request):
            raise Failed("not_allowed")
        wait = _wait_of(request)
        if wait is not None:
            return await _refused(request, 429, wait)
        try:
            match_id = await demo(game)
        except DemoFull as full:
            return await _refused(request, 503, math.ceil(full.seconds))
        headers = {"Location": f"{root_of(request)}/m/{match_id}", "Cache-Control": "no-store"}
        return json_bytes(b"", 303, headers)

    @get("/games/{game:str}", guards=[EVERYBODY])
    async def rules(self, request: AnyRequest, game: FromPath[str]) -> ASGIResponse:
        """How a game is played, in the reader's language, and its rules to the letter."""
        if game not in GAMES:
            raise Failed("not_found")
        rules = game_rules(game, language_of(request).code, root_of(request))
        tables = context(request).instance.tables.most > 0
        return await page(request, "game.html", here="lobby", rules=rules, tables=tables)

    @get("/play", guards=[EVERYBODY])
    async def play_a_friend(self, request: AnyRequest) -> ASGIResponse:
        """The form by which anyone opens a table, once its script has read the games."""
        return await page(request, "play.html", here="play", games=GAME_FILES)

    @get("/play/{match:uuid}", guards=[EVERYBODY])
    async def play(self, request: AnyRequest, match: FromPath[UUID]) -> ASGIResponse:  # noqa: ARG002  for its script
        """The page. Whether there is such a match is not looked up. What a messenger adds to the
        address of a link is ignored."""
        return await page(request, "play.html", here="play", games=GAME_FILES)

    @get("/offline", guards=[EVERYBODY])
    async def offline(self, request: AnyRequest) -> ASGIResponse:
        """The page that a device shows while it is offline."""
        return await page(request, "offline.html", here="")

    @get("/worker.js", guards=[EVERYBODY])
    async def worker(self, request: AnyRequest) -> ASGIResponse:
        """The script that shows it: below the addresses of all pages, in the reader's language."""
        language = language_of(request)
        script = rendered("worker.js.jinja", language, root_of(request))
        headers = page_headers(WORKER) | {"Vary": BY_LANGUAGE}
        return await asyncio.to_thread(page_answer, request, script, "text/javascript", headers)

    @get("/organise", guards=[EVERYBODY])
    async def organise(self, request: AnyRequest) -> ASGIResponse:
        """The forms, once their script has been given a key."""
        return await page(request, "organise.html", here="organise")


async def _lists(request: AnyRequest) -> dict[str, Any]:
    """The public lists, as far as the lobby shows them."""
    lists = context(request).instance.lists

    async def matches(status: str, limit: int) -> Any:
        page = await lists.read(lambda index: index.page(MatchFilters(status=status), limit=limit))
        return to_builtins(page.matches)

    tournaments = await lists.read(lambda index: index.tournaments(limit=TOURNAMENTS))
    on_now = await matches("running", ON_NOW) + await matches("paused", ON_NOW)
    return {
        "running": sorted(on_now, key=itemgetter("created"), reverse=True)[:ON_NOW],
        # Who waits for a friend at an open table has sent the link, and waits for nobody else.
        "waiting": [
            row for row in await matches("created", ABOUT_TO_BEGIN) if not row["open_table"]
        ],
        "decided": await matches("ended", DECIDED),
        "tournaments": to_builtins(tournaments.tournaments),
    }


async def _alive(request: AnyRequest, lists: dict[str, Any]) -> dict[str, Any]:
    """The match with which the page opens, and the number of its last public event: the newest that
    is running, else the last that was decided. It is taken out of its list. Who plays a friend
    at an open table is not put there."""
    for rows in (lists["running"], lists["decided"]):
        candidates = (row for row in rows if row["status"] != "paused" and not row["open_table"])
        match = next(candidates, None)
        if match is not None:
            rows.remove(match)
            sessions = context(request).instance.sessions
            _, public = await sessions.projection(UUID(match["id"]), PUBLIC_VIEWER)
            return {"alive": match, "alive_at": public.seq}
    return {"alive": None, "alive_at": None}


def _is_own(request: AnyRequest) -> bool:
    """Whether no other site has made the request: it must not use up what a reader may start.
    Browsers say so by Fetch Metadata where a page came encrypted, and elsewhere by its origin."""
    headers = request.scope["headers"]
    site, origin = value_of(headers, b"sec-fetch-site"), value_of(headers, b"origin")
    if site is not None:
        return site in OWN_SITE
    return origin is None or _is_own_origin(origin, headers)


def _is_own_origin(origin: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the origin is the host that was asked (RFC 6454, section 7). Encrypted or not is not
    compared: a proxy may have taken the encryption off."""
    host = value_of(headers, b"host")
    return bool(host) and origin.partition(b"://")[2] == host


def _wait_of(request: AnyRequest) -> int | None:
    """For how many seconds the client may start no more; None if it may."""
    guard = context(request).guard
    address = client_address(guard, request.scope)
    return None if address is None else guard.limiter.count(RATE, f"demo/{address}")


async def _refused(request: AnyRequest, status: int, seconds: int) -> ASGIResponse:
    headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    minutes = math.ceil(seconds / 60)
    return await page(
        request, "demo_refused.html", status, headers, here="lobby", why=status, minutes=minutes
    )
