"""`/v1/matches/{id}/reads`: who has read what of a match."""

from typing import Annotated

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import UNSET, Meta, Struct, UnsetType, field

from projections.disclosure import MODERATOR
from projections.timestamps import Timestamp, rfc3339
from service.application.reads import looks
from service.auth.grants import Grant
from service.event_store.reads import Read
from service.http.access import ONCE_OVER, only
from service.http.accounting import COUNTS_ONLY
from service.http.authorization import viewer_of_grant
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.operation import get
from service.http.parameters import PageLimit, QueryParameters, position
from service.http.problems import Failed
from service.http.responses import json, private_headers


class ReadsQuery(QueryParameters, frozen=True):
    """Which of them."""

    after: Annotated[int, position("Behind this many")] = 0
    limit: PageLimit = 100


class ShownRead(Struct, frozen=True):
    """Somebody has read the match: from when to when, and how far. `person` is null for a key
    without a name, `role` what the key is for. `seq` counts the events of `as`; players are shown
    no `key_id`, `as` and `hidden`, and their own number at the instant `last`."""

    person: str | None
    role: Annotated[str, Meta(description="`organiser`, `moderator` or `seat`")]
    seq: int
    first: Timestamp
    last: Timestamp
    key_id: str | UnsetType = UNSET
    as_: str | UnsetType = field(name="as", default=UNSET)
    hidden: Annotated[
        bool | UnsetType,
        Meta(description="Whether it was hidden when it was read, but for the reader's role"),
    ] = UNSET


class ReadPage(Struct, frozen=True):
    """Some of the reads, in the order in which they began; `next` is the `after` of the page that
    follows, if any."""

    reads: list[ShownRead]
    next: int | None


class ReadsController(Controller):
    """The account of reads."""

    path = "/v1/matches/{match_id:uuid}/reads"
    tags = ("moderation",)
    dependencies = MATCH_DEPENDENCIES

    @get(
        operation_id="listReads",
        summary="Who has read what of a match",
        security=[*only("organiser", "moderator"), {"key": [f"seat{ONCE_OVER}"]}],
        answer=ReadPage,
        query=ReadsQuery,
    )
    async def list_reads(
        self,
        call: NamedDependency[MatchCall],
        parameters: NamedDependency[ReadsQuery],
        grant: NamedDependency[Grant],
    ) -> ASGIResponse:
        """Moderators and organisers see all reads by keys; to see them is a look, too. Once the
        result is final, seats are told who has looked at hidden things, when, and how many events
        of their own there were by then."""
        own = await viewer_of_grant(call.instance, grant, call.id, None)
        after, limit = parameters.after, parameters.limit
        if own == MODERATOR or grant.role == "organiser":
            await call.account(MODERATOR, COUNTS_ONLY)
            reads = await call.instance.reads.of_match(call.id, after, limit + 1)
            return _page([_shown(read) for read in reads], after, limit)
        if not (isinstance(own, int) and (await call.current_match()).over):
            raise Failed("not_allowed")
        told = looks(await call.instance.reads.of_match(call.id))[after : after + limit + 1]
        sessions = call.instance.sessions
        numbers = [await sessions.number_at(call.id, own, look.last) for look in told]
        return _page(
            [
                ShownRead(look.name, look.role, seq, rfc3339(look.first), rfc3339(look.last))
                for look, seq in zip(told, numbers, strict=True)
            ],
            after,
            limit,
        )


def _shown(read: Read) -> ShownRead:
    return ShownRead(
        read.name,
        read.role,
        read.seq,
        rfc3339(read.first),
        rfc3339(read.last),
        read.key_id,
        read.audience,
        read.hidden,
    )


def _page(found: list[ShownRead], after: int, limit: int) -> ASGIResponse:
    """A page of what was found behind `after`: with one too many, another page follows."""
    page = ReadPage(found[:limit], after + limit if len(found) > limit else None)
    return json(page, 200, private_headers())
