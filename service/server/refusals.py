"""Answers to what no application could answer, as problem documents."""

from typing import Final

import msgspec

from service.http.cors import RawHeaders
from service.http.page_security import DATA_HEADER
from service.http.problems import MEDIA_TYPE, RETRY_AFTER, document


class Refusal:
    """The answer with the problem document of a code. One that is not `final` leaves the connection
    open for the next request."""

    def __init__(self, code: str, detail: str | None = None, *, final: bool = True) -> None:
        problem = document(code, detail)
        self.code = code
        self.status = problem.status
        self.body = msgspec.json.encode(problem)
        self.final = final
        self.headers: RawHeaders = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(self.body)).encode()),
            DATA_HEADER,
        ]
        if self.status == 503:
            self.headers.append((b"retry-after", RETRY_AFTER.encode()))


BAD_REQUEST: Final = Refusal("bad_request")
NO_HOST: Final = Refusal("bad_request", "a request has exactly one Host header")
"""Two proxies might each believe another of several (RFC 9112, 3.2)."""

HEAD_TOO_LARGE: Final = Refusal("head_too_large")
BODY_TOO_LARGE: Final = Refusal("too_large")
BUSY: Final = Refusal("try_again", final=False)
FAILED: Final = Refusal("internal_error")
