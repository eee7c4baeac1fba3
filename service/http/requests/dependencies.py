"""What handlers are given by name: the instance, who sends a request, and the match or tournament
that is meant.

The guard of a route has found the key before; nothing here refuses one but `viewer`, by the
audience that a request names.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal, TypeVar
from uuid import UUID

from litestar.di import NamedDependency, Provide
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.people import Actor
from domain.tournament.decide import Command
from domain.tournament.state import KeyedRequest, Tournament
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from projections.audience.disclosure import viewer as parse_viewer
from service.application.evidence.evidence import is_open
from service.application.matches.match_sessions import UnknownPosition
from service.application.tournaments.tournament_service import TournamentChange
from service.auth.grants import Grant
from service.auth.key_events import Slot
from service.http.access.grants import found_grant, organises_match, player_by
from service.http.access.guards import own_viewer
from service.http.errors.mistakes import AUDIENCE_PATTERN, Mistake, MistakeCode
from service.http.errors.problems import AnyRequest, Failed
from service.http.requests.accounting import COUNTS_ONLY, account_for, holder_of
from service.http.requests.context import context, root_of
from service.http.requests.headers import IdempotencyKey
from service.http.requests.idempotency import request_of
from service.http.requests.parameters import As, MatchId, Page, PageAfter, PageLimit, TournamentId
from service.http.requests.responses import SHOWN_ONCE, Answer, created
from service.instance import Instance

T = TypeVar("T")

Part = Literal["query", "body"]
"""The part of a request that names the audience."""


class MatchRequest(Struct, frozen=True):
    """A request about a match. Its key belongs to the audience `own`; without a key that is the
    public. It `organises` if it is one of the match's organiser."""

    id: UUID
    own: Viewer
    organises: bool
    instance: Instance
    request: AnyRequest

    @property
    def grant(self) -> Grant | None:
        """What the key allows; None without a key."""
        return found_grant(self.request)

    @property
    def seat(self) -> int:
        """The seat of the match that the key is for, of a route for seats."""
        assert isinstance(self.own, int), "the route's guard needs a seat's key"
        return self.own

    async def account(self, viewer: Viewer, seq: int) -> None:
        """Accounts for an answer with what an audience sees of the match up to its number `seq`,
        which may be sent when this returns. Raises StoreUnavailable."""
        if (grant := self.grant) is not None:
            await account_for(self.instance, grant, self.id, viewer, seq)

    async def account_evidence(self, viewer: Viewer) -> None:
        """The same for evidence of all that an audience sees. Until a match is over, evidence tells
        even the public how much is hidden."""
        if self.grant is None:
            return
        sessions = self.instance.sessions
        if viewer != PUBLIC_VIEWER or (await sessions.cached(self.id)).match.over:
            await self.account(viewer, (await sessions.cached_projection(self.id, viewer))[1].seq)
        else:
            await self.account(MODERATOR, COUNTS_ONLY)

    @asynccontextmanager
    async def accounting_for_refusals(self, viewer: Viewer) -> AsyncIterator[None]:
        """Accounts for the refusal of a number that the audience has not reached: it tells how much
        there is at most, which may be hidden."""
        try:
            yield
        except UnknownPosition:
            if viewer != PUBLIC_VIEWER:
                await self.account(viewer, COUNTS_ONLY)
            raise


class TournamentRequest(Struct, frozen=True):
    """A request about a tournament."""

    id: UUID
    instance: Instance
    request: AnyRequest

    @property
    def address(self) -> str:
        """The address of the tournament in the API, without the host."""
        return f"{root_of(self.request)}/v1/tournaments/{self.id}"

    async def state(self) -> Tournament:
        """The tournament as it stands. Raises UnknownTournament."""
        return (await self.instance.tournaments.current(self.id)).state

    async def player(self) -> int:
        """The player who sends the request, of a route that needs a player's key."""
        found = player_by(grant(self.request), self.id, await self.state())
        assert found is not None, "the route's guard needs a player's key"
        return found

    @property
    def by(self) -> Actor:
        """Who sends the request, of a route that needs a key. Raises as `actor` does."""
        return actor(grant(self.request))

    async def execute(self, command: Command, once: KeyedRequest | None = None) -> TournamentChange:
        """Executes a command of the sender. Raises as `TournamentService.execute` does."""
        return await self.instance.tournaments.execute(self.id, command, once, by=self.by)

    async def changed(
        self, command: Command, once: KeyedRequest | None, shown: Callable[[Tournament], T]
    ) -> Answer[T]:
        """The answer to a command: what it has made, as the tournament then shows it. Raises the
        same."""
        change = await self.execute(command, once)
        repeated = once is not None and change.repeated
        return created(shown(await self.state()), repeated=repeated)

    async def another_key(
        self, slot: Slot, name: str, once: KeyedRequest | None, shown: Callable[[str | None], T]
    ) -> Answer[T]:
        """The answer with another key of a person in place of a lost one; None to a repeat."""
        key = (await self.instance.tournament_keys.reissue(self.id, slot, name, self.by, once)).key
        return created(shown(key), repeated=key is None, headers=SHOWN_ONCE)


