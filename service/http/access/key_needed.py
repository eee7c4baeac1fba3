"""Which kind of key came with a request that was refused, and which kinds it needs.

Never the key itself, and nothing about what it is for but whether the path names that: who has a
key may know what it opens, and the kinds that a route takes stand in the API's description.
"""

from collections.abc import Mapping
from typing import Any, Literal, cast

from litestar.types import HTTPScope, Scope
from msgspec import Struct

from service.auth.grants import Grant
from service.http.errors.mistakes import Mistake, in_header, in_query
from service.http.requests.context import query_of

SentKind = Literal[
    "none", "unknown", "ticket", "organiser", "moderator", "seat", "player", "tournament_moderator"
]
KeyKind = Literal["none", "any", "organiser", "moderator", "seat", "player"]

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

NO_KEY, UNKNOWN_KEY, UNKNOWN_TICKET = "key_missing", "key_unknown", "ticket_unknown"

_SENT: dict[str, SentKind] = {NO_KEY: "none", UNKNOWN_KEY: "unknown", UNKNOWN_TICKET: "ticket"}


class KeyNeeded(Struct, frozen=True, omit_defaults=True):
    """The kind of key that was `sent`, and the kinds of which one is `needed`: `any` is any valid
    key, `none` says that the route can be used without. `elsewhere` is true if the key is for
    another match or tournament than the path names."""

    sent: SentKind
    needed: tuple[KeyKind, ...]
    elsewhere: bool = False


def key_needed(
    scope: Scope, code: str, needed: tuple[KeyKind, ...] | None = None
) -> KeyNeeded | None:
    """What a refusal of this code says of the request's key; None for another code. `needed` are
    the kinds of key if they are not all that the route takes."""
    if code not in (*_SENT, "not_allowed"):
        return None
    grant: Grant | None = scope.get("state", {}).get(GRANT)
    kinds = _taken(scope) if needed is None else needed
    if code in _SENT:
        return KeyNeeded(_SENT[code], kinds)
    if grant is None:
        ticket = "ticket" in query_of(scope)
        return KeyNeeded("ticket" if ticket else "none", kinds)
    return KeyNeeded(grant.role, kinds, _elsewhere(grant, scope["path_params"], kinds))


def key_mistakes(scope: Scope, code: str) -> tuple[Mistake, ...]:
    """Where a request without a valid key has its mistake."""
    if code == NO_KEY:
        query = query_of(scope).multi_items()
        named = [name for name, value in query if value.startswith(KEY_BEGINNING)]
        missing = "Send a key as `Authorization: Bearer <key>`."
        detail = "A key in an address gets into logs: send it as a header, and have this one ended."
        return (
            in_header("Authorization", "missing_header", missing),
            *(in_query(name, "key_in_query", detail) for name in named[:1]),
        )
    if code != UNKNOWN_KEY:
        return ()
    sent = dict(scope["headers"]).get(b"authorization", b"").lower()
    if sent.startswith(b"bearer "):
        return ()
    return (in_header("Authorization", "wrong_scheme", "Put `Bearer ` before the key.", "Bearer"),)


def _taken(scope: Scope) -> tuple[KeyKind, ...]:
    """The kinds of key that the request's route takes; of a role that it takes when the match is
    over, only what it takes before."""
    handler: Any = cast(HTTPScope, scope)["route_handler"]
    security: Security = handler.security or []
    kinds: list[str] = []
    for one in security:
        roles = one.get("key")
        kinds += ["none"] if roles is None else roles or ["any"]
    now = (k for k in kinds if k != EVERYBODY_ONCE_OPENED and not k.endswith(ONCE_OVER))
    return cast(tuple[KeyKind, ...], tuple(now))


def _elsewhere(grant: Grant, path: Mapping[str, Any], kinds: tuple[KeyKind, ...]) -> bool:
    """Whether a key is for another match, or another tournament, than the path names: one of these
    kinds would do."""
    if grant.role == "organiser" and grant.role in kinds:
        return True
    own = {"match_id": grant.match, "tournament_id": grant.tournament}
    return any(own[name] not in (None, path[name]) for name in own if name in path)
