"""Whom routes let through, and where a request without a valid key has its mistake."""

from litestar.types import Scope

from service.http.errors.mistakes import Mistake, in_header, in_query
from service.http.requests.context import query_of

Security = list[dict[str, list[str]]]
"""Whom a route lets through, as OpenAPI names them: alternatives of the one scheme, `key`, with
roles. The empty one is met without a key."""

ONCE_OVER = " once over"
"""Behind a role: only when the match is over."""

EVERYBODY_ONCE_OPENED = "everybody once opened"
"""In place of a role: without a key, too, as soon as everyone may read everything."""

GRANT = "grant"
"""Where the state of a request has what its key allows."""

KEY_BEGINNING = "arb_"
"""How the service's own keys begin."""

NO_KEY, UNKNOWN_KEY = "key_missing", "key_unknown"


def key_mistakes(scope: Scope, code: str) -> tuple[Mistake, ...]:
    """Where a request without a valid key has its mistake."""
    if code == NO_KEY:
        query = query_of(scope).multi_items()
        names = [name for name, value in query if value.startswith(KEY_BEGINNING)]
        missing = "Send a key as `Authorization: Bearer <key>`."
        detail = "A key in an address gets into logs: send it as a header, and have this one ended."
        return (
            in_header("Authorization", "missing_header", missing),
            *(in_query(name, "key_in_query", detail) for name in names[:1]),
        )
    if code != UNKNOWN_KEY:
        return ()
    authorization = dict(scope["headers"]).get(b"authorization", b"").lower()
    if authorization.startswith(b"bearer "):
        return ()
    return (in_header("Authorization", "wrong_scheme", "Put `Bearer ` before the key.", "Bearer"),)
