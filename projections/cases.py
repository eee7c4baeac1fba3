"""A case as one of its readers sees it: the same for all, but for numbers of events, which are each
reader's own, and for names and ids, which moderators and organisers are told
(/docs/cases#who-reads-it)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.cases.state import (
    About,
    AboutTournament,
    Attachment,
    Case,
    CaseAppealed,
    CaseClosed,
    CaseOpened,
    CaseStated,
    Speaker,
    appeal_until,
)
from domain.events import Event, Record
from projections.fields import Timestamp, rfc3339

CaseStatus = Literal["open", "closed"]

Told = CaseOpened | CaseStated | CaseAppealed


class Statement(Struct, frozen=True, rename={"from_": "from"}):
    """Something that was said. `n` counts what was said in the case, from 1; `from` is `seat:N`, in
    a case about a tournament `player:N`, `moderator` or `organiser`. `person` is the name of the
    key, null for one without a name."""

    n: int
    at: Timestamp
    from_: str
    says: str
    attachment: Attachment | None
    person: str | UnsetType | None = UNSET


class Closing(Struct, frozen=True):
    """How the case was closed: by a `note` in it, or by a ruling, of which `n` is the number if it
    is public. Moderators and organisers are told the ruling's id and who wrote the note."""

    at: Timestamp
    note: str | None
    n: int | None
    ruling: str | UnsetType | None = UNSET
    person: Annotated[
        str | UnsetType | None,
        Meta(description="Who wrote the note; null for a key without a name"),
    ] = UNSET


class CaseFields(Struct, frozen=True, kw_only=True):
    """A case, without what it is about."""

    case: str
    status: CaseStatus
    opened: Timestamp
    parties: Annotated[
        tuple[int, ...],
        Meta(description="The seats, of a tournament the players, that read it and speak in it"),
    ]
    public: Annotated[bool, Meta(description="Whether everybody can read it")]
    appealed: Annotated[bool, Meta(description="Whether a party has appealed")]
    appeal_until: Annotated[
        Timestamp | None,
        Meta(
            description="Until when a party can appeal against how it was closed, once; null if it "
            "is open or was appealed"
        ),
    ]


class CaseSummary(CaseFields, frozen=True, kw_only=True):
    """A case."""

    about: Annotated[
        int | None,
        Meta(
            description="The reader's own number of the event that it is about; null where it is "
            "about none, or the event is not theirs"
        ),
    ]
    about_public: Annotated[
        int | None,
        Meta(description="Its number in the public's count; null where it is not public"),
    ]


class CaseAcross(CaseFields, frozen=True, kw_only=True):
    """A case of one `match` of a tournament, or with null about the tournament itself, and what it
    is `about`: there, or with `about_public` in the match, as its own list says it."""

    match: str | None
    about: AboutTournament | int | None
    about_public: int | None = None


class CaseShown(CaseSummary, frozen=True, kw_only=True):
    """A case with all that was said in it, and how it was closed: once more after an appeal."""

    statements: list[Statement]
    closings: list[Closing]


class TournamentCaseShown(CaseFields, frozen=True, kw_only=True):
    """The same of a case about a tournament, and what in it the case is about."""

    about: AboutTournament | None
    statements: list[Statement]
    closings: list[Closing]


S = TypeVar("S", CaseSummary, CaseShown, CaseAcross, TournamentCaseShown)


class CaseReader(Struct, frozen=True):
    """Who reads: whether they are told names and ids, the number of a ruling (None if it is not
    public), and the fields that tell them what a case is about."""

    is_told_names: bool
    ruling_number: Callable[[str], int | None]
    about: Callable[[About], dict[str, Any]]


def case_shown(
    kind: type[S],
    case_id: str,
    stored_case: tuple[Case, Sequence[Record[Event]]],
    reader: CaseReader,
) -> S:
    """The case, of this kind, with what was said if that belongs to the kind."""
    case, records = stored_case
    until = appeal_until(case)
    statements = _statements_of(records, reader) if "statements" in kind.__struct_fields__ else {}
    return kind(
        case=case_id,
        status="open" if case.is_open else "closed",
        opened=rfc3339(records[0].at),
        parties=case.parties,
        public=case.public,
        appealed=case.appealed,
        appeal_until=None if until is None else rfc3339(until),
        **reader.about(case.about),
        **statements,
    )


def _statements_of(records: Sequence[Record[Event]], reader: CaseReader) -> dict[str, Any]:
    statements = [(record.at, record.event) for record in records if isinstance(record.event, Told)]
    closings = [
        (record.at, record.event) for record in records if isinstance(record.event, CaseClosed)
    ]
    return {
        "statements": [
            _statement(n, at, event, reader) for n, (at, event) in enumerate(statements, 1)
        ],
        "closings": [_closing(at, event, reader) for at, event in closings],
    }


def _statement(n: int, at: int, event: Told, reader: CaseReader) -> Statement:
    attachment = event.attachment if isinstance(event, CaseStated) else None
    speaker = event.speaker
    person = speaker.by if reader.is_told_names else UNSET
    return Statement(n, rfc3339(at), _from(speaker), event.says, attachment, person)


def _from(speaker: Speaker) -> str:
    return speaker.role if speaker.party is None else f"{speaker.role}:{speaker.party}"


def _closing(at: int, event: CaseClosed, reader: CaseReader) -> Closing:
    n = None if event.ruling is None else reader.ruling_number(event.ruling)
    if not reader.is_told_names:
        return Closing(rfc3339(at), event.note, n)
    return Closing(rfc3339(at), event.note, n, event.ruling, event.by)
