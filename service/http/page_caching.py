"""Pages and their files: sent again only if they have changed."""

from typing import cast

from litestar.types import HTTPResponseBodyEvent, HTTPResponseStartEvent, Scope

from service.http.caching import PAGE, content_tag, is_known
from service.http.request_body import value_of
from service.http.whole_answers import Answered, WholeAnswers

OF_CONTENT = (b"content-type", b"content-length")
"""Headers that an answer without content does not have."""


class CachedPages(WholeAnswers):
    """Gives each page an entity tag and a `Cache-Control`, and answers 304 to a client that has it.

    What a path answers with 200 never changes while the service runs.
    """

    statuses = (200,)

    def __init__(self) -> None:
        self._tags: dict[str, bytes] = {}

    async def answer(
        self, scope: Scope, start: HTTPResponseStartEvent, body: HTTPResponseBodyEvent
    ) -> Answered:
        """The page, or that it has not changed."""
        path = scope["path"]
        tag = self._tags.get(path)
        if tag is None:
            assert not body["more_body"], "a page is sent as a whole"
            tag = self._tags[path] = content_tag(body["body"]).encode()
        headers = [*start["headers"], (b"etag", tag)]
        if value_of(headers, b"cache-control") is None:
            headers.append((b"cache-control", PAGE.encode()))
        if not is_known(value_of(scope["headers"], b"if-none-match"), tag.decode()):
            return cast(HTTPResponseStartEvent, {**start, "headers": headers}), body
        headers = [header for header in headers if header[0] not in OF_CONTENT]
        first = cast(HTTPResponseStartEvent, {**start, "status": 304, "headers": headers})
        return first, {**body, "body": b""}
