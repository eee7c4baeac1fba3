"""Checks a history against what is on record: every way in which the write side could be wrong.

As in Elle (Kingsbury and Alvaro, VLDB 2020), the order is not guessed: each answer names the
positions on the record of what it did, and each reading how far it saw.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from uuid import UUID

import msgspec

from domain.match.events import ActionReceived, NameSalted
from domain.match.live import undoes
from domain.proof.rejudging import rejudge
from domain.rulings.events import SeatReplaced
from domain.tournament import ledger
from domain.tournament.events import MatchSettled, RequestReceived
from domain.tournament.state import NOTHING_YET, fold
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.lines import LineText, own_number
from projections.audience.view import AudienceState, see, see_live, view
from tests.simulation.absences import wrongly_moved
from tests.simulation.people_checks import PeopleChecker
from tests.simulation.simulation_history import (
    Answered,
    Away,
    Created,
    Denied,
    Failed,
    Happened,
    History,
    LineRead,
    Posted,
    Sent,
    Unanswered,
    Viewed,
)
from tests.simulation.stored_records import StoredRecords
from tests.simulation.violations import Violation

UNKNOWN = ("UnknownMatch", "UnknownTournament")
"""Errors that no one may get: clients ask only for what was acknowledged."""


class Checker:
    """Checks one history. `records` has what is on record at the end."""

    def __init__(self, history: History, records: StoredRecords, match_ids: set[UUID]) -> None:
        self.history, self.records = history, records
        self.answers = [entry for entry in history if isinstance(entry, Answered)]
        self.views = [entry for entry in history if isinstance(entry, Viewed)]
        self.lines = [entry for entry in history if isinstance(entry, LineRead)]
        self.matches = sorted(match_ids)

    def violations(self) -> list[Violation]:
        """Everything that is wrong."""
        return [found for check in CHECKS for found in check(self)]

    def visible(self, match: UUID, viewer: Viewer, length: int) -> int:
        """The number of an audience's events among the first `length`."""
        return bisect_right(self.records.positions(match, viewer), length)


def check_acknowledged(checker: Checker) -> Iterator[Violation]:
    """Every acknowledged command is on record, where and when its answer says, before it is
    acknowledged."""
    sent = {entry.step: entry for entry in checker.history if isinstance(entry, Sent)}
    for one in checker.answers:
        record = checker.records.of(one.match)
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


def check_once(checker: Checker) -> Iterator[Violation]:
    """What was sent is on record at most once."""
    counted = Counter[bytes]()
    for match in checker.matches:
        for record in checker.records.of(match):
            event = record.event
            if isinstance(event, ActionReceived):
                counted[_content(match, event.seat, event.key, event.action)] += 1
    for entry in checker.history:
        if isinstance(entry, Sent):
            counted[_content(entry.match, entry.seat, entry.key, entry.action)] -= 1
    yield from (
        Violation("recorded twice", text.decode()) for text, count in counted.items() if count > 0
    )


def check_answers(checker: Checker) -> Iterator[Violation]:
    """All answers under one key are the same, and at most one is not a repeat."""
    answers = defaultdict[tuple[UUID, str], set[tuple[object, ...]]](set)
    first = Counter[tuple[UUID, str]]()
    for one in checker.answers:
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


def check_receipts(checker: Checker) -> Iterator[Violation]:
    """The order of record is the order of receipt at each process."""
    last: dict[tuple[UUID, str], tuple[int, int]] = {}
    for one in sorted(checker.answers, key=lambda one: one.receipt):
        if one.result.replayed:
            continue
        position = last.get((one.match, one.process), (0, 0))[0]
        if one.result.position <= position:
            yield Violation("order", f"step {one.step} was received later and recorded earlier")
        last[one.match, one.process] = one.result.position, one.step
        if one.result.at < one.clock:
            yield Violation("order", f"step {one.step} is stamped before its receipt")


