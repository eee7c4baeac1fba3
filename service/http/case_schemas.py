"""Bodies and answers of cases."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.case_state import Attachment, Said
from projections.cases import CaseSummary
from projections.fields import Next
from service.http.limits import LARGEST_NUMBER
from service.http.ruling_schemas import SeatNumber


class NewCase(Struct, frozen=True, forbid_unknown_fields=True):
    """What went wrong. `about` is the sender's own number of an event that it is about (an
    organiser counts what the public sees), or `about_public` its number in the public's count: at
    most one of the two."""

    says: Said
    about: Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)] | None = None
    about_public: Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)] | None = None

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
