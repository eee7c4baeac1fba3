"""Judges cases: what was done in each follows from what was done before, is what the record of its
match or tournament says, and stands on the lists of those who read it."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from domain.cases import state as cases
from domain.cases.match_events import MatchCaseClosed, MatchCaseOpened
from domain.cases.state import (
    Case,
    CaseAppealed,
    CaseClosed,
    CaseListed,
    CaseOpened,
    CaseStated,
    PartyAdded,
    evolve,
    fold_case,
    open_case,
)
from domain.events import Event, Record, stored_name
from domain.match.commands import Conflict
from domain.match.events import MatchCreated
from domain.match.replay import replay
from domain.tournament.events import TournamentCreated
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience
from service.checking.findings import Finding, Judged
from service.checking.rows import Pause, Stopped, StreamRows, read_records
from service.event_store.case_streams import CaseLists
from service.event_store.reading import DAMAGED, StoreReader, StreamHead
from service.event_store.secret_store import decoded_secrets

LISTED = stored_name(CaseListed).encode()

Turn = tuple[str, str | None]
"""A case was `opened`, or `closed` by the ruling with this id."""


def judge_case(reader: StoreReader, stream: UUID, head: StreamHead, pause: Pause) -> Judged:
    """Judges a case as it was when its head was read."""
    rows = StreamRows(reader, stream, head, pause)
    records = [record for page in rows.pages() for record in page.records]
    whys: list[tuple[int | None, str]] = []
    if not rows.broken:
        whys = [*_wrong(records), *_wrong_elsewhere(reader, stream, records, pause)]
    findings = [Finding("cases", why, str(stream), position) for position, why in whys]
    return Judged(cases=1, rows=rows.count, findings=[*rows.findings, *findings])


def judge_list(reader: StoreReader, stream: UUID, head: StreamHead, pause: Pause) -> Judged:
    """Judges the list of the cases that an audience reads. A case judges whether it is on it."""
    rows = StreamRows(reader, stream, head, pause)
    findings = [
        Finding("cases", "it has something else than cases in it", str(stream))
        for page in rows.pages()
        for record in page.records
        if not isinstance(record.event, CaseListed)
    ]
    return Judged(rows=rows.count, findings=[*rows.findings, *findings])


def _wrong_elsewhere(
    reader: StoreReader, stream: UUID, records: Sequence[Record[Event]], pause: Pause
) -> list[tuple[int | None, str]]:
    """What the record of the match, or a list, says otherwise. What is damaged there is found
    there."""
    try:
        return list(_elsewhere(reader, stream, records, pause))
    except (*DAMAGED, Stopped):
        raise
    except Exception:  # noqa: BLE001  see above
        return []


def _wrong(records: Sequence[Record[Event]]) -> Iterator[tuple[int, str]]:
    """What does not follow from what was done before, and where."""
    first = records[0].event
    if not isinstance(first, CaseOpened):
        yield 1, "a case is opened by its first event"
        return
    case = open_case(first)
    for position, record in enumerate(records[1:], 2):
        try:
            follows = bool(_decide_again(case, record))
        except Conflict:
            follows = False
        if not follows:
            yield position, "it does not follow from what was done in the case before"
        case = evolve(case, record.event, record.at)


def _decide_again(case: Case, record: Record[Event]) -> Sequence[Event]:
    """What the event gives when it is decided once more. Raises Conflict."""
    match record.event:
        case CaseStated() as event:
            return cases.state(case, event)
        case PartyAdded(party, actor):
            return cases.add_party(case, party, actor)
        case CaseClosed(ruling, _, _, people):
            return cases.closed_by_ruling(case, ruling or "", people)
        case CaseAppealed() as event:
            return cases.appeal(case, event, record.at)
        case CaseOpened() | CaseListed():
            return []
    return [record.event]


def _elsewhere(
    reader: StoreReader, stream: UUID, records: Sequence[Record[Event]], pause: Pause
) -> Iterator[tuple[int | None, str]]:
    """What the record of the match, or a list, says otherwise."""
    first = records[0].event
    if not isinstance(first, CaseOpened):
        return
    subject = UUID(first.subject)
    about = read_records(reader, subject, pause)
    if not about or not isinstance(about[0].event, MatchCreated | TournamentCreated):
        yield 1, "it is a case of a match or a tournament that is not there"
        return
    of_match = isinstance(about[0].event, MatchCreated)
    turns, on_record = list(_turns(records)), list(_turns_on_record(about, str(stream)))
    over = of_match and replay(first.subject, about)[1].over
    if (turns[: len(on_record)] if over else turns) != on_record:
        yield None, "the record of its match or tournament says otherwise when it was open"
    secrets = decoded_secrets(reader.head(subject).secrets)
    if secrets is None:
        return
    lists = CaseLists(subject, secrets.log_key)
    for viewer in _readers(records):
        events = (record.event for record in read_records(reader, lists.of(viewer), pause))
        if not any(isinstance(event, CaseListed) and event.case == str(stream) for event in events):
            yield None, f"it is missing on the list of {name_audience(viewer)}"


def _readers(records: Sequence[Record[Event]]) -> Iterator[Viewer]:
    """Those on whose lists the case is."""
    case = fold_case(records)
    yield MODERATOR
    yield from case.parties
    if case.public:
        yield PUBLIC_VIEWER


def _turns(records: Sequence[Record[Event]]) -> Iterator[Turn]:
    for record in records:
        if isinstance(record.event, CaseOpened | CaseAppealed):
            yield "opened", None
        elif isinstance(record.event, CaseClosed):
            yield "closed", record.event.ruling


def _turns_on_record(records: Sequence[Record[Event]], case: str) -> Iterator[Turn]:
    for record in records:
        event = record.event
        if isinstance(event, MatchCaseOpened) and event.case == case:
            yield "opened", None
        elif isinstance(event, MatchCaseClosed) and event.case == case:
            yield "closed", event.ruling
