"""`/v1/matches/{id}/cases`: what somebody says went wrong in a match, and what became of it."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from domain.case_state import Speaker
from domain.people import Actor
from projections.cases import CaseShown, shown, summary
from service.application.case_service import NewCase as FirstStatement
from service.http.access import READERS, only
from service.http.accounting import COUNTS_ONLY, accounting_for_refusals
from service.http.authentication import organiser_of
from service.http.authorization import DIRECTORS
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
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.idempotency import read_once
from service.http.operation import IDEMPOTENCY_KEY, get, post
from service.http.parameters import PageQuery
from service.http.problems import Failed
from service.http.request_body import Body, check_no_body
from service.http.responses import (
    created,
    json,
    private_headers,
)

CaseId = Annotated[str, PathParameter(description="The id of the case")]


NEW_CASE = Body(
    NewCase,
    {
        "about an event": {"about": 7, "says": "The coin had left the table."},
        "about none": {"says": "The boards were mixed up."},
    },
)
NEW_STATEMENT = Body(
    NewStatement,
    {
        "a text": {"says": "I saw it fall."},
        "an attachment": {
            "says": "A photograph of the table.",
            "attachment": {"sha256": "9f86d081884c7d659a2feaa0c55ad015" * 2, "name": "table.jpg"},
        },
    },
)
NEW_PARTY = Body(NewParty, {"a seat": {"seat": 1}})
CASE_NOTE = Body(CaseNote, {"a note": {"note": "The coin counts as it lay."}})
NEW_APPEAL = Body(NewAppeal, {"an appeal": {"says": "Nobody asked the witness."}})


class CasesController(Controller):
    """Cases of a match."""

    path = "/v1/matches/{match_id:uuid}/cases"
    tags = ("moderation",)
    dependencies = MATCH_DEPENDENCIES | {
        "participant": Provide(participant),
        "speaker": Provide(speaker),
    }

    @post(
        operation_id="openCase",
        summary="Open a case",
        security=only("organiser", "moderator", "seat"),
        answer=CaseMade,
        body=NEW_CASE,
        headers=[IDEMPOTENCY_KEY],
        errors="no_such_position request_in_flight too_much_said too_many_cases",
    )
    async def open(
        self,
        call: NamedDependency[MatchCall],
        participant: NamedDependency[Participant],
        speaker: NamedDependency[Speaker],
    ) -> ASGIResponse:
        """Needs a seat's key, the match's moderator's, or an organiser's, whatever the match is
        doing. Moderators, organisers and the parties read a case, and nobody else learns of it; the
        seat that opens it is a party."""
        new, once = await read_once(call.request, NEW_CASE)
        counts = numbered_for(participant, new)
        async with accounting_for_refusals(call.instance, call.request, call.id, counts):
            about = await position_of(call.instance, call.id, counts, new)
        first = FirstStatement(about, new.says)
        made = await call.instance.cases.open(call.id, speaker, first, once)
        answer = CaseMade(str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    @get(
        operation_id="listCases",
        summary="The cases of a match that the reader can read",
        security=READERS,
        answer=CaseList,
        query=PageQuery,
    )
    async def list_cases(
        self,
        call: NamedDependency[MatchCall],
        participant: NamedDependency[Participant],
        parameters: NamedDependency[PageQuery],
    ) -> ASGIResponse:
        """A moderator and an organiser read all, a seat those in which it is a party, and everybody
        those that an organiser has published; in the order in which the reader could first."""
        reader = await case_reader(call.instance, call.id, participant)
        await call.account(participant.lists, COUNTS_ONLY)
        service = call.instance.cases
        page, following = parameters.page(await service.listed(call.id, participant.lists))
        found = await service.read(page)
        cases = [summary(str(one.id), one.case, one.read.records, reader) for one in found]
        return json(CaseList(cases, following), 200, private_headers())

    @get(
        "/{case:str}",
        operation_id="readCase",
        summary="A case with all that was said in it",
        security=READERS,
        answer=CaseShown,
        errors="no_such_case",
    )
    async def read(
        self,
        call: NamedDependency[MatchCall],
        case: CaseId,
        participant: NamedDependency[Participant],
    ) -> ASGIResponse:
        """Moderators and organisers are told who speaks; others, as whom: a seat, a moderator or an
        organiser. Whoever cannot read a case is answered as if there were none."""
        reader = await case_reader(call.instance, call.id, participant)
        await call.account(participant.lists, COUNTS_ONLY)
        found = await call.instance.cases.readable(call.id, participant.lists, id_of(case))
        return json(shown(case, found.case, found.read.records, reader), 200, private_headers())

    @post(
        "/{case:str}/statements",
        operation_id="sayInCase",
        summary="Say something in a case",
        security=only("organiser", "moderator", "seat"),
        answer=StatementMade,
        body=NEW_STATEMENT,
        headers=[IDEMPOTENCY_KEY],
        errors="no_such_case request_in_flight case_closed too_much_said",
    )
    async def say(
        self,
        call: NamedDependency[MatchCall],
        case: CaseId,
        participant: NamedDependency[Participant],
        speaker: NamedDependency[Speaker],
    ) -> ASGIResponse:
        """For parties, moderators and organisers, while the case is open."""
        new, once = await read_once(call.request, NEW_STATEMENT)
        case_id = await _taking_part(call, participant, case)
        made = await call.instance.cases.say(
            call.id, case_id, speaker, new.says, new.attachment, once
        )
        answer = StatementMade(case, str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    @post(
        "/{case:str}/parties",
        operation_id="addCaseParty",
        summary="Make a seat a party to a case",
        status_code=204,
        **DIRECTORS,
        body=NEW_PARTY,
        errors="no_such_case no_such_seat case_closed",
    )
    async def add_party(
        self,
        call: NamedDependency[MatchCall],
        case: CaseId,
        participant: NamedDependency[Participant],
        actor: NamedDependency[Actor],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. A party reads all that was said, and
        speaks. A seat that is one already stays one: 204 again."""
        new = await NEW_PARTY.read(call.request)
        if new.seat >= (await call.cached_match()).created.seats:
            raise Failed("no_such_seat")
        case_id = await _taking_part(call, participant, case)
        await call.instance.cases.add_party(call.id, case_id, new.seat, actor)

    @post(
        "/{case:str}/publish",
        operation_id="publishCase",
        summary="Let everybody read a case",
        status_code=204,
        security=only("organiser"),
        errors="too_large no_such_case not_json wrong_shape",
    )
    async def publish(
        self,
        call: NamedDependency[MatchCall],
        case: CaseId,
        participant: NamedDependency[Participant],
        actor: NamedDependency[Actor],
    ) -> None:
        """Needs an organiser's key. Everybody reads the case from now on, all that was and will be
        said in it; that is not taken back."""
        await organiser_of(call.instance, call.request)
        await check_no_body(call.request)
        case_id = await _taking_part(call, participant, case)
        await call.instance.cases.publish(call.id, case_id, actor)

    @post(
        "/{case:str}/close",
        operation_id="closeCase",
        summary="Close a case by a note",
        status_code=204,
        **DIRECTORS,
        body=CASE_NOTE,
        errors="moderator_plays own_ruling key_not_renewed no_such_case case_closed",
    )
    async def close(
        self,
        call: NamedDependency[MatchCall],
        case: CaseId,
        participant: NamedDependency[Participant],
        judge: NamedDependency[Actor],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. The note is for all who read the
        case. A ruling closes a case, too: it names it as `case`. After an appeal somebody else
        decides (`own_ruling`)."""
        new = await CASE_NOTE.read(call.request)
        case_id = await _taking_part(call, participant, case)
        await call.instance.cases.close(call.id, case_id, new.note, judge)

    @post(
        "/{case:str}/appeal",
        operation_id="appealCase",
        summary="Appeal against how a case was closed",
        status_code=204,
        security=only("seat"),
        body=NEW_APPEAL,
        errors="no_such_case case_open already_appealed appeal_too_late too_much_said",
    )
    async def appeal(
        self,
        call: NamedDependency[MatchCall],
        case: CaseId,
        participant: NamedDependency[Participant],
        speaker: NamedDependency[Speaker],
    ) -> None:
        """Needs the key of a party, until `appeal_until`. The case is open again, once."""
        if participant.role != "seat":
            raise Failed("not_allowed")
        new = await NEW_APPEAL.read(call.request)
        case_id = await _taking_part(call, participant, case)
        await call.instance.cases.appeal(call.id, case_id, speaker, new.says)


async def _taking_part(call: MatchCall, participant: Participant, case: str) -> UUID:
    """The id of a case in which they may speak. Raises Conflict for one that they cannot read, and
    Failed for one in which they only read."""
    found = await call.instance.cases.readable(call.id, participant.lists, id_of(case))
    if not participant.directs and participant.lists not in found.case.parties:
        raise Failed("not_allowed")
    return found.id
