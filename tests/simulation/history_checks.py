"""Checks a history against what is on record: every way in which the write side could be wrong.

As in Elle (Kingsbury and Alvaro, VLDB 2020), the order is not guessed: each answer names the
positions on the record of what it did, and each reading how far it saw.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from uuid import UUID

import msgspec

from domain.match.commands import REUSED_KEY
from domain.match.events import ActionReceived
from domain.proof.rejudging import rejudge
from domain.tournament import ledger
from domain.tournament.events import MatchSettled, RequestReceived
from domain.tournament.fold import fold
from domain.tournament.state import NOTHING_YET
from tests.simulation.absences import wrongly_moved
from tests.simulation.checked_history import CheckedHistory
from tests.simulation.people_checks import PeopleChecker
from tests.simulation.reading_checks import check_lines, check_views
from tests.simulation.simulation_history import (
    Away,
    Created,
    Denied,
    Failed,
    Happened,
    Posted,
    Sent,
    Unanswered,
)
from tests.simulation.violations import Violation

UNKNOWN = ("UnknownMatch", "UnknownTournament", f"Refused {REUSED_KEY}")
"""Errors that no one may get: clients ask only for what was acknowledged, and send nothing else
under a key whose request was not refused."""


def check_acknowledged(checked: CheckedHistory) -> Iterator[Violation]:
    """Every acknowledged command is on record, where and when its answer says, before it is
    acknowledged."""
    sent = {entry.step: entry for entry in checked.history if isinstance(entry, Sent)}
    for one in checked.answers:
        record = checked.records.of(one.match)
        if one.on_record < one.result.end:
            yield Violation("acknowledged before it is on record", f"step {one.step}")
        if one.result.end > len(record) or record[one.result.position - 1].at != one.result.at:
            yield Violation("acknowledged and not on record", f"step {one.step}")
            continue
        event, wanted = record[one.result.position - 1].event, sent.get(one.step)
        if wanted is None or not isinstance(one.viewer, int):
            continue
        if not isinstance(event, ActionReceived) or (event.seat, event.key, event.action) != (
            wanted.seat, wanted.key, wanted.action
        ):  # fmt: skip
            yield Violation("acknowledged and not on record", f"step {one.step}: another event")


def check_once(checked: CheckedHistory) -> Iterator[Violation]:
    """What was sent is on record at most once."""
    counted = Counter[bytes]()
    for match in checked.matches:
        for record in checked.records.of(match):
            event = record.event
            if isinstance(event, ActionReceived):
                counted[_content(match, event.seat, event.key, event.action)] += 1
    for entry in checked.history:
        if isinstance(entry, Sent):
            counted[_content(entry.match, entry.seat, entry.key, entry.action)] -= 1
    yield from (
        Violation("recorded twice", text.decode()) for text, count in counted.items() if count > 0
    )


def check_answers(checked: CheckedHistory) -> Iterator[Violation]:
    """All answers under one key are the same, and at most one is not a repeat."""
    answers = defaultdict[tuple[UUID, str], set[tuple[object, ...]]](set)
    first = Counter[tuple[UUID, str]]()
    for one in checked.answers:
        if one.key is not None:
            result, response = one.result, one.response
            verdict = (result.position, result.end, result.at, result.code, result.refused)
            shown = (response.seq, response.view_seq, response.view)
            answers[one.match, one.key].add((*verdict, *shown))
            first[one.match, one.key] += not result.replayed
    for key, given in answers.items():
        if len(given) > 1 or first[key] > 1:
            yield Violation("two answers", str(key))


def _content(match: UUID, seat: int, key: str | None, action: object) -> bytes:
    """What was sent. Without a key the same may be sent several times."""
    return msgspec.json.encode([match, seat, key, action], order="sorted")


def check_receipts(checked: CheckedHistory) -> Iterator[Violation]:
    """The order of record is the order of receipt at each process."""
    last: dict[tuple[UUID, str], tuple[int, int]] = {}
    for one in sorted(checked.answers, key=lambda one: one.receipt):
        if one.result.replayed:
            continue
        position = last.get((one.match, one.process), (0, 0))[0]
        if one.result.position <= position:
            yield Violation("order", f"step {one.step} was received later and recorded earlier")
        last[one.match, one.process] = one.result.position, one.step
        if one.result.at < one.clock:
            yield Violation("order", f"step {one.step} is stamped before its receipt")


def check_real_time(checked: CheckedHistory) -> Iterator[Violation]:
    """What begins after an answer comes after it on the record, and sees it."""
    known: dict[UUID, list[tuple[int, int]]] = defaultdict(list)
    for one in checked.answers:
        known[one.match].append((one.at, one.result.end))
    for viewed in checked.views:
        length = _end_at(checked.records.positions(viewed.match, viewed.viewer), viewed.seq)
        known[viewed.match].append((viewed.at, length))
    for one in checked.answers:
        before = _known_before(known[one.match], one.begun)
        if not one.result.replayed and one.result.position <= before:
            yield Violation("order", f"step {one.step} came later and is recorded earlier")
    for viewed in checked.views:
        before = _known_before(known[viewed.match], viewed.begun)
        least = checked.visible(viewed.match, viewed.viewer, before)
        if not viewed.asked and viewed.seq < least:
            yield Violation("stale", f"step {viewed.step} sees {viewed.seq}, not {least}")


def check_denied(checked: CheckedHistory) -> Iterator[Violation]:
    """What is refused is refused for what is on record, not for what was on record once."""
    for entry in checked.history:
        if isinstance(entry, Denied) and not entry.right:
            yield Violation("stale", f"step {entry.step}: {entry.error} in {entry.process}")


def _end_at(positions: list[int], seq: int) -> int:
    """The position of an audience's event by its number; 0 if there is none."""
    return positions[seq - 1] if 0 < seq <= len(positions) else 0