def check_real_time(checker: Checker) -> Iterator[Violation]:
    """What begins after an answer comes after it on the record, and sees it."""
    known: dict[UUID, list[tuple[int, int]]] = defaultdict(list)
    for one in checker.answers:
        known[one.match].append((one.at, one.result.end))
    for viewed in checker.views:
        length = _end_at(checker.records.positions(viewed.match, viewed.viewer), viewed.seq)
        known[viewed.match].append((viewed.at, length))
    for one in checker.answers:
        before = _known_before(known[one.match], one.begun)
        if not one.result.replayed and one.result.position <= before:
            yield Violation("order", f"step {one.step} came later and is recorded earlier")
    for viewed in checker.views:
        before = _known_before(known[viewed.match], viewed.begun)
        least = checker.visible(viewed.match, viewed.viewer, before)
        if not viewed.asked and viewed.seq < least:
            yield Violation("stale", f"step {viewed.step} sees {viewed.seq}, not {least}")


def check_denied(checker: Checker) -> Iterator[Violation]:
    """What is refused is refused for what is on record, not for what was on record once."""
    for entry in checker.history:
        if isinstance(entry, Denied) and not entry.right:
            yield Violation("stale", f"step {entry.step}: {entry.error} in {entry.process}")


def _end_at(positions: list[int], seq: int) -> int:
    """The position of an audience's event by its number; 0 if there is none."""
    return positions[seq - 1] if 0 < seq <= len(positions) else 0


def _known_before(known: list[tuple[int, int]], instant: int) -> int:
    """How far the record was known to someone before an instant."""
    return max((end for at, end in known if at < instant), default=0)


def check_views(checker: Checker) -> Iterator[Violation]:
    """A view at a number is always the fold of the same events, and all of them are on record
    before it is seen."""
    seen: dict[tuple[UUID, Viewer], dict[int, set[bytes]]] = defaultdict(lambda: defaultdict(set))
    for viewed in checker.views:
        if checker.visible(viewed.match, viewed.viewer, viewed.on_record) < viewed.seq:
            yield Violation("seen before it is on record", f"step {viewed.step}")
        seen[viewed.match, viewed.viewer][viewed.seq].add(viewed.view)
    for one in checker.answers:
        seen[one.match, one.viewer][one.response.view_seq].add(one.response.view)
    for (match, viewer), views in seen.items():
        yield from _other_views(checker, match, viewer, views)


def _other_views(
    checker: Checker, match: UUID, viewer: Viewer, views: dict[int, set[bytes]]
) -> Iterator[Violation]:
    records, positions = checker.records.of(match), checker.records.positions(match, viewer)
    state, folded, game, undone = AudienceState(viewer), 0, "", False
    if records:
        game = records[0].event.game  # type: ignore[attr-defined]  # MatchCreated
    for seq in sorted(views):
        try:
            new = [records[position - 1] for position in positions[folded:seq]]
            if undone or undoes(record.event for record in new):
                undone = True
                own = positions[:seq]
                state = see_live(viewer, own, [records[position - 1] for position in own])
            else:
                state = see(state, new)
        except Exception as differs:  # noqa: BLE001  a wrong record may break any rule
            yield Violation("record", f"{match} as {viewer}: {differs!r}")
            return
        folded = min(seq, len(positions))
        if views[seq] != {msgspec.json.encode(view(str(match), game, state))}:
            yield Violation("seen otherwise", f"{match} as {viewer} at {seq}")


def check_lines(checker: Checker) -> Iterator[Violation]:
    """Each reader gets the lines of its audience 1, 2, 3 without gaps, as they are on record."""
    last: dict[tuple[int, UUID, Viewer], int] = {}
    for one in checker.lines:
        positions = checker.records.positions(one.match, one.viewer)
        seq = msgspec.json.decode(one.line)["seq"]
        reader = one.reader, one.match, one.viewer
        expected = last.get(reader, one.after) + 1
        last[reader] = seq
        if seq != expected:
            yield Violation("gap", f"reader {one.reader} got {seq} instead of {expected}")
        if checker.visible(one.match, one.viewer, one.on_record) < seq:
            yield Violation("seen before it is on record", f"reader {one.reader}, line {seq}")
        if seq > len(positions) or one.line not in _lines(checker, one.match, positions, seq):
            yield Violation("seen otherwise", f"reader {one.reader}, line {seq}")


