"""The last two claims about a match: it follows from what came in, by the rules, and so does its
result."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import Event, Record, later, stored_name
from domain.game import Result
from domain.games import rules_of
from domain.match.deadlines import HOUR
from domain.match.events import MatchCreated, MatchEnded, MatchPaused, makes_over
from domain.match.public_result import Unfit, public_result
from domain.match.state import Match
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import REVEALED, rejudge
from domain.rulings.events import MatchConfirmed, MatchRewound, MatchRuled, MatchVoided, ResultRuled
from projections.evidence.case import JudgedBundle, Said, Wrong


def judged_rules(case: JudgedBundle) -> Said:
    """Judges the match again, if everything is opened."""
    records = case.whole
    try:
        rules_of(case.created)
    except KeyError:
        manifest = case.manifest
        raise Wrong(
            f"these rules are not known: {manifest.game} {manifest.rules_version}"
        ) from None
    _check_game(case)
    if records is None:
        _check_causes(case)
        _check_rewinds(case)
        return "SEALED", "the match cannot be judged again unless everything is opened"
    case.match = _judged_again(case, records)
    return "PASS", "judged again, what came in gives what is recorded"


def _check_game(case: JudgedBundle) -> None:
    """Raises Wrong for an event of another game, also where not everything is opened."""
    for index, event in case.events:
        name = stored_name(type(event))
        if not name.startswith(("match.", f"{case.manifest.game}.")):
            raise Wrong(f"event {index} is of another game: {name}")


def _check_causes(case: JudgedBundle) -> None:
    """Raises Wrong if an event names something else than an input of its own batch."""
    start = 0
    for index, record in enumerate(case.records):
        if record is None:
            continue
        if record.back == 0:
            start = index
            continue
        of = index - record.back
        if of < start:
            raise Wrong(f"event {index} names an input that is not its own")
        cause = case.records[of]
        if cause is None:
            continue
        if cause.back:
            raise Wrong(f"event {index} names a consequence as its input")
        if cause.at != record.at:
            raise Wrong(f"event {index} bears another time than its input")


def _check_rewinds(case: JudgedBundle) -> None:
    """Raises Wrong for a rewind that cannot be where it is, by the public events alone."""
    branch = 0
    public = case.public
    kinds = {
        entry.cause: entry.event.kind for entry in public if isinstance(entry.event, MatchRuled)
    }
    pausing = {entry.cause for entry in public if isinstance(entry.event, MatchPaused)}
    for position, cause, record in public:
        event = record.event
        if isinstance(event, MatchRewound):
            branch += 1
            if kinds.get(cause) != "rewind" or cause not in pausing:
                raise Wrong(f"event {position - 1} is no rewind by a ruling")
            if event.branch != branch or event.before >= position:
                raise Wrong(f"event {position - 1} rewinds the match to where it cannot go on")


def _judged_again(case: JudgedBundle, records: list[Record[Event]]) -> Match:
    try:
        return rejudge(case.id, records)
    except RecordDiffers as differs:
        raise Wrong(str(differs)) from None
    except Exception as fault:  # noqa: BLE001  what is no match may make any rules stumble
        raise Wrong(f"the rules fail on this record: {type(fault).__name__}: {fault}") from None


class Ending(Struct, frozen=True):
    """The event that ended the match, and the one right before it, if that can be read. `first` is
    the instant at which it was first ended; it is `over` once the result is final."""

    event: MatchEnded | MatchVoided
    before: Event | None
    first: int
    over: bool


def ending(created: MatchCreated, records: Sequence[Record[Event] | None]) -> Ending | None:
    """How the match ended; None if it did not. Raises Wrong if anything but seeds being revealed
    comes after it is over, or if a protest window is not as it should be."""
    end: Ending | None = None
    before: Event | None = None
    confirmed_by: int | None = None
    for index, record in enumerate(records):
        event = None if record is None else record.event
        if end is not None and end.over and event is not None:
            if not isinstance(event, REVEALED):
                raise Wrong(f"event {index} happens after the end of the match")
        elif record is not None and isinstance(event, MatchEnded | MatchVoided):
            end = _ended(created, end, before, event, record.at, index)
        elif isinstance(event, MatchRewound):
            # No end is behind the point where the match goes on.
            end = None
        elif record is not None and isinstance(event, MatchConfirmed):
            is_ruled = record.back > 0 and index - record.back == confirmed_by
            _check_confirmed(end, record.at, index, is_ruled=is_ruled)
            end = None if end is None else replace(end, over=True)
        elif record is not None and isinstance(event, MatchRuled) and event.kind == "confirm":
            confirmed_by = index - record.back
        before = event
    return end


def _ended(
    created: MatchCreated,
    before_end: Ending | None,
    before: Event | None,
    event: MatchEnded | MatchVoided,
    at: int,
    index: int,
) -> Ending:
    first = at if before_end is None else before_end.first
    if isinstance(event, MatchEnded):
        if before_end is not None and not isinstance(before, ResultRuled):
            raise Wrong(f"event {index} ends the match a second time")
        hours = created.protest_hours
        until = UNSET if hours is UNSET else later(first, hours * HOUR)
        if event.protests_until != until:
            raise Wrong(f"event {index} names another end of the protest window")
    return Ending(event, before, first, makes_over(event))


def _check_confirmed(end: Ending | None, at: int, index: int, *, is_ruled: bool) -> None:
    """Raises Wrong unless a provisional result is confirmed: by a ruling, or when its window has
    ended."""
    if end is None or not isinstance(end.event, MatchEnded):
        raise Wrong(f"event {index} confirms no result")
    until = end.event.protests_until
    if not is_ruled and (until is UNSET or at < until):
        raise Wrong(f"event {index} confirms the result before the protest window has ended")


def judged_result(case: JudgedBundle) -> Said:
    """Judges the result, as far as it can be."""
    ending_ = ending(case.created, case.records)
    if ending_ is None:
        return "SEALED", "the match is not over"
    end = ending_.event
    if isinstance(end, MatchVoided):
        return "PASS", "the match is void, by a ruling: there is no result"
    status, text = _judged_result(case, end.result, ending_.before)
    return (status, text) if ending_.over else ("SEALED", f"provisional: {text}")


def _judged_result(case: JudgedBundle, result: Result, before: Event | None) -> Said:
    is_ruled = isinstance(before, ResultRuled)
    shared_text = "shared, " if result.shared else ""
    text = f"winners {list(result.winners)}, {shared_text}scores {list(result.scores)}"
    if case.match is not None:
        if case.match.result != result:
            raise Wrong("the rules give another result than the recorded one")
        return "PASS", f"{text}, by a ruling" if is_ruled else text
    if isinstance(before, ResultRuled):
        if before.result != result:
            raise Wrong("another result was ruled than the recorded one")
        return "PASS", f"{text}, as it was ruled in public"
    return _by_public_events(case, result, text)


def _by_public_events(case: JudgedBundle, result: Result, text: str) -> Said:
    """The same where not everything is opened: judged only if the public events give the result."""
    if not rules_of(case.created).public_result:
        return "SEALED", f"it follows from sealed events: not judged; recorded: {text}"
    try:
        public = public_result(case.id, case.public)
    except (RecordDiffers, Unfit) as unfit:
        raise Wrong(str(unfit)) from None
    if public != result:
        raise Wrong("the public events give another result than the recorded one")
    return "PASS", f"{text}, as the public events give it"
