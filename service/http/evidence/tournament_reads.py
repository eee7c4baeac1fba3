"""`/v1/tournaments/{id}/reads`: who has read what of the matches of a tournament."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.params import QueryParameter
from msgspec import Struct
from msgspec.structs import asdict

from domain.people import named_person
from projections.audience.disclosure import MODERATOR
from projections.fields import Next
from service.event_store.reads import Read
from service.http.access.grants import moderated, organises
from service.http.access.guards import DIRECTORS
from service.http.description.routing import get
from service.http.evidence.reads import ShownRead, shown_read
from service.http.requests.accounting import COUNTS_ONLY, account_for
from service.http.requests.dependencies import TheGrant, TheInstance, ThePage
from service.http.requests.parameters import (
    TournamentId,
    instant_filter,
    instant_of,
    name_filter,
)
from service.http.requests.responses import Answer, private

MOST_MATCHES = 20
"""How many matches are looked at for a page."""

PLACES = 2**20
"""More than a match has reads: `after` counts matches by so many, and reads in one by one."""

OfPerson = Annotated[str | None, name_filter("Reads by this person")]
OfMatch = Annotated[UUID | None, QueryParameter(description="Of this match alone")]
Since = Annotated[str | None, instant_filter("Reads that went on at this instant or later")]
Until = Annotated[str | None, instant_filter("Reads that began before this instant")]


class ReadInMatch(ShownRead, frozen=True, kw_only=True):
    """A read of one `match` of a tournament: by which `person`, as which `role`, with which key
    (`key_id`), up to which `seq` of `as`, from when (`first`) to when (`last`)."""

    match: str


class ReadInMatchPage(Struct, frozen=True):
    """Some of the reads, match by match in the order in which they were added. A page may have less
    than `limit`, and another one follow."""

    reads: list[ReadInMatch]
    next: Next


class TournamentReadsController(Controller):
    """The account of reads across a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/reads"
    tags = ("tournaments",)

    @get(summary="Who has read what of the matches of a tournament", guards=[DIRECTORS])
    async def list_tournament_reads(
        self,
        tournament_id: TournamentId,
        grant: TheGrant,
        page: ThePage,
        instance: TheInstance,
        person: OfPerson = None,
        match: OfMatch = None,
        since: Since = None,
        until: Until = None,
    ) -> Answer[ReadInMatchPage]:
        """Organisers see the reads of all matches, moderators of theirs; to see them is a look at
        each of these matches, too."""
        matches = list((await instance.tournaments.current(tournament_id)).state.matches)
        own = None
        if not await organises(instance, grant, tournament_id):
            own = await moderated(instance, grant, tournament_id)
        wanted = _Wanted(person, instant_of("since", since), instant_of("until", until))
        found: list[ReadInMatch] = []
        (place, begun), room, looked = divmod(page.after, PLACES), page.limit, 0
        for number in range(place, len(matches)):
            one = UUID(matches[number])
            if (own is not None and str(one) not in own) or match not in (None, one):
                begun = 0
                continue
            if looked == MOST_MATCHES or room == 0:
                return private(ReadInMatchPage(found, number * PLACES))
            looked += 1
            await account_for(instance, grant, one, MODERATOR, COUNTS_ONLY)
            reads = await instance.reads.of_match(one, begun, room + 1)
            found += [_shown(read) for read in reads[:room] if wanted.has(read)]
            if len(reads) > room:
                return private(ReadInMatchPage(found, number * PLACES + begun + room))
            begun, room = 0, room - len(reads)
        return private(ReadInMatchPage(found, None))


class _Wanted(Struct, frozen=True):
    """Which reads are asked for: those of a person, that went on in a span of time."""

    person: str | None
    since: int | None
    until: int | None

    def has(self, read: Read) -> bool:
        """Whether a read is among them."""
        if self.person is not None and (
            read.name is None or named_person(read.name) != named_person(self.person)
        ):
            return False
        late = self.since is None or read.last >= self.since
        return late and (self.until is None or read.first < self.until)


def _shown(read: Read) -> ReadInMatch:
    fields = {
        ("as_" if name == "as" else name): value for name, value in asdict(shown_read(read)).items()
    }
    return ReadInMatch(**fields, match=read.match)
