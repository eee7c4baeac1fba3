"""`/v1/tournaments/{id}/reads`: who has read what of a tournament and of its matches."""

from uuid import UUID

from msgspec import Struct
from msgspec.structs import asdict

from projections.audience.disclosure import MODERATOR
from projections.fields import Next
from service.event_store.reads import Read
from service.http.access.guards import DIRECTORS
from service.http.description.routing import OfTournament, get
from service.http.evidence.reads import ShownRead, shown_read
from service.http.requests.accounting import COUNTS_ONLY, account_for
from service.http.requests.across import ACROSS, Listed, Rows, TheAcross
from service.http.requests.dependencies import TheGrant, TheInstance
from service.http.requests.parameters import Page
from service.http.requests.responses import Answer, private


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

        async def listed(match: UUID | None, page: Page) -> Rows[ReadInMatch]:
            one = match or across.tournament.id
            await account_for(instance, grant, one, MODERATOR, COUNTS_ONLY)
            reads = await instance.reads.of_match(one, page.after, page.limit + 1)
            following = page.next(page.after + len(reads))
            named = None if match is None else str(match)
            return [_listed(read, named) for read in reads[: page.limit]], following

        return private(ReadInMatchPage(*await across.rows(listed, directed=True)))


def _listed(read: Read, match: str | None) -> Listed[ReadInMatch]:
    fields = {
        ("as_" if name == "as" else name): value for name, value in asdict(shown_read(read)).items()
    }
    return Listed(ReadInMatch(**fields, match=match), match, [read.name], read.first, read.last)
