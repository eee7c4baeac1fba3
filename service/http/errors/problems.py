"""Errors on the wire: RFC 9457 documents with a stable code."""

from typing import Annotated, Any

import msgspec
from litestar import Request
from msgspec import Meta, Struct

from projections.fields import Timestamp
from service.http.errors.codes import TITLES
from service.http.errors.mistakes import USUAL_MISTAKES, Mistake
from service.http.requests.responses import EncodedResponse, json_bytes

MEDIA_TYPE = "application/problem+json"

RETRY_AFTER = "1"


class Receipt(Struct, frozen=True):
    """The receipt of a recorded command.

    `valid` says whether it counts, `code` why not. `at` is when it was received, `seq` its
    number in the sender's own count (or the sender's count by then, if its event is not for the
    sender). A signed `note` says so to anyone, and holds the service to all that the sender had
    been sent by then. A seat that may prove what it sent gets the `salt` that opens its
    commitment."""

    valid: bool
    code: Annotated[str | None, Meta(description="Why it does not count; null if it does")]
    seat: int | None
    seq: int
    at: Timestamp
    idempotency_key: Annotated[
        str | None, Meta(description="The `Idempotency-Key` of the request; null without one")
    ]
    note: str | None = None
    salt: bytes | None = None


class Problem(Struct, frozen=True, omit_defaults=True):
    """What went wrong (RFC 9457). `code` is stable and for programs, `detail` for people.

    `errors` says which parts of the request are wrong and what would be right, `retry_after` for
    how many seconds to wait, `match_status` why the match is in no position for it. A refused
    action's problem carries its `receipt`, `has_looked` the id of the `match`, `undone_by_ruling`
    that of the `ruling`.
    """

    type: Annotated[str, Meta(description="A URN with the code")]
    title: Annotated[str, Meta(description="What the code means")]
    status: int
    code: str
    detail: str | None = None
    receipt: Receipt | None = None
    match: str | None = None
    ruling: str | None = None
    errors: tuple[Mistake, ...] = ()
    retry_after: int | None = None
    match_status: str | None = None


class Failed(Exception):
    """Ends a request with this problem, and with these headers in addition to its own. `errors` are
    the mistakes in the request."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        headers: dict[str, str] | None = None,
        *,
        errors: tuple[Mistake, ...] = (),
    ) -> None:
        super().__init__(code)
        self.code, self.detail, self.headers = code, detail, headers
        self.errors = errors


def problem(
    code: str,
    detail: str | None = None,
    *,
    status: int | None = None,
    title: str | None = None,
    headers: dict[str, str] | None = None,
    errors: tuple[Mistake, ...] = (),
    **members: Any,
) -> EncodedResponse:
    """The answer with the problem document of a code, with more `members`; for a game's own codes
    it is 422 with the game's `title`."""
    known_status, known_title = TITLES.get(code, (422, code))
    status, own_headers = status or known_status, dict(headers or {})
    if status == 401:
        own_headers["WWW-Authenticate"] = "Bearer"
    if status == 503:
        own_headers.setdefault("Retry-After", RETRY_AFTER)
    wait = own_headers.get("Retry-After")
    document = Problem(
        f"urn:arbiter:{code}", title or known_title, status, code, detail,
        errors=errors or USUAL_MISTAKES.get(code, ()),
        retry_after=None if wait is None else int(wait), **members,
    )  # fmt: skip
    return json_bytes(msgspec.json.encode(document), status, own_headers, MEDIA_TYPE)


AnyRequest = Request[Any, Any, Any]
