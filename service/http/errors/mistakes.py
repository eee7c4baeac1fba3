"""Mistakes: which part of a request is wrong, and what would be right, for programs to act on."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from domain.match.commands import REUSED_KEY
from service.http.middleware.limits import BODY_LIMIT

MOST_MISTAKES = 10
"""The most mistakes that an answer lists; the first ones are enough to go on with."""

LONGEST_GUESSED = 100
"""The longest word for which a similar one is looked up."""

IDEMPOTENCY_KEY_PATTERN = "^[!-~]{1,255}$"

_TAG = r'(W/)?"[!#-~]*"'
IF_MATCH_PATTERN = rf"^(\*|{_TAG}([ \t]*,[ \t]*{_TAG})*)$"
"""`If-Match` (RFC 9110, 13.1.1), with at least one entity tag."""

AUDIENCE_PATTERN = "^(public|moderator|seat:(0|[1-9][0-9]{0,3}))$"

JsonType = Literal["null", "boolean", "integer", "number", "string", "array", "object"]

MistakeCode = Literal[
    "beyond_end",
    "beyond_key",
    "key_in_query",
    "malformed",
    "missing_field",
    "missing_header",
    "not_allowed_here",
    "not_json",
    "out_of_range",
    "sent_twice",
    "stale",
    "too_large",
    "unknown_field",
    "unknown_method",
    "unknown_parameter",
    "unknown_path",
    "unknown_value",
    "used_already",
    "wrong_format",
    "wrong_length",
    "wrong_media_type",
    "wrong_scheme",
    "wrong_type",
]


class Mistake(Struct, frozen=True, omit_defaults=True):
    """A part of a request that is wrong. A value that was sent is never repeated here.

    `pointer` (RFC 6901) is there if the part is `in` a body in JSON, `line` in CSV, `name` for a
    parameter, a header or a column.
    `code` is stable and for programs, `detail` for people. The other members say what would be
    right.
    """

    part: Literal["body", "query", "header", "path", "method"] = field(name="in")
    code: MistakeCode
    detail: str
    pointer: Annotated[
        str | None, Meta(description='In the body; `""` is all of it, `/seats/0` the first seat')
    ] = None
    name: Annotated[str | None, Meta(description="Of the parameter, header or column")] = None
    line: Annotated[int | None, Meta(description="In a CSV; its head is line 1")] = None
    expected: Annotated[
        tuple[JsonType, ...] | None, Meta(description="The JSON types that are understood")
    ] = None
    allowed: Annotated[
        tuple[str | int, ...] | None, Meta(description="All values or names that are understood")
    ] = None
    did_you_mean: Annotated[
        str | None, Meta(description="The one of `allowed` that is most like what was sent")
    ] = None
    minimum: Annotated[int | None, Meta(description="Of a number, or of a length")] = None
    maximum: Annotated[int | None, Meta(description="Of a number, or of a length")] = None
    pattern: Annotated[str | None, Meta(description="A regular expression to match")] = None


def nearest(value: object, allowed: Iterable[str | int]) -> str | None:
    """The allowed word that is most like what was sent; None if none is."""
    if not isinstance(value, str) or len(value) > LONGEST_GUESSED:
        return None
    words = [word for word in allowed if isinstance(word, str)]
    matches = get_close_matches(value.lower(), words, 1)
    return matches[0] if matches else None


def in_header(name: str, code: MistakeCode, detail: str, *allowed: str) -> Mistake:
    """A mistake in a header."""
    return Mistake("header", code, detail, name=name, allowed=allowed or None)


def in_query(name: str, code: MistakeCode, detail: str, *allowed: str) -> Mistake:
    """A mistake in a query parameter."""
    return Mistake("query", code, detail, name=name, allowed=allowed or None)


def unknown_parameter(name: str, allowed: tuple[str, ...]) -> Mistake:
    """A query parameter that the route does not have."""
    guess = nearest(name, allowed)
    detail = "This address has no such parameter."
    return Mistake(
        "query", "unknown_parameter", detail, name=name, allowed=allowed, did_you_mean=guess
    )


USUAL_MISTAKES: dict[str, tuple[Mistake, ...]] = {
    "bad_idempotency_key": (
        Mistake(
            "header", "malformed", "1 to 255 visible ASCII characters are an idempotency key.",
            name="Idempotency-Key", pattern=IDEMPOTENCY_KEY_PATTERN,
        ),
    ),
    "bad_if_match": (
        Mistake(
            "header", "malformed", "Send the `ETag` of an answer as it is, with its quotes.",
            name="If-Match", pattern=IF_MATCH_PATTERN,
        ),
    ),
    REUSED_KEY: (
        in_header(
            "Idempotency-Key", "used_already", "Another request was sent under it: take a new key."
        ),
    ),
    "stale": (
        in_header("If-Match", "stale", "Read again, look what is new, and send the new `ETag`."),
    ),
    "preview_needed": (
        in_header("If-Match", "missing_header", "Send the `ETag` of a preview of this ruling."),
    ),
    "too_large": (
        Mistake(
            "body", "too_large", "A body has at most so many bytes.",
            pointer="", maximum=BODY_LIMIT,
        ),
    ),
}  # fmt: skip
"""What is wrong where the code of the problem alone says it."""
