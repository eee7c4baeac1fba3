"""`/docs`: the documentation, rendered at first use and served from here alone."""

from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from service.http.access import EVERYBODY
from service.http.page_security import DOCUMENTATION, page_headers, picture_policy
from service.web.documentation import ROOT, Document, documents

CACHE_CONTROL = "public, max-age=300"
"""Five minutes; then the browser asks whether the page is still the same."""


def routes() -> list[HTTPRouteHandler]:
    """The pages."""

    @get(ROOT, security=EVERYBODY, sync_to_thread=True)
    def index(request: Request[Any, Any, Any]) -> Response[bytes]:
        """The first page of the documentation."""
        return _answer(documents()[""], request)

    @get(f"{ROOT}/{{name:str}}", security=EVERYBODY, sync_to_thread=True)
    def page(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
        """A page of the documentation, or a file that belongs to it."""
        if name not in documents():
            raise NotFoundException
        return _answer(documents()[name], request)

    return [index, page]


def _answer(document: Document, request: Request[Any, Any, Any]) -> Response[bytes]:
    picture = document.media_type == "image/svg+xml"
    policy = picture_policy(document.content.decode()) if picture else DOCUMENTATION
    headers = {"ETag": document.tag, "Cache-Control": CACHE_CONTROL, **page_headers(policy)}
    if _unchanged(document.tag, request.headers.get("if-none-match", "")):
        return Response(b"", status_code=304, headers=headers, media_type=document.media_type)
    return Response(document.content, headers=headers, media_type=document.media_type)


def _unchanged(tag: str, if_none_match: str) -> bool:
    """Whether a client has this version. Proxies that compress mark a tag as weak."""
    known = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return tag in known or "*" in known
