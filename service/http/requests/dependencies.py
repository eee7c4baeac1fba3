"""What handlers are given: parameters of the path and the query that several routes share; and, by
name, the instance, who sends a request, and the match or tournament that is meant.

The guard of a route has found the key before; nothing here refuses one but `viewer`, by the
audience that a request names.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Literal, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter, QueryParameter
from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from domain.names import LONGEST_NAME
from domain.people import Actor
from domain.requirements import MOST_SEATS
from domain.tournament.commands import Command
from domain.tournament.state import KeyedRequest, Tournament
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.fields import microseconds
from service.application.matches.match_sessions import UnknownPosition
from service.application.tournaments.tournament_service import TournamentChange
from service.auth.grants import Grant
from service.auth.keyring import Slot
from service.http.access.grants import found_grant, organises_match, player_by
from service.http.access.guards import own_viewer
from service.http.errors.mistakes import AUDIENCE_PATTERN, in_query
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.limits import LARGEST_NUMBER
from service.http.requests.audiences import COUNTS_ONLY, account_for, audience, holder_of
from service.http.requests.context import context, root_of
from service.http.requests.idempotency import request_of
from service.http.requests.responses import Answer, IdempotencyKey, created
from service.instance import Instance

MAX_PAGE = 1_000
MAX_LIST_PAGE = 200

MatchId = Annotated[UUID, PathParameter(description="The id of the match")]
TournamentId = Annotated[UUID, PathParameter(description="The id of the tournament")]
PlayerOfPath = Annotated[int, PathParameter(description="The number of the player, from 0")]

Number = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
SeatNumber = Annotated[int, Meta(ge=0, lt=MOST_SEATS, description="The number of a seat, from 0")]

As = Annotated[
    str | None,
    QueryParameter(
        name="as",
        description="`public`, `seat:N` or `moderator`; by default the key's own",
        schema_extra={"pattern": AUDIENCE_PATTERN},
    ),
]
Status = Literal["created", "running", "paused", "ended", "void"]
OfGame = Annotated[str | None, QueryParameter(description="The id of a game")]
OfStatus = Annotated[Status | None, QueryParameter(description="Of this status")]
OfTournament = Annotated[
    str | None, QueryParameter(name="tournament", description="The id of a tournament")
]
AfterPage = Annotated[UUID | None, QueryParameter(description="The `next` of the page before")]

AT_MOST = "How many at most"
PageLimit = Annotated[int, QueryParameter(ge=1, le=MAX_PAGE, description=AT_MOST)]
ListLimit = Annotated[int, QueryParameter(ge=1, le=MAX_LIST_PAGE, description=AT_MOST)]


MAX_FILTER_LENGTH = 4 * LONGEST_NAME
"""Longer than any name: a letter may consist of several characters."""


def name_filter(subject: str) -> QueryParameter:
    """The parameter `name` of a public list, which searches public names only."""
    return QueryParameter(
        max_length=MAX_FILTER_LENGTH,
        description=f"{subject}: the whole name, in whatever case it is written",
    )


def instant_filter(description: str) -> QueryParameter:
    """A query parameter that is an instant, as `instant_of` reads it."""
    return QueryParameter(description=description, schema_extra={"format": "date-time"})


def instant_of(name: str, text: str | None) -> int | None:
    """The instant that a query parameter names, in microseconds. Raises Failed."""
    try:
        return None if text is None else microseconds(msgspec.convert(text, datetime))
    except (msgspec.ValidationError, ValueError):
        detail = "An instant is as in RFC 3339, with `Z` or an offset."
        wrong = in_query(name, "wrong_format", detail)
        raise Failed("bad_request", f"{name}: {detail}", errors=(wrong,)) from None


def position(description: str) -> QueryParameter:
    """A query parameter that is a number of an event or a posting."""
    # Where the number may be left out, the framework's schema forgets a minimum of 0.
    extra = {"minimum": 0}
    return QueryParameter(ge=0, le=LARGEST_NUMBER, description=description, schema_extra=extra)


PageAfter = Annotated[int, position("Behind this many: the `next` of the page before")]

P = TypeVar("P")


class Page(NamedTuple):
    """Which part of a list that is only ever longer at its end: what stands after the first
    `after`, `limit` at most."""

    after: int
    limit: int

    @property
    def end(self) -> int:
        """How many there are up to the end of the page."""
        return self.after + self.limit

    def of(self, rows: Sequence[P]) -> tuple[list[P], int | None]:
        """The part of the whole list, and `after` of the page that follows, if any."""
        return list(rows[self.after : self.end]), self.next(len(rows))

    def next(self, count: int) -> int | None:
        """`after` of the page that follows in a list of so many; None for the last one."""
        return self.end if self.end < count else None


T = TypeVar("T")


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
        """The same for evidence of all that an audience sees. Until a match is over, evidence
        shows even the public how much is hidden."""
        if self.grant is None:
            return
        sessions = self.instance.sessions
        if viewer != PUBLIC_VIEWER or (await sessions.cached(self.id)).match.over:
            await self.account(viewer, (await sessions.cached_projection(self.id, viewer))[1].seq)
        else:
            await self.account(MODERATOR, COUNTS_ONLY)

    @asynccontextmanager
    async def accounting_for_refusals(self, viewer: Viewer) -> AsyncIterator[None]:
        """Accounts for the refusal of a number that the audience has not reached: it shows how
        much there is at most, which may be hidden."""
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
        player = player_by(grant(self.request), self.id, await self.state())
        assert player is not None, "the route's guard needs a player's key"
        return player

    @property
    def by(self) -> Actor:
        """Who sends the request, of a route that needs a key. Raises as `actor` does."""
        return actor(grant(self.request))

    async def execute(self, command: Command, once: KeyedRequest | None = None) -> TournamentChange:
        """Executes a command of the sender. Raises as `TournamentService.execute` does."""
        return await self.instance.tournaments.execute(self.id, command, once, by=self.by)

    async def changed(
        self, command: Command, once: KeyedRequest | None, show: Callable[[Tournament], T]
    ) -> Answer[T]:
        """The answer to a command: what it has made, as the tournament then shows it. Raises the
        same."""
        change = await self.execute(command, once)
        repeated = once is not None and change.repeated
        return created(show(await self.state()), repeated=repeated)

    async def another_key(
        self, slot: Slot, name: str, once: KeyedRequest | None, show: Callable[[str | None], T]
    ) -> Answer[T]:
        """The answer with another key of a person in place of a lost one; None to a repeat."""
        key = (await self.instance.tournament_keys.reissue(self.id, slot, name, self.by, once)).key
        return created(show(key), repeated=key is None)


def instance(request: AnyRequest) -> Instance:
    """The instance that answers."""
    return context(request).instance


def grant(request: AnyRequest) -> Grant:
    """What the request's key allows, of a route that needs one."""
    grant_found = found_grant(request)
    assert grant_found is not None, "the route's guard needs a key"
    return grant_found


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
