"""`…/reads` of a match, and of a tournament and its matches: who has read what."""

from typing import Annotated, TypeVar
from uuid import UUID

from litestar import Controller
from msgspec import UNSET, Meta, Struct, UnsetType, convert, field
from msgspec.structs import asdict

from projections.audience.disclosure import MODERATOR
from projections.fields import Next, Timestamp, rfc3339
from service.application.evidence.reads import looks
from service.event_store.reads import Read
from service.http.access.guards import DIRECTORS, Requires
from service.http.description.routing import OfTournament, get
from service.http.requests.across import ACROSS, Listed, Rows, TheAcross
from service.http.requests.audiences import COUNTS_ONLY, account_for
from service.http.requests.dependencies import Page, Sent, TheGrant, TheInstance, ThePage
from service.http.requests.responses import Answer, private

R = TypeVar("R", bound="ShownRead")


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
            all_reads = await reads.of_match(sent.id, page.after, page.limit + 1)
            rows = [shown_read(read, ShownRead, None) for read in all_reads]
        else:
            looks_shown = looks(await reads.of_match(sent.id))[page.after : page.end + 1]
            rows = [
                ShownRead(
                    look.name,
                    look.role,
                    await sessions.number_at(sent.id, sent.own, look.last),
                    rfc3339(look.first),
                    rfc3339(look.last),
                )
                for look in looks_shown
            ]
        # With one too many, another page follows.
        return private(ReadPage(rows[: page.limit], page.next(page.after + len(rows))))


class ReadInMatch(ShownRead, frozen=True, kw_only=True):
    """A read of one `match` of a tournament, or with null of the cases about the tournament: by
    which `person`, as which `role`, with which key (`key_id`), up to which `seq` of `as`, from when
    (`first`) to when (`last`)."""

    match: str | None


class ReadInMatchPage(Struct, frozen=True):
    """Some of the reads, match by match in the order in which they were added. A page may have less
    than `limit`, and another one follow."""

    reads: list[ReadInMatch]
    next: Next


class TournamentReadsController(OfTournament):
    """The account of reads across a tournament."""

    path = f"{OfTournament.path}/reads"
    dependencies = ACROSS

    @get(summary="Who has read what of a tournament and its matches", guards=[DIRECTORS])
    async def list_tournament_reads(
        self, across: TheAcross, grant: TheGrant, instance: TheInstance
    ) -> Answer[ReadInMatchPage]:
        """Organisers see the reads of the tournament and of all matches, moderators of theirs; to
        see them is a look at each of these matches, too."""

        async def list_rows(match: UUID | None, page: Page) -> Rows[ReadInMatch]:
            subject = match or across.tournament.id
            await account_for(instance, grant, subject, MODERATOR, COUNTS_ONLY)
            reads = await instance.reads.of_match(subject, page.after, page.limit + 1)
            following = page.next(page.after + len(reads))
            match_text = None if match is None else str(match)
            rows = [
                Listed(
                    shown_read(read, ReadInMatch, match_text),
                    match_text,
                    [read.name],
                    read.first,
                    read.last,
                )
                for read in reads[: page.limit]
            ]
            return rows, following

        return private(ReadInMatchPage(*await across.rows(list_rows, directed=True)))


def shown_read(read: Read, kind: type[R], match: str | None) -> R:
    """A read of this match as staff see it."""
    instants = {"first": rfc3339(read.first), "last": rfc3339(read.last)}
    own = {"person": read.name, "as": read.audience, "match": match, **instants}
    return convert(asdict(read) | own, kind)