def _lines(checker: Checker, match: UUID, positions: Sequence[int], seq: int) -> Iterator[bytes]:
    """The line of an event, and also without a salt that those who take over a seat are not
    told."""
    position, records = positions[seq - 1], checker.records.of(match)
    public = checker.records.positions(match, PUBLIC_VIEWER)
    number = bisect_right(public, position) if position in public else 0
    stored = checker.records.stored(match, position)
    line = LineText(stored).numbered(seq, number, partial(own_number, positions))
    yield line
    salted = records[position - 1].event
    taken_over = (record.event.seat for record in records if isinstance(record.event, SeatReplaced))
    if isinstance(salted, NameSalted) and salted.seat in taken_over:
        yield SALT.sub(b'"salt":null', line)


def check_records(checker: Checker) -> Iterator[Violation]:
    """Every record can be judged again: each deadline passed once and at its instant, and nothing
    follows from other than its inputs. Times never decrease."""
    for match in checker.matches:
        records = checker.records.of(match)
        try:
            rejudge(str(match), records)
        except Exception as differs:  # noqa: BLE001  a wrong record may break any rule
            yield Violation("record", f"{match}: {differs!r}")
    for stream in checker.records.streams:
        times = [record.at for record in checker.records.of(stream)]
        if times != sorted(times):
            yield Violation("record", f"{stream}: times decrease")


def check_absences(checker: Checker) -> Iterator[Violation]:
    """Each deadline is later by exactly the absences in its time."""
    away = [entry for entry in checker.history if isinstance(entry, Away)]
    for match in checker.matches:
        for wrong in wrongly_moved(checker.records.of(match), away):
            yield Violation("record", f"{match}: {wrong}")


def check_tournaments(checker: Checker) -> Iterator[Violation]:
    """The books sum to zero after every event, and each match and request counts once."""
    posted = [entry for entry in checker.history if isinstance(entry, Posted)]
    for created in checker.history:
        if not isinstance(created, Created) or created.what != "tournament":
            continue
        state, counted = NOTHING_YET, Counter[str]()
        for record in checker.records.of(created.id):
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


def check_created(checker: Checker) -> Iterator[Violation]:
    """Each request created one thing, which is on record."""
    ids = defaultdict[int, set[UUID]](set)
    for entry in checker.history:
        if isinstance(entry, Created):
            ids[entry.step].add(entry.id)
            if not entry.on_record:
                yield Violation("acknowledged before it is on record", f"step {entry.step}")
    yield from (
        Violation("recorded twice", f"step {step}") for step, made in ids.items() if len(made) > 1
    )


def check_errors(checker: Checker) -> Iterator[Violation]:
    """Nothing broke, nothing was forgotten, and clients got only errors that they can expect."""
    for entry in checker.history:
        match entry:
            case Failed(_, step, what, error) if what == "unexpected" or error in UNKNOWN:
                yield Violation("error", f"step {step}: {error}")
            case Happened(_, "broken", process):
                yield Violation("error", f"process {process} broke")
            case Unanswered(_, what):
                yield Violation("not done", what)


def check_people(checker: Checker) -> Iterator[Violation]:
    """See `PeopleChecker`."""
    return PeopleChecker(checker.history, checker.records).violations()


SALT = re.compile(rb'"salt":"[^"]*"')
"""A salt in a line."""

Check = Callable[[Checker], Iterator[Violation]]

CHECKS: tuple[Check, ...] = (
    check_errors, check_acknowledged, check_once, check_answers, check_created, check_receipts,
    check_real_time, check_denied, check_views, check_lines, check_records, check_absences,
    check_tournaments, check_people,
)  # fmt: skip
