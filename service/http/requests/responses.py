"""Answers, and the headers of requests and of answers with what can be wrong with them.

The history that an answer is of is named by its entity tag (an audience, the number of its last
event and the edition of the instance) and by the incarnation of the store."""

from typing import Annotated, Any, NamedTuple, TypeVar, cast
from uuid import UUID

import msgspec
from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.params import HeaderParameter, ParameterKwarg
from litestar.response.base import ASGIResponse
from litestar.types import HTTPResponseBodyEvent, HTTPResponseStartEvent, Receive, Scope, Send

from domain.match.commands import REUSED_KEY
from service.event_store.integrity.incarnation import same_history
from service.http.errors.mistakes import IF_MATCH_PATTERN
from service.http.middleware.page_security import DATA, POLICY
from service.instance import Instance

T = TypeVar("T")


class ViewInAnswer(NamedTuple):
    """The view of a match in an answer: whose it is, after which of its events, and its bytes."""

    match: UUID
    audience: str
    seq: int
    body: bytes


class EncodedResponse(ASGIResponse):
    """An answer whose body and headers are final; the framework's own builds headers one by one.
    `own_headers` are those that depend on the request, `view` is the view in its body, if any."""

    def __init__(
        self,
        body: bytes,
        status: int,
        headers: list[tuple[bytes, bytes]],
        own_headers: dict[str, str] | None = None,
        view: ViewInAnswer | None = None,
    ) -> None:
        # Without the framework's own initialiser, which costs most.
        self.content, self.status, self.raw_headers = body, status, headers
        self.own_headers, self.view = own_headers or {}, view
        self._start = {"type": "http.response.start", "status": status, "headers": headers}
        self._body = {"type": "http.response.body", "body": body, "more_body": False}

    def to_asgi_response(self, *_: Any, **__: Any) -> "EncodedResponse":
        """Itself, where the framework expects an `Answer`."""
        return self

    # The signature is that of ASGI.
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send(cast(HTTPResponseStartEvent, self._start))
        await send(cast(HTTPResponseBodyEvent, self._body))


def json_bytes(
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    media_type: str = "application/json",
    view: ViewInAnswer | None = None,
) -> EncodedResponse:
    """An answer whose body is encoded already; 204 and 304 have none."""
    all_headers = {POLICY: DATA, **(headers or {})}
    raw = [(name.lower().encode(), value.encode()) for name, value in all_headers.items()]
    if status not in (204, 304):
        raw.append((b"content-type", media_type.encode()))
        raw.append((b"content-length", str(len(body)).encode()))
    return EncodedResponse(body, status, raw, headers, view)


class Answer(Response[T]):
    """An answer with a value as JSON, and its own headers."""

    def __init__(self, value: T, status: int = 200, headers: dict[str, str] | None = None) -> None:
        # Without the framework's own initialiser, which costs most.
        self.content, self.status_code, self.own_headers = value, status, headers

    def encoded(self) -> EncodedResponse:
        """The answer in bytes."""
        body = msgspec.json.encode(self.content)
        return json_bytes(body, self.status_code or 200, self.own_headers)

    def to_asgi_response(self, *_: Any, **__: Any) -> EncodedResponse:
        """The same: everything is said here, nothing by the route."""
        return self.encoded()


def private_headers(tag: str | None = None) -> dict[str, str]:
    """The headers of an answer that depends on the key: caches may keep it for that key alone, and
    must revalidate it."""
    headers = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
    return headers if tag is None else {"ETag": tag, **headers}


def private(value: T) -> Answer[T]:
    """An answer that depends on the key."""
    return Answer(value, 200, private_headers())


SHOWN_ONCE = {"Cache-Control": "no-store"}
"""For an answer with a key or a secret in it."""


def created(value: T, *, repeated: bool, headers: dict[str, str] | None = None) -> Answer[T]:
    """201 for what has been recorded now, 200 for what the same request had recorded before. There
    may be a key in it."""
    all_headers = SHOWN_ONCE | (headers or {})
    if repeated:
        return Answer(value, 200, all_headers | {"Idempotent-Replayed": "true"})
    return Answer(value, 201, all_headers)


