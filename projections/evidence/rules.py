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
    begun = 0
    for index, record in enumerate(case.records):
        if record is None:
            continue
        if record.back == 0:
            begun = index
            continue
        of = index - record.back
        if of < begun:
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
    kinds = {one.cause: one.event.kind for one in public if isinstance(one.event, MatchRuled)}
    pausing = {one.cause for one in public if isinstance(one.event, MatchPaused)}
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
    found: Ending | None = None
    before: Event | None = None
    confirmed_by: int | None = None
    for index, record in enumerate(records):
        event = None if record is None else record.event
        if found is not None and found.over and event is not None:
            if not isinstance(event, REVEALED):
                raise Wrong(f"event {index} happens after the end of the match")
        elif record is not None and isinstance(event, MatchEnded | MatchVoided):
            found = _ended(created, found, before, event, record.at, index)
        elif isinstance(event, MatchRewound):
            # No end is behind the point where the match goes on.
            found = None
        elif record is not None and isinstance(event, MatchConfirmed):
            ruled = record.back > 0 and index - record.back == confirmed_by
            _check_confirmed(found, record.at, index, ruled=ruled)
            found = None if found is None else replace(found, over=True)
        elif record is not None and isinstance(event, MatchRuled) and event.kind == "confirm":
            confirmed_by = index - record.back
        before = event
    return found


def _ended(
    created: MatchCreated,
    found: Ending | None,
    before: Event | None,
    event: MatchEnded | MatchVoided,
    at: int,
    index: int,
) -> Ending:
    first = at if found is None else found.first
    if isinstance(event, MatchEnded):
        if found is not None and not isinstance(before, ResultRuled):
            raise Wrong(f"event {index} ends the match a second time")
        hours = created.protest_hours
        until = UNSET if hours is UNSET else later(first, hours * HOUR)
        if event.protests_until != until:
            raise Wrong(f"event {index} names another end of the protest window")
    return Ending(event, before, first, makes_over(event))


def _check_confirmed(found: Ending | None, at: int, index: int, *, ruled: bool) -> None:
    """Raises Wrong unless a provisional result is confirmed: by a ruling, or when its window has
    ended."""
    if found is None or not isinstance(found.event, MatchEnded):
        raise Wrong(f"event {index} confirms no result")
    until = found.event.protests_until
    if not ruled and (until is UNSET or at < until):
        raise Wrong(f"event {index} confirms the result before the protest window has ended")


def judged_result(case: JudgedBundle) -> Said:
    """Judges the result, as far as it can be."""
    found = ending(case.created, case.records)
    if found is None:
        return "SEALED", "the match is not over"
    end = found.event
    if isinstance(end, MatchVoided):
        return "PASS", "the match is void, by a ruling: there is no result"
    status, said = _judged_result(case, end.result, found.before)
    return (status, said) if found.over else ("SEALED", f"provisional: {said}")


def _judged_result(case: JudgedBundle, result: Result, before: Event | None) -> Said:
    ruled = isinstance(before, ResultRuled)
    shared = "shared, " if result.shared else ""
    said = f"winners {list(result.winners)}, {shared}scores {list(result.scores)}"
    if case.match is not None:
        if case.match.result != result:
            raise Wrong("the rules give another result than the recorded one")
        return "PASS", f"{said}, by a ruling" if ruled else said
    if isinstance(before, ResultRuled):
        if before.result != result:
            raise Wrong("another result was ruled than the recorded one")
        return "PASS", f"{said}, as it was ruled in public"
    return _by_public_events(case, result, said)


def _by_public_events(case: JudgedBundle, result: Result, said: str) -> Said:
    """The same where not everything is opened: judged only if the public events give the result."""
    if not rules_of(case.created).public_result:
        return "SEALED", f"it follows from sealed events: not judged; recorded: {said}"
    try:
        public = public_result(case.id, case.public)
    except (RecordDiffers, Unfit) as unfit:
        raise Wrong(str(unfit)) from None
    if public != result:
        raise Wrong("the public events give another result than the recorded one")
    return "PASS", f"{said}, as the public events give it"
