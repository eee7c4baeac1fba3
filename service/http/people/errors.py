"""Errors as pages, for people who have opened an address in a browser."""

from typing import Any

import msgspec

from service.http.caching import API, error_headers
from service.http.page_answers import page_answer
from service.http.page_security import PEOPLE_PAGE, page_headers
from service.http.people.pages import frame_values, language_of
from service.http.problems import MEDIA_TYPE, AnyRequest, Problem
from service.http.request_body import value_of
from service.http.responses import EncodedResponse, json_bytes
from service.web.rendering import rendered

TOLD = {404: "missing", 429: "busy", 503: "away"}
"""What a reader is told, by the status; `failed` for every other one."""

DAMAGED = "record_altered"

NOT_KEPT = {"Cache-Control": "no-store"}

_PROBLEM = msgspec.json.Decoder(Problem)


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