IDEMPOTENCY_KEY = "Idempotency-Key"
IF_MATCH = "If-Match"

SHORTEST_SECRET = 16
"""Minimum characters of an idempotency key that, sent again, is shown a key again."""


def idempotency_key(description: str, shortest: int = 1) -> ParameterKwarg:
    """The header of a route, as it understands it."""
    pattern = f"^[!-~]{{{shortest},255}}$"
    header: ParameterKwarg = HeaderParameter(
        name=IDEMPOTENCY_KEY, pattern=pattern, description=description
    )
    return header


IdempotencyKey = Annotated[
    str | None,
    idempotency_key(
        "1 to 255 visible ASCII characters; the same key and request again changes nothing more, "
        "and does not show a key again"
    ),
]


def if_match(description: str) -> ParameterKwarg:
    """The header of a route, which names what its entity tag is of."""
    header: ParameterKwarg = HeaderParameter(
        name=IF_MATCH, pattern=IF_MATCH_PATTERN, description=description
    )
    return header


MINIMAL = "return=minimal"

Prefer = Annotated[
    str | None,
    HeaderParameter(
        name="Prefer",
        description=f"`{MINIMAL}` (RFC 7240) leaves the view out, for clients that follow a stream",
    ),
]


def is_minimal(prefer: str | None) -> bool:
    """Whether a request prefers a minimal answer; other preferences are ignored."""
    if prefer is None:
        return False
    first = (preference.partition(";")[0] for preference in prefer.lower().split(","))
    return MINIMAL in ("".join(preference.split()).replace('"', "") for preference in first)


HEADER_CODES = {
    IDEMPOTENCY_KEY: ("bad_idempotency_key", REUSED_KEY, "request_in_flight", "record_altered"),
    IF_MATCH: ("bad_if_match", "stale"),
}
"""What can be wrong with a header; first, that it is malformed."""


def answer_header(name: str, description: str) -> ResponseHeader:
    """A header that some answers of a route have."""
    return ResponseHeader(name=name, description=description, documentation_only=True)


ETAG = answer_header(
    "ETag", "The audience, the number of its last event, and the release and the history"
)
INCARNATION = answer_header(
    "Arbiter-Incarnation",
    "The incarnation of the store, the same for everybody. If it is not the one before, history "
    "has gone back to a backup: forget what you have of the match, and read it again",
)
AGE = answer_header(
    "Age",
    "Only while nothing can be recorded: for how many seconds the list has not followed the log",
)


def age_headers(age: int | None) -> dict[str, str]:
    """How old a list is (RFC 9111, 5.1); none for one with everything on record."""
    return {} if age is None else {AGE.name: str(age)}


def incarnation_header(instance: Instance) -> dict[str, str]:
    """The header of an answer from the instance's store."""
    return {INCARNATION.name: instance.incarnation}


def etag(viewer_name: str, seq: int, edition: str, withheld: int = 0, *, more: bool = False) -> str:
    """The entity tag of an audience's view: in one `edition` the view at a given number changes
    only when another name in the audience's events is `withheld`. Or that of a page of events with
    the last number `seq`, after which there are `more`."""
    return f'"{viewer_name}.{seq}{"+" if more else ""}.{withheld}_{edition}"'


def parse_tags(header: str | None) -> list[str] | None:
    """The entity tags of an `If-Match` or `If-None-Match` header, weak ones as strong."""
    if header is None:
        return None
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def expected_numbers(if_match: str | None, name: str, edition: str) -> frozenset[int] | None:
    """The numbers with which a request may take effect, of the tags that begin with this name, such
    as that of the sender's views; None for any.

    A tag of a history that is gone fits none. One without an edition, `"seat:0.12"`, is taken as
    one of today's.
    """
    expected = parse_tags(if_match)
    if expected is None or "*" in expected:
        return None
    prefix = f'"{name}.'
    parts = [tag[len(prefix) : -1].partition(".") for tag in expected if tag.startswith(prefix)]
    return frozenset(
        int(number)
        for number, _, edition_seen in parts
        if number.isascii() and number.isdigit() and len(number) < 16
        if not edition_seen or same_history(edition_seen, edition)
    )
