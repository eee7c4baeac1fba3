"""`/v1/matches/{id}/cases`: what someone says went wrong in a match, and what became of it."""

from bisect import bisect_left
from functools import partial
from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.cases.state import Attachment, Role, Said, Speaker
from domain.match.commands import Conflict
from domain.people import Actor
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.projection import AudienceProjection
from projections.cases import CaseReader, CaseShown, CaseSummary, shown, summary
from projections.fields import Next
from service.application.cases.case_service import FirstStatement as FirstStatement
from service.application.matches.match_sessions import UnknownPosition
from service.event_store.case_streams import StoredCase
from service.http.access.guards import DIRECTORS, ORGANISER, PARTICIPANTS, READERS, SEATED
from service.http.description.described import examples, problems
from service.http.description.routing import get, post
from service.http.errors.problems import Failed
from service.http.middleware.limits import LARGEST_NUMBER
from service.http.requests.accounting import COUNTS_ONLY
from service.http.requests.dependencies import MatchRequest, Once, Sent, TheActor, ThePage
from service.http.requests.parameters import SeatNumber
from service.http.requests.responses import Answer, created, private, private_headers

CaseId = Annotated[str, PathParameter(description="The id of the case")]
EventNumber = Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)]

NEW_CASE = examples(
    {
        "about an event": {"about": 7, "says": "The coin had left the table."},
        "about none": {"says": "The boards were mixed up."},
    }
)
NEW_STATEMENT = examples(
    {
        "a text": {"says": "I saw it fall."},
        "an attachment": {
            "says": "A photograph of the table.",
            "attachment": {"sha256": "9f86d081884c7d659a2feaa0c55ad015" * 2, "name": "table.jpg"},
        },
    }
)
NEW_PARTY = examples({"a seat": {"seat": 1}})
CASE_NOTE = examples({"a note": {"note": "The coin counts as it lay."}})
NEW_APPEAL = examples({"an appeal": {"says": "Nobody asked the witness."}})


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


class NewStatement(Struct, frozen=True, forbid_unknown_fields=True):
    """Something to say in a case, perhaps about an attachment that is kept elsewhere."""

    says: Said
    attachment: Attachment | None = None


