"""Who may use a route. Every route declares it as its `security`; one without it does not start.

A requirement names the API's one scheme, `key`, and a role: OpenAPI 3.1 has a place for roles
there. The requirements of a route are alternatives; the empty one is met without a key. The table
of endpoints in the documentation is made from them, and the tests of roles send every route what
every kind of key may and may not do.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from litestar.routes import BaseRoute, HTTPRoute

Role = Literal["organiser", "moderator", "seat", "player"]
"""What a key is to what the path names. The moderator is the match's: its own key, or that of a
tournament's moderator to whom it was assigned; where the path names a tournament, whoever moderates
a match of it. The seat is one of the match: its own key, or that of the tournament's player who
sits there. The player is one of the tournament; so is a moderator who has a player's name."""

Security = list[dict[str, list[str]]]

EVERYBODY: Security = []
"""For everybody: no key is read."""

ANY_KEY: Security = [{"key": []}]
"""For every valid key, which reads as its own audience, or as the public where it has none."""

READERS: Security = [*ANY_KEY, {}]
"""The same; without a key the reader is the public."""


def only(*roles: Role) -> Security:
    """For keys of these roles; others are refused with 403."""
    return [{"key": [role]} for role in roles]


def refusals(security: Sequence[dict[str, list[str]]]) -> Iterator[str]:
    """The codes with which keys that will not do are refused."""
    roles = any(one.get("key") for one in security)
    if security and (roles or {} not in security):
        yield "key_missing"
    if security:
        yield "key_unknown"
    if roles:
        yield "not_allowed"


ONCE_OVER = " once over"
"""Behind a role: only when the match is over."""


def until_over(*roles: Role) -> Security:
    """For keys of these roles; for everybody as soon as the match is over. An answer for an
    audience is given as to `READERS`."""
    return [*only(*roles), {}]


EVERYBODY_ONCE_OPENED = "everybody once opened"
"""In place of a role: without a key, too, as soon as everybody may read everything."""


class AccessNotDeclared(TypeError):
    """A route does not say who may use it."""


def check_declared(routes: Iterable[BaseRoute]) -> None:
    """Raises AccessNotDeclared for the first route whose handler has no `security` of its own."""
    for route in routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            # The framework answers OPTIONS by itself.
            if handler.security is None and handler.http_methods != {"OPTIONS"}:
                raise AccessNotDeclared(f"{route.path_format}: declare `security` at {handler}")
