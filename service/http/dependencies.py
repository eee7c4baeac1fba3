"""What handlers are given by name: the services of the instance, who sends a request, and as which
audience they read.

The guard of a route has found the key before; nothing here refuses one but `viewer`, by the
audience that a request names.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal
from uuid import UUID

from litestar.di import NamedDependency, Provide
from msgspec import UNSET
from msgspec.structs import replace

from domain.people import Actor
from domain.receipts import DIRECTOR, Receiver
from domain.tournament_state import Request
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from projections.disclosure import viewer as parse_viewer
from service.application.evidence import is_open
from service.auth.grants import Grant
from service.event_store.errors import StoreUnavailable
from service.http.accounting import account_for
from service.http.context import context
from service.http.grants import found_grant
from service.http.guards import own_viewer
from service.http.headers import IdempotencyKey
from service.http.idempotency import request_of
from service.http.match_lookup import cached_match, current_match
from service.http.mistakes import AUDIENCE_PATTERN, Mistake, MistakeCode
from service.http.parameters import As, MatchId, Page, PageAfter, PageLimit
from service.http.problems import AnyRequest, Failed
from service.instance import Instance

Part = Literal["query", "body"]
"""The part of a request that names the audience."""

Account = Callable[[Viewer, int], Awaitable[None]]
"""Accounts for an answer with what an audience sees of the match up to its number. The answer may
be sent when this returns. Raises StoreUnavailable."""


def instance(request: AnyRequest) -> Instance:
    """The instance that answers."""
    return context(request).instance


def grant(request: AnyRequest) -> Grant:
    """What the request's key allows, of a route that needs one."""
    found = found_grant(request)
    assert found is not None, "the route's guard needs a key"
    return found


async def actor(instance: NamedDependency[Instance], grant: NamedDependency[Grant]) -> Actor:
    """Who sends the request, as a record names them. Raises StoreUnavailable while the id of the
    key could not be recorded."""
    if grant.holder is None:
        raise StoreUnavailable
    if grant.role != "tournament_moderator" or grant.holder.by is not None:
        return grant.holder
    # The operator may issue these keys without a name.
    assert grant.tournament is not None, "a tournament's moderator is one of a tournament"
    tournament = (await instance.tournaments.current(grant.tournament)).state
    return replace(grant.holder, by=tournament.moderators[grant.number])


def judge(actor: NamedDependency[Actor], grant: NamedDependency[Grant]) -> Actor:
    """The same, with where their key comes from: for what somebody else than a certain person must
    do."""
    return replace(actor, origin=grant.origin or UNSET)


def once(request: AnyRequest, idempotency_key: IdempotencyKey = None) -> Request | None:
    """The request under its sender's idempotency key; None without one."""
    return request_of(request, idempotency_key)


async def own(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId
) -> Viewer:
    """The audience that the key belongs to in the match; the public without a key."""
    return await own_viewer(instance, request, match_id)


def seat(own: NamedDependency[Viewer]) -> int:
    """The seat of the match that the key is for, of a route for seats."""
    assert isinstance(own, int), "the route's guard needs a seat's key"
    return own


def receiver(own: NamedDependency[Viewer]) -> Receiver:
    """Whose receipts the key may have: its seat's, or those for what its holder has ordered."""
    return own if isinstance(own, int) else DIRECTOR


async def viewer(
    instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId, as_: As = None
) -> Viewer:
    """The audience as which the request may read: the one it names, or else the key's own. Raises
    as `audience` does."""
    own = await own_viewer(instance, request, match_id)
    return await audience(instance, match_id, own, as_)


async def audience(
    instance: Instance, match_id: UUID, own: Viewer, name: str | None, part: Part = "query"
) -> Viewer:
    """The audience that this part of a request names, or else the key's own.

    Raises Failed for an audience that does not exist or that the key does not allow.
    """
    if name is None:
        return own
    wanted = parse_viewer(name)
    if wanted is None:
        detail = "An audience is `public`, `seat:N` or `moderator`."
        mistake = _audience_mistake(part, "malformed", detail, pattern=AUDIENCE_PATTERN)
        raise Failed("bad_audience", errors=(mistake,))
    match = await cached_match(instance, match_id)
    beyond = wanted not in (own, PUBLIC_VIEWER) and own != MODERATOR
    # What is not over in this instance's memory may have ended on another instance.
    if beyond and not (is_open(match) or is_open(await current_match(instance, match_id))):
        raise beyond_key(part, wanted, own)
    if isinstance(wanted, int) and wanted >= match.created.seats:
        allowed = (PUBLIC_VIEWER, *map(named, range(match.created.seats)), MODERATOR)
        detail = "The match has no such seat."
        mistake = _audience_mistake(part, "unknown_value", detail, allowed)
        raise Failed("no_such_seat", errors=(mistake,))
    return wanted


def beyond_key(part: Part, wanted: Viewer, own: Viewer) -> Failed:
    """The refusal to show what another audience sees to a key that belongs to `own`."""
    detail = "The key is for another audience."
    allowed = tuple(dict.fromkeys((named(own), PUBLIC_VIEWER)))
    beyond = (_audience_mistake(part, "beyond_key", detail, allowed),)
    if isinstance(wanted, int):
        return Failed("not_allowed", errors=beyond, needed=("seat", "moderator"))
    return Failed("not_allowed", errors=beyond, needed=("moderator",))


def _audience_mistake(
    part: Part,
    code: MistakeCode,
    detail: str,
    allowed: tuple[str, ...] | None = None,
    pattern: str | None = None,
) -> Mistake:
    name, pointer = ("as", None) if part == "query" else (None, "/as")
    return Mistake(part, code, detail, name=name, pointer=pointer, allowed=allowed, pattern=pattern)


def account(instance: NamedDependency[Instance], request: AnyRequest, match_id: MatchId) -> Account:
    """Accounts for the answer to the request's key; without one nobody is handed more than the
    public sees."""
    found = found_grant(request)

    async def accounted(viewer: Viewer, seq: int) -> None:
        if found is not None:
            await account_for(instance, found, match_id, viewer, seq)

    return accounted


def page(after: PageAfter = 0, limit: PageLimit = 100) -> Page:
    """Which part of a list."""
    return Page(after, limit)


def service(name: str) -> Provide:
    """A service of the instance."""

    def of_instance(request: AnyRequest) -> Any:
        return getattr(context(request).instance, name)

    return Provide(of_instance, sync_to_thread=False)


SERVICES = (
    "cases", "corrections", "creation", "evidence", "idempotency",
    "invitations", "keyring", "lists", "match_keys", "matches", "notary", "reads", "receipts",
    "ruling_lists", "rulings", "sessions", "signer", "streams", "tournaments", "webhooks",
)  # fmt: skip

DEPENDENCIES: dict[str, Provide] = (
    {name: service(name) for name in SERVICES}
    | {
        one.__name__: Provide(one, sync_to_thread=False)
        for one in (instance, grant, judge, once, seat, receiver, account, page)
    }
    | {one.__name__: Provide(one) for one in (actor, own, viewer)}
)
"""By the names of the parameters of handlers."""
