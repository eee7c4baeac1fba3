"""Who reads a case and speaks in it, and the routes that a case has whatever it is about."""

from collections.abc import Awaitable, Callable
from typing import Annotated, NamedTuple
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.cases.state import Attachment, Role, Said, Speaker
from domain.match.commands import Conflict
from domain.people import Actor
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, Viewer
from projections.cases import CaseReader, S, case_shown
from service.application.cases.cases import Cases, FirstStatement
from service.event_store.case_streams import StoredCase
from service.http.access.guards import DIRECTORS, ORGANISER, PARTICIPANTS, Requires
from service.http.description.routing import examples, post, problems
from service.http.errors.problems import Failed
from service.http.requests.dependencies import Once, Page, TheActor
from service.http.requests.responses import Answer, created, private, private_headers

PARTIES = Requires("seat", "player")
CaseId = Annotated[str, PathParameter(description="The id of the case")]

NEW_STATEMENT = examples(
    {
        "a text": {"says": "I saw it fall."},
        "an attachment": {
            "says": "A photograph of the table.",
            "attachment": {"sha256": "9f86d081884c7d659a2feaa0c55ad015" * 2, "name": "table.jpg"},
        },
    }
)
CASE_NOTE = examples({"a note": {"note": "The coin counts as it lay."}})
NEW_APPEAL = examples({"an appeal": {"says": "Nobody asked the witness."}})


class NewStatement(Struct, frozen=True, forbid_unknown_fields=True):
    """Something to say in a case, perhaps about an attachment that is kept elsewhere."""

    says: Said
    attachment: Attachment | None = None


class CaseNote(Struct, frozen=True, forbid_unknown_fields=True):
    """The note that closes a case."""

    note: Said


class NewAppeal(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a case should be decided again."""

    says: Said


class CaseMade(Struct, frozen=True):
    """The id of a new case."""

    case: str


class StatementMade(Struct, frozen=True):
    """The ids of a case, and of what was said in it."""

    case: str
    statement: Annotated[str, Meta(description="The id of what was said")]


class Participant(NamedTuple):
    """Who reads `cases` or speaks in them: as the audience `lists`, as what their key is to the
    match or the tournament (`role`), None for those who only read. `reader` is what they are shown
    of cases, which is accounted for."""

    cases: Cases
    lists: Viewer
    role: Role | None
    reader: Callable[[], Awaitable[CaseReader]]

    def speaker(self, actor: Actor) -> Speaker:
        """Who speaks: a party, a moderator or an organiser. Raises Failed for those who only
        read."""
        if self.role is None:
            raise Failed("not_allowed")
        if isinstance(self.lists, int):
            return Speaker(self.role, self.lists, None, actor.key_id)
        return Speaker(self.role, None, actor.by, actor.key_id)

    async def readable(self, case: str) -> StoredCase:
        """A case. Raises Conflict for one that they cannot read."""
        try:
            case_id = UUID(case)
        except ValueError:
            raise Conflict("no_such_case") from None
        return await self.cases.readable(self.lists, case_id)

    async def taking_part(self, case: str) -> UUID:
        """The id of a case in which they may speak. Raises Conflict for one that they cannot read,
        and Failed for one in which they only read."""
        readable_case = await self.readable(case)
        if self.lists not in (MODERATOR, *readable_case.case.parties):
            raise Failed("not_allowed")
        return readable_case.id

    async def directed(self, case: str) -> UUID:
        """The id of a case that they direct. Raises the same."""
        case_id = await self.taking_part(case)
        if self.lists != MODERATOR:
            raise Failed("not_allowed")
        return case_id

    # The answers of the routes.

    async def open_case(
        self, new: FirstStatement, actor: Actor, once: KeyedRequest | None
    ) -> Answer[CaseMade]:
        """They open a case."""
        case_made = await self.cases.open(self.speaker(actor), new, once)
        answer = CaseMade(str(case_made.id))
        return created(answer, repeated=case_made.repeated, headers=private_headers())

    async def list_cases(self, page: Page) -> tuple[list[StoredCase], int | None]:
        """The cases that they read, and where the next page begins."""
        ids, following = page.of(await self.cases.list_ids(self.lists))
        return await self.cases.read(ids), following

    async def show(self, kind: type[S], case: str) -> Answer[S]:
        """A case with all that was said in it."""
        reader = await self.reader()
        return private(case_as(kind, await self.readable(case), reader))


def case_as(kind: type[S], stored_case: StoredCase, reader: CaseReader) -> S:
    """A case as its reader is shown it."""
    return case_shown(
        kind, str(stored_case.id), (stored_case.case, stored_case.read.records), reader
    )


TheParticipant = NamedDependency[Participant]


class CaseRoutes(Controller):
    """What is done in cases of a match as in those of a tournament. Each of the two says who takes
    part in its cases."""

    @post(
        "/{case:str}/statements",
        summary="Say something in a case",
        guards=[PARTICIPANTS],
        opt=problems("no_such_case case_closed too_much_said"),
    )
    async def say_in_case(
        self,
        case: CaseId,
        data: Annotated[NewStatement, NEW_STATEMENT],
        participant: TheParticipant,
        actor: TheActor,
        once: Once,
    ) -> Answer[StatementMade]:
        """For parties, moderators and organisers, while the case is open."""
        case_id, speaker = await participant.taking_part(case), participant.speaker(actor)
        statement = await participant.cases.say(case_id, speaker, data.says, data.attachment, once)
        answer = StatementMade(case, str(statement.id))
        return created(answer, repeated=statement.repeated, headers=private_headers())

    @post(
        "/{case:str}/publish",
        summary="Let everyone read a case",
        status_code=204,
        guards=[ORGANISER],
        opt=problems("no_such_case"),
    )
    async def publish_case(
        self, case: CaseId, participant: TheParticipant, actor: TheActor
    ) -> None:
        """Needs an organiser's key. From now on everyone can read the case, with all that was and
        will be said in it. That cannot be taken back."""
        await participant.cases.publish(await participant.taking_part(case), actor)

    @post(
        "/{case:str}/close",
        summary="Close a case by a note",
        status_code=204,
        guards=[DIRECTORS],
        opt=problems("moderator_plays own_ruling key_not_renewed no_such_case case_closed"),
    )
    async def close_case(
        self,
        case: CaseId,
        data: Annotated[CaseNote, CASE_NOTE],
        participant: TheParticipant,
        judge: TheActor,
    ) -> None:
        """Needs an organiser's key, or that of a moderator who does not play. The note is for all
        who read the case. A ruling closes a case, too: it names it as `case`. After an appeal
        another person decides (`own_ruling`)."""
        await participant.cases.close(await participant.directed(case), data.note, judge)

    @post(
        "/{case:str}/appeal",
        summary="Appeal against how a case was closed",
        status_code=204,
        guards=[PARTIES],
        opt=problems("no_such_case case_open already_appealed appeal_too_late too_much_said"),
    )
    async def appeal_case(
        self,
        case: CaseId,
        data: Annotated[NewAppeal, NEW_APPEAL],
        participant: TheParticipant,
        actor: TheActor,
    ) -> None:
        """Needs the key of a party, until `appeal_until`. The case is open again, once."""
        case_id, speaker = await participant.taking_part(case), participant.speaker(actor)
        await participant.cases.appeal(case_id, speaker, data.says)
