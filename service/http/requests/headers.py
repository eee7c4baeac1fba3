"""Headers of requests and of answers, and what can be wrong with them.

Which history an answer is of say entity tags, which are an audience, the number of its last event
and the edition of the instance, and the incarnation of the store.
"""

from typing import Annotated

from litestar.datastructures import ResponseHeader
from litestar.params import HeaderParameter, ParameterKwarg

from domain.match.commands import REUSED_KEY
from service.event_store.integrity.incarnation import same_history
from service.http.errors.mistakes import IF_MATCH_PATTERN
from service.instance import Instance

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
    first = (one.partition(";")[0] for one in prefer.lower().split(","))
    return MINIMAL in ("".join(one.split()).replace('"', "") for one in first)


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


def parse_tags(listed: str | None) -> list[str] | None:
    """The entity tags of an `If-Match` or `If-None-Match` header, weak ones as strong."""
    if listed is None:
        return None
    return [tag.strip().removeprefix("W/") for tag in listed.split(",")]


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
    found = [tag[len(prefix) : -1].partition(".") for tag in expected if tag.startswith(prefix)]
    return frozenset(
        int(number)
        for number, _, seen in found
        if number.isascii() and number.isdigit() and len(number) < 16
        if not seen or same_history(seen, edition)
    )