class NewParty(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat that shall read a case, and speak in it."""

    seat: SeatNumber


class CaseNote(Struct, frozen=True, forbid_unknown_fields=True):
    """The note that closes a case."""

    note: Said


class NewAppeal(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a case shall be decided again."""

    says: Said


class CaseMade(Struct, frozen=True):
    """The id of a new case."""

    case: str


class StatementMade(Struct, frozen=True):
    """The ids of a case, and of what was said in it."""

    case: str
    statement: Annotated[str, Meta(description="The id of what was said")]


class CaseList(Struct, frozen=True):
    """Cases that the reader can read, in the order in which it could first do so."""

    cases: list[CaseSummary]
    next: Next


class Participant(Struct, frozen=True):
    """Someone who reads the cases of a match: those of the audience `lists`, with the numbers of
    events that the audience `counts` has. `role` is whom they speak for; None for those who only
    read."""

    sent: MatchRequest
    lists: Viewer
    counts: Viewer
    role: Role | None

    def speaker(self, actor: Actor) -> Speaker:
        """Who speaks: a seat, a moderator or an organiser."""
        assert self.role is not None, "the route's guard needs one of them"
        if isinstance(self.lists, int):
            return Speaker("seat", self.lists, None, actor.key_id)
        return Speaker(self.role, None, actor.by, actor.key_id)

    async def reader(self) -> CaseReader:
        """What they are shown of cases, which is accounted for."""
        sessions = self.sent.instance.sessions
        _, projection = await sessions.projection(self.sent.id, self.counts)
        _, public = await sessions.projection(self.sent.id, PUBLIC_VIEWER)
        rulings = (await sessions.current(self.sent.id)).match.rulings
        await self.sent.account(self.lists, COUNTS_ONLY)

        def ruling_number(ruling: str) -> int | None:
            past = rulings.was(ruling)
            return None if past is None else past.n

        own, published = partial(number_of, projection), partial(number_of, public)
        return CaseReader(self.lists == MODERATOR, own, published, ruling_number)

    async def readable(self, case: str) -> StoredCase:
        """A case. Raises Conflict for one that they cannot read."""
        try:
            case_id = UUID(case)
        except ValueError:
            raise Conflict("no_such_case") from None
        return await self.sent.instance.cases.readable(self.sent.id, self.lists, case_id)

    async def taking_part(self, case: str) -> UUID:
        """The id of a case in which they may speak. Raises Conflict for one that they cannot read,
        and Failed for one in which they only read."""
        found = await self.readable(case)
        if self.lists not in (MODERATOR, *found.case.parties):
            raise Failed("not_allowed")
        return found.id

    async def position_of(self, new: NewCase) -> int | None:
        """The position on the match's record of the event that a new case is about. Raises
        UnknownPosition."""
        counts = self.counts if new.about_public is None else PUBLIC_VIEWER
        number = new.about if new.about_public is None else new.about_public
        if number is None:
            return None
        sent = self.sent
        async with sent.accounting_for_refusals(counts):
            _, projection = await sent.instance.sessions.projection(sent.id, counts)
            if number > projection.seq:
                raise UnknownPosition
        return projection.positions[number - 1]


def participant(sent: Sent) -> Participant:
    """Who reads or speaks, for handlers."""
    if sent.organises:
        return Participant(sent, MODERATOR, PUBLIC_VIEWER, "organiser")
    if sent.own == MODERATOR:
        return Participant(sent, MODERATOR, MODERATOR, "moderator")
    return Participant(sent, sent.own, sent.own, "seat" if isinstance(sent.own, int) else None)


TheParticipant = NamedDependency[Participant]
PARTICIPANT = {"participant": Provide(participant, sync_to_thread=False)}


class CasesController(Controller):
    """Cases of a match."""

    path = "/v1/matches/{match_id:uuid}/cases"
    tags = ("moderation",)
    dependencies = PARTICIPANT

    @post(
        summary="Open a case",
        guards=[PARTICIPANTS],
        opt=problems("no_such_position too_much_said too_many_cases"),
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
        first = FirstStatement(await participant.position_of(data), data.says)
        made = await sent.instance.cases.open(sent.id, participant.speaker(actor), first, once)
        answer = CaseMade(str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    @get(summary="The cases of a match that the reader can read", guards=[READERS])
    async def list_cases(
        self, sent: Sent, participant: TheParticipant, page: ThePage
    ) -> Answer[CaseList]:
        """A moderator and an organiser read all, a seat those in which it is a party, and everyone
        those that an organiser has published; in the order in which the reader could first."""
        reader = await participant.reader()
        listed, following = page.of(await sent.instance.cases.listed(sent.id, participant.lists))
        found = await sent.instance.cases.read(listed)
        shown = [summary(str(one.id), one.case, one.read.records, reader) for one in found]
        return private(CaseList(shown, following))

    @get(
        "/{case:str}",
        summary="A case with all that was said in it",
        guards=[READERS],
        opt=problems("no_such_case"),
    )
    async def read_case(self, participant: TheParticipant, case: CaseId) -> Answer[CaseShown]:
        """Moderators and organisers are told who speaks; others, as whom: a seat, a moderator or an
        organiser. Anyone who cannot read a case is answered as if there were none."""
        reader = await participant.reader()
        found = await participant.readable(case)
        return private(shown(case, found.case, found.read.records, reader))

    @post(
        "/{case:str}/statements",
        summary="Say something in a case",
        guards=[PARTICIPANTS],
        opt=problems("no_such_case case_closed too_much_said"),
    )
    async def say_in_case(
        self,
        sent: Sent,
        case: CaseId,
        data: Annotated[NewStatement, NEW_STATEMENT],
        participant: TheParticipant,
        actor: TheActor,
        once: Once,
    ) -> Answer[StatementMade]:
        """For parties, moderators and organisers, while the case is open."""
        case_id, speaker = await participant.taking_part(case), participant.speaker(actor)
        made = await sent.instance.cases.say(
            sent.id, case_id, speaker, data.says, data.attachment, once
        )
        answer = StatementMade(case, str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

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
        case_id = await participant.taking_part(case)
        await sent.instance.cases.add_party(sent.id, case_id, data.seat, actor)

    @post(
        "/{case:str}/publish",
        summary="Let everybody read a case",
        status_code=204,
        guards=[ORGANISER],
        opt=problems("no_such_case"),
    )
    async def publish_case(
        self, sent: Sent, case: CaseId, participant: TheParticipant, actor: TheActor
    ) -> None:
        """Needs an organiser's key. Everyone reads the case from now on, all that was and will be
        said in it; that is not taken back."""
        case_id = await participant.taking_part(case)
        await sent.instance.cases.publish(sent.id, case_id, actor)

    @post(
        "/{case:str}/close",
        summary="Close a case by a note",
        status_code=204,
        guards=[DIRECTORS],
        opt=problems("moderator_plays own_ruling key_not_renewed no_such_case case_closed"),
    )
    async def close_case(
        self,
        sent: Sent,
        case: CaseId,
        data: Annotated[CaseNote, CASE_NOTE],
        participant: TheParticipant,
        judge: TheActor,
    ) -> None:
        """Needs an organiser's key or the match's moderator's. The note is for all who read the
        case. A ruling closes a case, too: it names it as `case`. After an appeal another person
        decides (`own_ruling`)."""
        case_id = await participant.taking_part(case)
        await sent.instance.cases.close(sent.id, case_id, data.note, judge)

    @post(
        "/{case:str}/appeal",
        summary="Appeal against how a case was closed",
        status_code=204,
        guards=[SEATED],
        opt=problems("no_such_case case_open already_appealed appeal_too_late too_much_said"),
    )
    async def appeal_case(
        self,
        sent: Sent,
        case: CaseId,
        data: Annotated[NewAppeal, NEW_APPEAL],
        participant: TheParticipant,
        actor: TheActor,
    ) -> None:
        """Needs the key of a party, until `appeal_until`. The case is open again, once."""
        case_id, speaker = await participant.taking_part(case), participant.speaker(actor)
        await sent.instance.cases.appeal(sent.id, case_id, speaker, data.says)


def number_of(projection: AudienceProjection, position: int) -> int | None:
    """The audience's own number of the event at a position; None if it is not theirs."""
    place = bisect_left(projection.positions, position)
    found = projection.positions[place : place + 1]
    return place + 1 if list(found) == [position] else None