def _known_before(known: list[tuple[int, int]], instant: int) -> int:
    """How far the record was known to someone before an instant."""
    return max((end for at, end in known if at < instant), default=0)


def check_records(checked: CheckedHistory) -> Iterator[Violation]:
    """Every record can be judged again: each deadline passed once and at its instant, and nothing
    follows from other than its inputs. Times never decrease."""
    for match in checked.matches:
        records = checked.records.of(match)
        try:
            rejudge(str(match), records)
        except Exception as differs:  # noqa: BLE001  a wrong record may break any rule
            yield Violation("record", f"{match}: {differs!r}")
    for stream in checked.records.streams:
        times = [record.at for record in checked.records.of(stream)]
        if times != sorted(times):
            yield Violation("record", f"{stream}: times decrease")


def check_absences(checked: CheckedHistory) -> Iterator[Violation]:
    """Each deadline is later by exactly the absences in its time."""
    away = [entry for entry in checked.history if isinstance(entry, Away)]
    for match in checked.matches:
        for wrong in wrongly_moved(checked.records.of(match), away):
            yield Violation("record", f"{match}: {wrong}")


def check_tournaments(checked: CheckedHistory) -> Iterator[Violation]:
    """The books sum to zero after every event, and each match and request counts once."""
    posted = [entry for entry in checked.history if isinstance(entry, Posted)]
    for created in checked.history:
        if not isinstance(created, Created) or created.what != "tournament":
            continue
        state, counted = NOTHING_YET, Counter[str]()
        for record in checked.records.of(created.id):
            state = fold(state, [record.event])
            try:
                ledger.check(state.balances)
            except ledger.Unbalanced as wrong:
                yield Violation("ledger", str(wrong))
            if isinstance(record.event, MatchSettled):
                counted[record.event.match] += 1
            elif isinstance(record.event, RequestReceived) and record.event.key is not None:
                counted[record.event.key] += 1
        twice = [name for name, count in counted.items() if count > 1]
        yield from (Violation("settled twice", name) for name in twice)
        for entry in posted:
            if entry.tournament == created.id and counted[entry.key] != 1:
                yield Violation("acknowledged and not on record", entry.key)


def check_created(checked: CheckedHistory) -> Iterator[Violation]:
    """Each request created one thing, which is on record."""
    ids = defaultdict[int, set[UUID]](set)
    for entry in checked.history:
        if isinstance(entry, Created):
            ids[entry.step].add(entry.id)
            if not entry.on_record:
                yield Violation("acknowledged before it is on record", f"step {entry.step}")
    yield from (
        Violation("recorded twice", f"step {step}") for step, made in ids.items() if len(made) > 1
    )


def check_errors(checked: CheckedHistory) -> Iterator[Violation]:
    """Nothing broke, nothing was forgotten, and clients got only errors that they can expect."""
    for entry in checked.history:
        match entry:
            case Failed(_, step, what, error) if what == "unexpected" or error in UNKNOWN:
                yield Violation("error", f"step {step}: {error}")
            case Happened(_, "broken", process):
                yield Violation("error", f"process {process} broke")
            case Unanswered(_, what):
                yield Violation("not done", what)


def check_people(checked: CheckedHistory) -> Iterator[Violation]:
    """See `PeopleChecker`."""
    return PeopleChecker(checked.history, checked.records).violations()


Check = Callable[[CheckedHistory], Iterator[Violation]]

CHECKS: tuple[Check, ...] = (
    check_errors, check_acknowledged, check_once, check_answers, check_created, check_receipts,
    check_real_time, check_denied, check_views, check_lines, check_records, check_absences,
    check_tournaments, check_people,
)  # fmt: skip


def violations(checked: CheckedHistory) -> list[Violation]:
    """Everything that is wrong."""
    return [found for check in CHECKS for found in check(checked)]