def instance(request: AnyRequest) -> Instance:
    """The instance that answers."""
    return context(request).instance


def grant(request: AnyRequest) -> Grant:
    """What the request's key allows, of a route that needs one."""
    found = found_grant(request)
    assert found is not None, "the route's guard needs a key"
    return found


def actor(grant: NamedDependency[Grant]) -> Actor:
    """Who sends the request, as a record names them. Raises StoreUnavailable while the id of the
    key could not be recorded."""
    return holder_of(grant)


def judge(actor: NamedDependency[Actor], grant: NamedDependency[Grant]) -> Actor:
    """The same, with where their key comes from: for what another person than a certain person must
    do."""
    return replace(actor, origin=grant.origin or UNSET)


def once(request: AnyRequest, idempotency_key: IdempotencyKey = None) -> KeyedRequest | None:
    """The request under its sender's idempotency key; None without one."""
    return request_of(request, idempotency_key)


async def match_request(
    request: AnyRequest, instance: NamedDependency[Instance], match_id: MatchId
) -> MatchRequest:
    """The request about the match of its path."""
    own, grant = await own_viewer(instance, request, match_id), found_grant(request)
    organiser = grant is not None and await organises_match(instance, grant, match_id)
    return MatchRequest(match_id, own, organiser, instance, request)


def tournament_request(
    request: AnyRequest, instance: NamedDependency[Instance], tournament_id: TournamentId
) -> TournamentRequest:
    """The request about the tournament of its path."""
    return TournamentRequest(tournament_id, instance, request)


async def viewer(sent: NamedDependency[MatchRequest], as_: As = None) -> Viewer:
    """The audience as which the request may read: the one it names, or else the key's own. Raises
    as `audience` does."""
    return await audience(sent.instance, sent.id, sent.own, as_)


async def audience(
    instance: Instance, match_id: UUID, own: Viewer, name: str | None, part: Part = "query"
) -> Viewer:
    """The audience that this part of a request names, or else the key's own.

    Raises Failed for an audience that does not exist or that the key does not allow.
    """
    if name is None:
        return own
    wanted = audience_called(name, part)
    if wanted in (own, PUBLIC_VIEWER):
        return wanted
    loaded = await instance.sessions.cached(match_id)
    match = loaded.match
    beyond = own != MODERATOR or (loaded.conceals and isinstance(wanted, int))
    # What is not over in this instance's memory may have ended on another instance.
    if beyond and not (
        is_open(match) or is_open((await instance.sessions.current(match_id)).match)
    ):
        raise beyond_key(part, own)
    if isinstance(wanted, int) and wanted >= match.created.seats:
        allowed = (PUBLIC_VIEWER, *map(named, range(match.created.seats)), MODERATOR)
        detail = "The match has no such seat."
        mistake = _audience_mistake(part, "unknown_value", detail, allowed)
        raise Failed("no_such_seat", errors=(mistake,))
    return wanted


def audience_called(name: str, part: Part = "query") -> Viewer:
    """The audience of this name. Raises Failed."""
    wanted = parse_viewer(name)
    if wanted is None:
        detail = "An audience is `public`, `seat:N` or `moderator`."
        mistake = _audience_mistake(part, "malformed", detail, pattern=AUDIENCE_PATTERN)
        raise Failed("bad_audience", errors=(mistake,))
    return wanted


def beyond_key(part: Part, own: Viewer) -> Failed:
    """The refusal to show what another audience sees to a key that belongs to `own`."""
    detail = "The key is for another audience."
    allowed = tuple(dict.fromkeys((named(own), PUBLIC_VIEWER)))
    return Failed("not_allowed", errors=(_audience_mistake(part, "beyond_key", detail, allowed),))


def _audience_mistake(
    part: Part,
    code: MistakeCode,
    detail: str,
    allowed: tuple[str, ...] | None = None,
    pattern: str | None = None,
) -> Mistake:
    name, pointer = ("as", None) if part == "query" else (None, "/as")
    return Mistake(part, code, detail, name=name, pointer=pointer, allowed=allowed, pattern=pattern)


def page(after: PageAfter = 0, limit: PageLimit = 100) -> Page:
    """Which part of a list."""
    return Page(after, limit)


DEPENDENCIES: dict[str, Provide] = {
    "instance": Provide(instance, sync_to_thread=False),
    "grant": Provide(grant, sync_to_thread=False),
    "actor": Provide(actor, sync_to_thread=False),
    "judge": Provide(judge, sync_to_thread=False),
    "once": Provide(once, sync_to_thread=False),
    "page": Provide(page, sync_to_thread=False),
    "sent": Provide(match_request),
    "tournament": Provide(tournament_request, sync_to_thread=False),
    "viewer": Provide(viewer),
}
"""By the names of the parameters of handlers."""

TheInstance = NamedDependency[Instance]
TheGrant = NamedDependency[Grant]
TheActor = NamedDependency[Actor]
Sent = NamedDependency[MatchRequest]
TheTournament = NamedDependency[TournamentRequest]
TheViewer = NamedDependency[Viewer]
ThePage = NamedDependency[Page]
Once = NamedDependency[KeyedRequest | None]
