"""Mistakes in the audience as which a request wants to read: `as`."""

from typing import Literal

from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from service.http.mistakes import Mistake, MistakeCode
from service.http.problems import Failed
from service.http.usual_mistakes import AUDIENCE_PATTERN

Part = Literal["query", "body"]
"""The part of a request that names the audience."""


def malformed_audience(part: Part) -> tuple[Mistake]:
    """What is no audience at all."""
    detail = "An audience is `public`, `seat:N` or `moderator`."
    return (_mistake(part, "malformed", detail, pattern=AUDIENCE_PATTERN),)


def no_such_audience(part: Part, seats: int) -> tuple[Mistake]:
    """A seat that the match has not."""
    allowed = (PUBLIC_VIEWER, *(named(seat) for seat in range(seats)), MODERATOR)
    return (_mistake(part, "unknown_value", "The match has no such seat.", allowed),)


def beyond_key(part: Part, wanted: Viewer, own: Viewer) -> Failed:
    """The refusal to show what another audience sees to a key that belongs to `own`."""
    detail = "The key is for another audience."
    allowed = tuple(dict.fromkeys((named(own), PUBLIC_VIEWER)))
    beyond = (_mistake(part, "beyond_key", detail, allowed),)
    if isinstance(wanted, int):
        return Failed("not_allowed", errors=beyond, needed=("seat", "moderator"))
    return Failed("not_allowed", errors=beyond, needed=("moderator",))


def _mistake(
    part: Part,
    code: MistakeCode,
    detail: str,
    allowed: tuple[str, ...] | None = None,
    pattern: str | None = None,
) -> Mistake:
    name, pointer = ("as", None) if part == "query" else (None, "/as")
    return Mistake(part, code, detail, name=name, pointer=pointer, allowed=allowed, pattern=pattern)
