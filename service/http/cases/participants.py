"""Who reads a case and speaks in it, and what they send and are answered, whatever it is about."""

from abc import ABC, abstractmethod
from typing import Annotated
from uuid import UUID

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
from service.http.description.described import examples
from service.http.errors.problems import Failed
from service.http.requests.parameters import Page
from service.http.requests.responses import Answer, created, private, private_headers

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
    """Why a case shall be decided again."""

    says: Said


class CaseMade(Struct, frozen=True):
    """The id of a new case."""

    case: str


class StatementMade(Struct, frozen=True):
    """The ids of a case, and of what was said in it."""

    case: str
    statement: Annotated[str, Meta(description="The id of what was said")]


class Participant(ABC):
    """Who reads `cases` or speaks in them: as the audience `lists`, as what their key is to the
    match or the tournament (`role`), None for those who only read."""

    def __init__(self, cases: Cases, lists: Viewer, role: Role | None) -> None:
        self.cases, self.lists, self.role = cases, lists, role

    @abstractmethod
    async def reader(self) -> CaseReader:
        """What they are shown of cases, which is accounted for."""

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
        found = await self.readable(case)
        if self.lists not in (MODERATOR, *found.case.parties):
            raise Failed("not_allowed")
        return found.id

    async def directed(self, case: str) -> UUID:
        """The id of a case that they direct. Raises the same."""
        case_id = await self.taking_part(case)
        if self.lists != MODERATOR:
            raise Failed("not_allowed")
        return case_id

    # The answers of the routes.

    async def opened(
        self, new: FirstStatement, actor: Actor, once: KeyedRequest | None
    ) -> Answer[CaseMade]:
        """They open a case."""
        made = await self.cases.open(self.speaker(actor), new, once)
        answer = CaseMade(str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    async def listed(self, kind: type[S], page: Page) -> tuple[list[S], int | None]:
        """The cases that they read, and where the next page begins."""
        reader = await self.reader()
        listed, following = page.of(await self.cases.listed(self.lists))
        found = await self.cases.read(listed)
        return [_shown(kind, one, reader) for one in found], following

    async def shown(self, kind: type[S], case: str) -> Answer[S]:
        """A case with all that was said in it."""
        reader = await self.reader()
        return private(_shown(kind, await self.readable(case), reader))

    async def said(
        self, case: str, new: NewStatement, actor: Actor, once: KeyedRequest | None
    ) -> Answer[StatementMade]:
        """They say something in a case."""
        case_id, speaker = await self.taking_part(case), self.speaker(actor)
        made = await self.cases.say(case_id, speaker, new.says, new.attachment, once)
        answer = StatementMade(case, str(made.id))
        return created(answer, repeated=made.repeated, headers=private_headers())

    async def publish(self, case: str, actor: Actor) -> None:
        """They let everyone read a case."""
        await self.cases.publish(await self.taking_part(case), actor)

    async def close(self, case: str, note: CaseNote, judge: Actor) -> None:
        """They close a case by a note."""
        await self.cases.close(await self.directed(case), note.note, judge)

    async def appeal(self, case: str, new: NewAppeal, actor: Actor) -> None:
        """They appeal against how a case was closed."""
        case_id, speaker = await self.taking_part(case), self.speaker(actor)
        await self.cases.appeal(case_id, speaker, new.says)


def _shown(kind: type[S], stored: StoredCase, reader: CaseReader) -> S:
    return case_shown(kind, str(stored.id), (stored.case, stored.read.records), reader)
