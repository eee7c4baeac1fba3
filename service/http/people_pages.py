"""The pages for people: the lobby, and a match as everybody may see it.

They show what the public's answers of the API say, and nothing else: no key reaches them.
"""

import asyncio
from importlib.resources import files
from typing import Any
from uuid import UUID

from litestar import Controller, MediaType, Response, get
from litestar.params import FromPath
from msgspec import to_builtins
from msgspec.json import decode

from domain.games import GAMES
from projections.disclosure import PUBLIC_VIEWER
from projections.shown_match import shown_match
from service.application.match_sessions import UnknownPosition
from service.event_store.errors import StoreUnavailable, UnknownMatch
from service.http.access import EVERYBODY
from service.http.caching import CHANGING, content_tag, is_unchanged
from service.http.context import context
from service.http.page_caching import CachedPages
from service.http.page_security import PEOPLE_PAGE, page_headers
from service.http.parameters import allow_only
from service.http.problems import AnyRequest, Failed
from service.http.request_body import value_of
from service.http.views import At
from service.web.rendering import rendered
from service.web.texts import Language, language_for

WEB = files("service.web").joinpath("pages")

ASSETS = {
    "style.css": "text/css",
    "times.js": "text/javascript",
    "mark.svg": "image/svg+xml",
}

HEADERS = {"Cache-Control": CHANGING, "Vary": "Accept-Language", **page_headers(PEOPLE_PAGE)}
RETRY = {"Cache-Control": "no-store", "Retry-After": "1"}

ON_NOW, ABOUT_TO_BEGIN, DECIDED, TOURNAMENTS = 24, 6, 12, 6
"""How many of each the lobby shows."""


class PeoplePages(Controller):
    """Pages that need no key, and are no part of the API's description."""

    include_in_schema = False

    @get("/", security=EVERYBODY)
    async def lobby(self, request: AnyRequest) -> Response[bytes]:
        """What is on now, what was just decided, and the latest tournaments."""
        allow_only(request)
        language = _language(request)
        try:
            lists = await _lists(request)
        except StoreUnavailable:
            return await _page(request, "lobby.html", language, 503, RETRY, here="lobby", away=True)
        titles = {game.id: game.title for game in GAMES.values()}
        return await _page(
            request, "lobby.html", language, here="lobby", away=False, titles=titles, **lists
        )

    @get("/m/{match_id:uuid}", security=EVERYBODY)
    async def match(
        self, request: AnyRequest, match_id: FromPath[UUID], at: At = None
    ) -> Response[bytes]:
        """A match now, or after the public's first `at` events."""
        allow_only(request, "at")
        instance = await context(request).router.instance_for(match_id)
        language = _language(request)
        try:
            opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
            _, body = await instance.sessions.view(match_id, PUBLIC_VIEWER, at)
        except (UnknownMatch, UnknownPosition):
            return await _page(request, "missing.html", language, 404, here="match")
        match, shown = to_builtins(shown_match(opened.name, public.state)), decode(body)
        awaited = [shown["seats"][seat] for seat in shown["awaiting"]["seats"]]
        return await _page(
            request,
            "match.html",
            language,
            here="match",
            match=match,
            shown=shown,
            awaited=awaited,
            last=public.seq,
        )


class PageFiles(Controller):
    """What those pages load."""

    include_in_schema = False
    middleware = (CachedPages(),)

    @get("/assets/{name:str}", security=EVERYBODY, sync_to_thread=True)
    def asset(self, name: FromPath[str]) -> Response[bytes]:
        """A file by its name."""
        if name not in ASSETS:
            raise Failed("not_found")
        return Response(WEB.joinpath(name).read_bytes(), media_type=ASSETS[name])


def _language(request: AnyRequest) -> Language:
    """The language in which to answer."""
    accepted = value_of(request.scope["headers"], b"accept-language") or b""
    return language_for(accepted.decode("latin-1"))


async def _lists(request: AnyRequest) -> dict[str, Any]:
    """The public lists, as far as the lobby shows them."""
    router = context(request).router

    async def matches(status: str, limit: int) -> Any:
        page = await router.matches(
            after=None, limit=limit, game=None, status=status, tournament=None, name=None
        )
        return to_builtins(page.matches)

    tournaments = await router.tournaments(after=None, limit=TOURNAMENTS, name=None)
    return {
        "running": await matches("running", ON_NOW),
        "waiting": await matches("created", ABOUT_TO_BEGIN),
        "decided": await matches("ended", DECIDED),
        "tournaments": to_builtins(tournaments.tournaments),
    }


async def _page(
    request: AnyRequest,
    template: str,
    language: Language,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **values: Any,
) -> Response[bytes]:
    # In a thread: a page of a long match takes some milliseconds, and the first of its kind more.
    content = await asyncio.to_thread(rendered, template, language, **values)
    tag = content_tag(content)
    given = HEADERS | {"Content-Language": language.code, "ETag": tag} | (headers or {})
    if status == 200 and is_unchanged(request, tag):
        return Response(b"", status_code=304, media_type=MediaType.HTML, headers=given)
    return Response(content, status_code=status, media_type=MediaType.HTML, headers=given)
