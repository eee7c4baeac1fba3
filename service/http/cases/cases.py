"""`/v1/matches/{id}/cases`: what someone says went wrong in a match, and what became of it."""

from bisect import bisect_left
from functools import partial
from typing import Annotated, Any

from litestar.di import Provide
from msgspec import Meta, Struct

from domain.cases.state import About, Role, Said
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.projection import AudienceProjection
from projections.cases import CaseReader, CaseShown, CaseSummary
from projections.fields import Next
from service.application.cases.cases import FirstStatement
from service.application.matches.match_sessions import UnknownPosition
from service.http.access.guards import DIRECTORS, PARTICIPANTS, READERS
from service.http.cases.participants import (
    CaseId,
    CaseMade,
    CaseRoutes,
    Participant,
    TheParticipant,
    case_as,
)
from service.http.description.routing import examples, get, post, problems
from service.http.errors.problems import Failed
from service.http.middleware.limits import LARGEST_NUMBER
from service.http.requests.audiences import COUNTS_ONLY
from service.http.requests.dependencies import (
    MatchRequest,
    Once,
    SeatNumber,
    Sent,
    TheActor,
    ThePage,
)
from service.http.requests.responses import Answer, private

EventNumber = Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)]

NEW_CASE = examples(
    {
        "about an event": {"about": 7, "says": "The coin had left the table."},
        "about none": {"says": "The boards were mixed up."},
    }
)
NEW_PARTY = examples({"a seat": {"seat": 1}})


class NewCase(Struct, frozen=True, forbid_unknown_fields=True):
    """What went wrong. `about` is the sender's own number of an event that it is about (an
    organiser counts what the public sees), or `about_public` its number in the public's count: at
    most one of the two."""

    says: Said
    about: EventNumber | None = None
    about_public: EventNumber | None = None

    def __post_init__(self) -> None:
        if self.about is not None and self.about_public is not None:
            raise ValueError("an event is named by `about` or by `about_public`, not by both")


class NewParty(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat that may read a case from now on, and speak in it."""

    seat: SeatNumber


class CaseList(Struct, frozen=True):
    """Cases that the reader can read, in the order in which it could first do so."""

    cases: list[CaseSummary]
    next: Next


def participant(sent: Sent) -> Participant:
    """Who reads or speaks, for handlers."""
    lists = MODERATOR if sent.organises else sent.own
    role: Role | None = "organiser" if sent.organises else None
    if role is None and sent.own != PUBLIC_VIEWER:
        role = "moderator" if sent.own == MODERATOR else "seat"
    return Participant(
        sent.instance.cases.of_match(sent.id), lists, role, partial(reader, sent, lists)
    )


async def reader(sent: MatchRequest, lists: Viewer) -> CaseReader:
    """What a sender is shown of cases. Events are named by their own numbers: an organiser counts
    what the public sees."""
    sessions = sent.instance.sessions
    _, projection = await sessions.projection(sent.id, sent.own)
    _, public = await sessions.projection(sent.id, PUBLIC_VIEWER)
    rulings = (await sessions.current(sent.id)).match.rulings
    await sent.account(lists, COUNTS_ONLY)

    def about(position: About) -> dict[str, Any]:
        own, published = (number_of(counting, position) for counting in (projection, public))
        return {"about": own, "about_public": published}

    return CaseReader(lists == MODERATOR, rulings.number, about)


async def position_of(sent: MatchRequest, new: NewCase) -> int | None:
    """The position on the match's record of the event that a new case is about. Raises
    UnknownPosition."""
    counts = sent.own if new.about_public is None else PUBLIC_VIEWER
    number = new.about if new.about_public is None else new.about_public
    if number is None:
        return None
    async with sent.accounting_for_refusals(counts):
        _, projection = await sent.instance.sessions.projection(sent.id, counts)
        if number > projection.seq:
            raise UnknownPosition("/about" if counts is sent.own else "/about_public")
    return projection.positions[number - 1]


class CasesController(CaseRoutes):
    """Cases of a match."""

    path = "/v1/matches/{match_id:uuid}/cases"
    tags = ("moderation",)
    dependencies = {"participant": Provide(participant, sync_to_thread=False)}  # noqa: RUF012

    @post(
        summary="Open a case",
        guards=[PARTICIPANTS],
        opt=problems("history_went_back too_much_said too_many_cases"),
    )
    async def open_case(
        self,
        data: Annotated[NewCase, NEW_CASE],
        sent: Sent,
        participant: TheParticipant,
        actor: TheActor,
        once: Once,
    ) -> Answer[CaseMade]:
        """Needs a seat's key, the match's moderator's, or an organiser's, whatever the match is
        doing. Moderators, organisers and the parties read a case, and no one else learns of it; the
        seat that opens it is a party."""
        first = FirstStatement(await position_of(sent, data), data.says)
        return await participant.open_case(first, actor, once)

    @get(summary="The cases of a match that the reader can read", guards=[READERS])
    async def list_cases(self, participant: TheParticipant, page: ThePage) -> Answer[CaseList]:
        """A moderator and an organiser read all, a seat those in which it is a party, and everyone
        those that an organiser has published; in the order in which the reader could first."""
        reader = await participant.reader()
        rows, following = await participant.list_cases(page)
        cases = [case_as(CaseSummary, row, reader) for row in rows]
        return private(CaseList(cases, following))

    @get(
        "/{case:str}",
        summary="A case with all that was said in it",
        guards=[READERS],
        opt=problems("no_such_case"),
    )
    async def read_case(self, participant: TheParticipant, case: CaseId) -> Answer[CaseShown]:
        """Moderators and organisers see who speaks; others see only whether it is a seat, a
        moderator or an organiser. Anyone who cannot read a case is answered as if there were
        none."""
        return await participant.show(CaseShown, case)

    @post(
        "/{case:str}/parties",
        summary="Make a seat a party to a case",
        status_code=204,
        guards=[DIRECTORS],
        opt=problems("no_such_case no_such_seat case_closed"),
    )
    async def add_case_party(
        self,
        sent: Sent,
        case: CaseId,
        data: Annotated[NewParty, NEW_PARTY],
        participant: TheParticipant,
        actor: TheActor,
    ) -> None:
        """Needs an organiser's key or the match's moderator's. A party reads all that was said, and
        speaks. A seat that is one already stays one: 204 again."""
        if data.seat >= (await sent.instance.sessions.cached(sent.id)).match.created.seats:
            raise Failed("no_such_seat")
        case_id = await participant.directed(case)
        await participant.cases.add_party(case_id, data.seat, actor)


def number_of(projection: AudienceProjection, position: About) -> int | None:
    """The audience's own number of the event at a position; None if it is not theirs."""
    if not isinstance(position, int):
        return None
    place = bisect_left(projection.positions, position)
    here = projection.positions[place : place + 1]
    return place + 1 if list(here) == [position] else None
