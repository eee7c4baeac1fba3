"""How a page for people is answered: in the reader's language, and again only if it has changed."""

import asyncio
from typing import Any

from litestar.response.base import ASGIResponse

from service.event_store.errors import StoreUnavailable
from service.http.caching import CHANGING
from service.http.context import context, root_of
from service.http.page_answers import page_answer
from service.http.page_security import PEOPLE_PAGE, page_headers
from service.http.problems import AnyRequest
from service.http.request_body import value_of
from service.observability.work import KIB_OF_PAGE, spend
from service.web.rendering import RenderedPages
from service.web.texts import Language, language_for

HEADERS = {"Cache-Control": CHANGING, "Vary": "Accept-Language", **page_headers(PEOPLE_PAGE)}

_PAGES = RenderedPages()
"""Of all applications of this process: the same is filled in with the same everywhere."""


def language_of(request: AnyRequest) -> Language:
    """The language in which to answer."""
    accepted = value_of(request.scope["headers"], b"accept-language") or b""
    return language_for(accepted.decode("latin-1"))


def public_url(request: AnyRequest) -> str | None:
    """The address at which people reach the service, if the operator has set it. It is never read
    from the request, which might name another."""
    try:
        return context(request).instance.settings.server.public_url
    except StoreUnavailable:
        return None


def frame_values(request: AnyRequest) -> dict[str, Any]:
    """What the frame of every page is filled with."""
    return {
        "root": root_of(request),
        "public_url": public_url(request),
        "path": request.scope["path"],
    }


async def page(
    request: AnyRequest,
    template: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **values: Any,
) -> ASGIResponse:
    """A template filled in; `headers` come on top of those of every page."""
    language = language_of(request)
    values |= frame_values(request)
    # In a thread: a page of a long match takes some milliseconds, and the first of its kind more.
    content = await asyncio.to_thread(_PAGES.rendered, template, language, **values)
    spend(KIB_OF_PAGE, len(content) / 1024)
    given = HEADERS | {"Content-Language": language.code} | (headers or {})
    return await asyncio.to_thread(page_answer, request, content, headers=given, status=status)


async def missing(request: AnyRequest, here: str = "match", **values: Any) -> ASGIResponse:
    """The page that says that there is no such match."""
    return await page(request, "missing.html", 404, here=here, **values)
