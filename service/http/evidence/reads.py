"""`/v1/matches/{id}/reads`: who has read what of a match."""

from typing import Annotated

from litestar import Controller
from msgspec import UNSET, Meta, Struct, UnsetType, convert, field
from msgspec.structs import asdict

from projections.audience.disclosure import MODERATOR
from projections.fields import Next
from projections.texts.timestamps import Timestamp, rfc3339
from service.application.evidence.reads import looks
from service.event_store.reads import Read
from service.http.access.guards import Requires
from service.http.description.routing import get
from service.http.requests.accounting import COUNTS_ONLY
from service.http.requests.dependencies import Sent, ThePage
from service.http.requests.responses import Answer, private


class ShownRead(Struct, frozen=True):
    """Someone has read the match: from when to when, and how far. `person` is null for a key
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
        summary="Who has read what of a match",
        guards=[Requires("organiser", "moderator", "seat once over")],
    )
    async def list_reads(self, sent: Sent, page: ThePage) -> Answer[ReadPage]:
        """Moderators and organisers see all reads by keys; to see them is a look, too. Once the
        result is final, seats are told who has looked at hidden things, when, and how many events
        of their own there were by then."""
        reads, sessions = sent.instance.reads, sent.instance.sessions
        if not isinstance(sent.own, int):
            await sent.account(MODERATOR, COUNTS_ONLY)
            listed = await reads.of_match(sent.id, page.after, page.limit + 1)
            found = [shown_read(read) for read in listed]
        else:
            told = looks(await reads.of_match(sent.id))[page.after : page.end + 1]
            found = [
                ShownRead(
                    look.name,
                    look.role,
                    await sessions.number_at(sent.id, sent.own, look.last),
                    rfc3339(look.first),
                    rfc3339(look.last),
                )
                for look in told
            ]
        # With one too many, another page follows.
        return private(ReadPage(found[: page.limit], page.next(page.after + len(found))))


def shown_read(read: Read) -> ShownRead:
    """A read as staff see it."""
    instants = {"first": rfc3339(read.first), "last": rfc3339(read.last)}
    own = {"person": read.name, "as": read.audience, **instants}
    return convert(asdict(read) | own, ShownRead)
