"""What is wrong with a request where its code alone says it."""

from domain.commands import REUSED_KEY
from service.http.limits import BODY_LIMIT
from service.http.mistakes import Mistake, in_header

IDEMPOTENCY_KEY_PATTERN = "^[!-~]{1,255}$"

_TAG = r'(W/)?"[!#-~]*"'
IF_MATCH_PATTERN = rf"^(\*|{_TAG}([ \t]*,[ \t]*{_TAG})*)$"
"""`If-Match` (RFC 9110, 13.1.1), with at least one entity tag."""

AUDIENCE_PATTERN = "^(public|moderator|seat:(0|[1-9][0-9]{0,3}))$"

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
"""By the code of the problem."""
