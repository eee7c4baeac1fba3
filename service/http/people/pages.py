"""How a page for people is answered: in the reader's language, and again only if it has changed;
and errors as pages, for people who have opened an address in a browser."""

import asyncio
from typing import Any

import msgspec
from litestar.response.base import ASGIResponse

from service.http.errors.problems import MEDIA_TYPE, AnyRequest, Problem
from service.http.middleware.caching import API, CHANGING, error_headers
from service.http.middleware.page_security import PEOPLE_PAGE, page_headers
from service.http.people.page_answers import page_answer
from service.http.requests.context import context, root_of
from service.http.requests.request_body import value_of
from service.http.requests.responses import EncodedResponse, json_bytes
from service.observability.work import KIB_OF_PAGE, spend
from service.web.rendering import RenderedPages, rendered
from service.web.texts import Language, language_for

HEADERS = {"Cache-Control": CHANGING, "Vary": "Accept-Language", **page_headers(PEOPLE_PAGE)}

TOLD = {404: "missing", 429: "busy", 503: "away"}
"""What a reader is told, by the status; `failed` for every other one."""

DAMAGED = "record_altered"

NOT_KEPT = {"Cache-Control": "no-store"}

_PROBLEM = msgspec.json.Decoder(Problem)

_PAGES = RenderedPages()
"""Of all applications of this process: the same is filled in with the same everywhere."""


def language_of(request: AnyRequest) -> Language:
    """The language in which to answer."""
    accepted = value_of(request.scope["headers"], b"accept-language") or b""
    return language_for(accepted.decode("latin-1"))


def frame_values(request: AnyRequest) -> dict[str, Any]:
    """What the frame of every page is filled with. The address at which people reach the service
    is never read from the request, which might name another: the operator may have set it."""
    public_url = context(request).instance.settings.server.public_url
    return {"root": root_of(request), "public_url": public_url, "path": request.scope["path"]}


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


def page_or_problem(handler: Any, request: AnyRequest, error: Exception) -> EncodedResponse:
    """The answer of an error's handler: in the API with what a cache may do with it, elsewhere as a
    page for clients that ask for HTML by name. Programs get problem documents."""
    made: EncodedResponse = handler(request, error)
    if request.scope["path"].startswith(API):
        headers = {**made.own_headers, **error_headers(request.scope, made.status)}
        return json_bytes(made.content, made.status, headers, MEDIA_TYPE)
    accepted = value_of(request.scope["headers"], b"accept") or b""
    return _page(request, made) if b"text/html" in accepted else made


def _page(request: AnyRequest, response: EncodedResponse) -> EncodedResponse:
    document = _PROBLEM.decode(response.content)
    damaged = document.code == DAMAGED
    told = "damaged" if damaged else TOLD.get(document.status, "failed")
    language = language_of(request)
    content = rendered("error.html", language, told=told, here="", **frame_values(request))
    headers = response.own_headers | page_headers(PEOPLE_PAGE)
    headers |= {"Content-Language": language.code, "Vary": "Accept, Accept-Language"} | NOT_KEPT
    return page_answer(request, content, headers=headers, status=document.status)
