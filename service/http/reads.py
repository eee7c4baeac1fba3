"""`/v1/matches/{id}/reads`: who has read what of a match."""

from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from msgspec import UNSET, Meta, Struct, UnsetType, field

from projections.disclosure import MODERATOR, Viewer
from projections.fields import Next
from projections.timestamps import Timestamp, rfc3339
from service.application.match_sessions import MatchSessions
from service.application.reads import ReadAccount, looks
from service.event_store.reads import Read
from service.http.accounting import COUNTS_ONLY
from service.http.dependencies import Account
from service.http.guards import SeatsOnceOver
from service.http.parameters import MatchId, Page
from service.http.responses import Answer, private


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
    """Some of the reads, in the order in which they began."""

    reads: list[ShownRead]
    next: Next


class ReadsController(Controller):
    """The account of reads."""

    path = "/v1/matches/{match_id:uuid}/reads"
    tags = ("moderation",)

    @get(
        operation_id="listReads",
        summary="Who has read what of a match",
        guards=[SeatsOnceOver("organiser", "moderator")],
    )
    async def list_reads(
        self,
        match_id: MatchId,
        own: NamedDependency[Viewer],
        page: NamedDependency[Page],
        account: NamedDependency[Account],
        reads: NamedDependency[ReadAccount],
        sessions: NamedDependency[MatchSessions],
    ) -> Answer[ReadPage]:
        """Moderators and organisers see all reads by keys; to see them is a look, too. Once the
        result is final, seats are told who has looked at hidden things, when, and how many events
        of their own there were by then."""
        if not isinstance(own, int):
            await account(MODERATOR, COUNTS_ONLY)
            listed = await reads.of_match(match_id, page.after, page.limit + 1)
            return _page([_shown(read) for read in listed], page)
        told = looks(await reads.of_match(match_id))[page.after : page.end + 1]
        numbers = [await sessions.number_at(match_id, own, look.last) for look in told]
        found = [
            ShownRead(look.name, look.role, seq, rfc3339(look.first), rfc3339(look.last))
            for look, seq in zip(told, numbers, strict=True)
        ]
        return _page(found, page)


def _shown(read: Read) -> ShownRead:
    return ShownRead(
        person=read.name,
        role=read.role,
        seq=read.seq,
        first=rfc3339(read.first),
        last=rfc3339(read.last),
        key_id=read.key_id,
        as_=read.audience,
        hidden=read.hidden,
    )


def _page(found: list[ShownRead], page: Page) -> Answer[ReadPage]:
    """A page of what was found behind its beginning: with one too many, another page follows."""
    return private(ReadPage(found[: page.limit], page.next(page.after + len(found))))
