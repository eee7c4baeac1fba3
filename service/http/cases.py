"""`/v1/matches/{id}/cases`: what somebody says went wrong in a match, and what became of it."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter

from domain.case_state import Speaker
from domain.people import Actor
from domain.tournament_state import Request
from projections.cases import CaseShown, shown, summary
from service.application.case_service import CaseService
from service.application.case_service import NewCase as FirstStatement
from service.application.match_sessions import MatchSessions
from service.auth.grants import Grant
from service.http.accounting import COUNTS_ONLY, accounting_for_refusals
from service.http.case_reading import (
    Participant,
    case_reader,
    id_of,
    numbered_for,
    participant,
    position_of,
    speaker,
)
from service.http.case_schemas import (
    CaseList,
    CaseMade,
    CaseNote,
    NewAppeal,
    NewCase,
    NewParty,
    NewStatement,
    StatementMade,
)
from service.http.dependencies import Account
from service.http.described import examples, problems
from service.http.guards import DIRECTORS, ORGANISER, PARTICIPANTS, READERS, SEATED
from service.http.idempotency import remembered
from service.http.parameters import MatchId, Page
from service.http.problems import Failed
from service.http.responses import Answer, created, private, private_headers
from service.instance import Instance

CaseId = Annotated[str, PathParameter(description="The id of the case")]

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


TAKING_PART = {
    "participant": Provide(participant),
    "speaker": Provide(speaker),
}


class CasesController(Controller):
    """Cases of a match."""

    path = "/v1/matches/{match_id:uuid}/cases"
    tags = ("moderation",)
    dependencies = TAKING_PART

    @post(
        operation_id="openCase",
        summary="Open a case",
        guards=[PARTICIPANTS],
        opt=problems("no_such_position too_much_said too_many_cases"),
    )
    async def open(
        self,
        match_id: MatchId,
        data: Annotated[NewCase, NEW_CASE],
        participant: NamedDependency[Participant],
        speaker: NamedDependency[Speaker],
        once: NamedDependency[Request | None],
        grant: NamedDependency[Grant],
        instance: NamedDependency[Instance],
        cases: NamedDependency[CaseService],
    ) -> Answer[CaseMade]:
        """Needs a seat's key, the match's moderator's, or an organiser's, whatever the match is
        doing. Moderators, organisers and the parties read a case, and nobody else learns of it; the
        seat that opens it is a party."""
        counts = numbered_for(participant, data)
        async with accounting_for_refusals(instance, grant, match_id, counts):
            about = await position_of(instance.sessions, match_id, counts, data)
        made = await cases.open(match_id, speaker, FirstStatement(about, data.says), once)
        answer = CaseMade(str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    @get(
        operation_id="listCases",
        summary="The cases of a match that the reader can read",
        guards=[READERS],
    )
    async def list_cases(
        self,
        match_id: MatchId,
        participant: NamedDependency[Participant],
        page: NamedDependency[Page],
        account: NamedDependency[Account],
        sessions: NamedDependency[MatchSessions],
        cases: NamedDependency[CaseService],
    ) -> Answer[CaseList]:
        """A moderator and an organiser read all, a seat those in which it is a party, and everybody
        those that an organiser has published; in the order in which the reader could first."""
        reader = await case_reader(sessions, match_id, participant)
        await account(participant.lists, COUNTS_ONLY)
        listed, following = page.of(await cases.listed(match_id, participant.lists))
        found = await cases.read(listed)
        shown = [summary(str(one.id), one.case, one.read.records, reader) for one in found]
        return private(CaseList(shown, following))

    @get(
        "/{case:str}",
        operation_id="readCase",
        summary="A case with all that was said in it",
        guards=[READERS],
        opt=problems("no_such_case"),
    )
    async def read(
        self,
        match_id: MatchId,
        case: CaseId,
        participant: NamedDependency[Participant],
        account: NamedDependency[Account],
        sessions: NamedDependency[MatchSessions],
        cases: NamedDependency[CaseService],
    ) -> Answer[CaseShown]:
        """Moderators and organisers are told who speaks; others, as whom: a seat, a moderator or an
        organiser. Whoever cannot read a case is answered as if there were none."""
        reader = await case_reader(sessions, match_id, participant)
        await account(participant.lists, COUNTS_ONLY)
        found = await cases.readable(match_id, participant.lists, id_of(case))
        return private(shown(case, found.case, found.read.records, reader))

    @post(
        "/{case:str}/statements",
        operation_id="sayInCase",
        summary="Say something in a case",
        guards=[PARTICIPANTS],
        opt=problems("no_such_case case_closed too_much_said"),
    )
    async def say(
        self,
        match_id: MatchId,
        case: CaseId,
        data: Annotated[NewStatement, NEW_STATEMENT],
        participant: NamedDependency[Participant],
        speaker: NamedDependency[Speaker],
        once: NamedDependency[Request | None],
        cases: NamedDependency[CaseService],
    ) -> Answer[StatementMade]:
        """For parties, moderators and organisers, while the case is open."""
        case_id = await _taking_part(cases, match_id, participant, case)
        made = await cases.say(match_id, case_id, speaker, data.says, data.attachment, once)
        answer = StatementMade(case, str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    @post(
        "/{case:str}/parties",
        operation_id="addCaseParty",
        summary="Make a seat a party to a case",
        status_code=204,
        guards=[DIRECTORS],
        opt=problems("no_such_case no_such_seat case_closed"),
    )
    @remembered()
    async def add_party(
        self,
        match_id: MatchId,
        case: CaseId,
        data: Annotated[NewParty, NEW_PARTY],
        participant: NamedDependency[Participant],
        actor: NamedDependency[Actor],
        sessions: NamedDependency[MatchSessions],
        cases: NamedDependency[CaseService],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. A party reads all that was said, and
        speaks. A seat that is one already stays one: 204 again."""
        if data.seat >= (await sessions.cached(match_id)).match.created.seats:
            raise Failed("no_such_seat")
        case_id = await _taking_part(cases, match_id, participant, case)
        await cases.add_party(match_id, case_id, data.seat, actor)

    @post(
        "/{case:str}/publish",
        operation_id="publishCase",
        summary="Let everybody read a case",
        status_code=204,
        guards=[ORGANISER],
        opt=problems("no_such_case"),
    )
    @remembered()
    async def publish(
        self,
        match_id: MatchId,
        case: CaseId,
        participant: NamedDependency[Participant],
        actor: NamedDependency[Actor],
        cases: NamedDependency[CaseService],
    ) -> None:
        """Needs an organiser's key. Everybody reads the case from now on, all that was and will be
        said in it; that is not taken back."""
        case_id = await _taking_part(cases, match_id, participant, case)
        await cases.publish(match_id, case_id, actor)

    @post(
        "/{case:str}/close",
        operation_id="closeCase",
        summary="Close a case by a note",
        status_code=204,
        guards=[DIRECTORS],
        opt=problems("moderator_plays own_ruling key_not_renewed no_such_case case_closed"),
    )
    @remembered()
    async def close(
        self,
        match_id: MatchId,
        case: CaseId,
        data: Annotated[CaseNote, CASE_NOTE],
        participant: NamedDependency[Participant],
        judge: NamedDependency[Actor],
        cases: NamedDependency[CaseService],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. The note is for all who read the
        case. A ruling closes a case, too: it names it as `case`. After an appeal somebody else
        decides (`own_ruling`)."""
        case_id = await _taking_part(cases, match_id, participant, case)
        await cases.close(match_id, case_id, data.note, judge)

    @post(
        "/{case:str}/appeal",
        operation_id="appealCase",
        summary="Appeal against how a case was closed",
        status_code=204,
        guards=[SEATED],
        opt=problems("no_such_case case_open already_appealed appeal_too_late too_much_said"),
    )
    @remembered()
    async def appeal(
        self,
        match_id: MatchId,
        case: CaseId,
        data: Annotated[NewAppeal, NEW_APPEAL],
        participant: NamedDependency[Participant],
        speaker: NamedDependency[Speaker],
        cases: NamedDependency[CaseService],
    ) -> None:
        """Needs the key of a party, until `appeal_until`. The case is open again, once."""
        case_id = await _taking_part(cases, match_id, participant, case)
        await cases.appeal(match_id, case_id, speaker, data.says)


async def _taking_part(
    cases: CaseService, match_id: UUID, participant: Participant, case: str
) -> UUID:
    """The id of a case in which they may speak. Raises Conflict for one that they cannot read, and
    Failed for one in which they only read."""
    found = await cases.readable(match_id, participant.lists, id_of(case))
    if not participant.directs and participant.lists not in found.case.parties:
        raise Failed("not_allowed")
    return found.id
