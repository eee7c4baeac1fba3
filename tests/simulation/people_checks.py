"""Checks of what people did around matches: rulings, cases, keys, invitations and notices."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from math import inf
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UnsetType

from domain.cases.state import CaseAppealed, CaseClosed, CaseListed, CaseOpened, CaseStated
from domain.events import Event, Record
from domain.match.events import AwaitingChanged, MatchEnded, MatchStarted
from domain.match.key_events import (
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.rulings.events import (
    MatchConfirmed,
    MatchRuled,
    MatchVoided,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SeatReplaced,
)
from projections.fields import rfc3339
from service.auth.keyring import parse_key
from tests.simulation.simulation_history import Done, DoneKind, History
from tests.simulation.stored_records import StoredRecords
from tests.simulation.violations import Violation, ViolationKind

NOTICED: dict[type[Event], str] = {
    MatchStarted: "match.started", AwaitingChanged: "match.awaiting", MatchEnded: "match.ended",
    MatchVoided: "match.ended", MatchConfirmed: "match.ended", MatchRuled: "match.ruling",
}  # fmt: skip
"""Events of which webhooks are sent notices, and the types of these."""

MISSING: ViolationKind = "acknowledged and not on record"

REMINDER = "match.reminder"
"""The type of notices that have no order."""


class PeopleChecker:
    """Checks what was acknowledged against what is on record at the end."""

    def __init__(self, history: History, records: StoredRecords) -> None:
        self.records = records
        self._done: dict[DoneKind, list[Done]] = defaultdict(list)
        for entry in history:
            if isinstance(entry, Done):
                self._done[entry.kind].append(entry)

    def violations(self) -> Iterator[Violation]:
        """Everything that is wrong."""
        matches = {entry.match for entry in chain(*self._done.values())}
        for match in sorted(matches):
            yield from self._rulings(match)
            yield from self._keys_on_record(match)
        yield from self._cases()
        yield from self._keys()
        yield from self._invitations()
        # What is missing was waited for: the matches go on.
        yield from (found for found in self.notices() if found.kind != "not done")

    def _of(self, match: UUID, *kinds: DoneKind) -> Iterator[Done]:
        return (one for kind in kinds for one in self._done[kind] if one.match == match)

    def _rulings(self, match: UUID) -> Iterator[Violation]:
        """A ruling is proposed once, consented to once by each seat, and carried out or given up
        once; what was acknowledged of it is on record."""
        counted = Counter(_of_rulings(self.records.of(match)))
        yield from (Violation("recorded twice", f"{one}") for one, n in counted.items() if n > 1)
        for _, ruling in counted:
            if counted["given up", ruling] and counted["carried out", ruling]:
                yield Violation("recorded twice", f"{ruling} is given up and carried out")
        ids = defaultdict[int, set[str]](set)
        for done in self._of(match, "ruled", "seconded", "consented"):
            carried_out, _, seat = done.more.partition("/")
            known = counted["carried out" if carried_out == "True" else "proposed", done.name]
            if seat:
                known = known and counted[f"consented/{seat}", done.name]
            if not known:
                yield Violation(MISSING, f"{done.kind} in step {done.step}")
            if done.kind == "ruled":
                ids[done.step].add(done.name)
        for done in self._of(match, "withdrawn"):
            if not counted["given up", done.name]:
                yield Violation(MISSING, f"withdrawn in step {done.step}")
        yield from (
            Violation("recorded twice", f"step {n}") for n, made in ids.items() if len(made) > 1
        )

    def _cases(self) -> Iterator[Violation]:
        """What was said in a case stands there once, if it was acknowledged; a case is on each list
        once, and opened and closed on the record of its match as it is in itself."""
        said, listed = Counter[str](), Counter[tuple[UUID, str]]()
        for stream in self.records.streams:
            for record in self.records.of(stream):
                match record.event:
                    case CaseOpened() | CaseStated() | CaseAppealed():
                        said[record.event.says] += 1
                    case CaseClosed() if record.event.note is not None:
                        said[record.event.note] += 1
                    case CaseListed(_, case):
                        listed[stream, case] += 1
        for what, count in chain(said.items(), listed.items()):
            if count > 1:
                yield Violation("recorded twice", f"{what}")
        for done in chain(self._done["opened"], self._done["said"]):
            if not said[done.more]:
                yield Violation(MISSING, done.more)

    def _keys_on_record(self, match: UUID) -> Iterator[Violation]:
        """A key is issued and ended on record once, and that is acknowledged only then."""
        counted, over = Counter[tuple[str, str]](), False
        issued, ended = dict[str, int](), dict[str | UnsetType, int]()
        for position, record in enumerate(self.records.of(match), 1):
            match record.event:
                case SeatKeyIssued() | ModeratorKeyIssued():
                    counted["issued", record.event.key_id] += 1
                    issued[record.event.key_id] = position
                    ended[record.event.renews] = position
                case SeatKeyEnded() | ModeratorKeyEnded():
                    counted["ended", record.event.key_id] += 1
                    ended[record.event.key_id] = position
                case MatchEnded() | MatchVoided():
                    over = True
        yield from (Violation("recorded twice", f"{one}") for one, n in counted.items() if n > 1)
        for done in self._of(match, "issued"):
            if not over and issued.get(done.name, inf) > int(done.more):
                yield Violation("acknowledged before it is on record", f"key in step {done.step}")
        for done in (one for one in self._of(match, "ended") if one.more):
            key_id, length = done.more.split()
            if not over and ended.get(key_id, inf) > int(length) and not self._is_replaced(done):
                yield Violation(
                    "acknowledged before it is on record", f"end of a key in step {done.step}"
                )

    def _keys(self) -> Iterator[Violation]:
        """A step gives one key at most. One that was ended opens nothing: at once where it was
        ended, and elsewhere when all is quiet; every other one does."""
        given = defaultdict[int, set[str]](set)
        for done in self._done["shown"]:
            given[done.step].add(done.name)
        yield from (
            Violation("given twice", f"step {n}") for n, keys in given.items() if len(keys) > 1
        )
        ended, anywhere = dict[tuple[str, str], int](), set[str]()
        for done in self._done["ended"]:
            ended.setdefault((done.name, done.process), done.at)
            anywhere.add(done.name)
        for done in self._done["used"]:
            if int(done.more) > ended.get((done.name, done.process), int(done.more)):
                yield Violation("ended and works", f"key in step {done.step}")
        works = {one.name for one in self._done["works"]}
        yield from (Violation("ended and works", key) for key in works & anywhere)
        doubtful = {one.name for one in self._done["ending"]} | anywhere | works
        for done in self._done["shown"]:
            if done.name not in doubtful and not self._is_replaced(done):
                yield Violation(MISSING, f"key of step {done.step}")

    def _is_replaced(self, shown: Done) -> bool:
        """Whether another person has taken over the seat of a key, or may have another key: one of
        a player in a tournament is in place of those before."""
        parsed = parse_key(shown.name)
        assert parsed is not None, "it is a key"
        if parsed[0].startswith("p"):
            return True
        events = (record.event for record in self.records.of(shown.match))
        return parsed[0] in {f"s{one.seat}" for one in events if isinstance(one, SeatReplaced)}

    def _invitations(self) -> Iterator[Violation]:
        """An invitation gives one key, and none once it was taken back."""
        keys = defaultdict[str, set[str]](set)
        for done in self._done["accepted"]:
            keys[done.name].add(done.more)
        yield from _several("given twice", keys)
        for done in self._done["taken back"]:
            if done.name in keys:
                yield Violation("given twice", f"invitation {done.name}, and taken back")

    def notices(self) -> Iterator[Violation]:
        """A repeated notice is the same, notices of a match arrive in order, and each event of
        which a webhook was to be sent one has one."""
        for hook in self._done["hooked"]:
            bodies = defaultdict[str, set[str]](set)
            for done in self._of(hook.match, "delivered"):
                if done.name.startswith(f"{hook.name} msg"):
                    bodies[done.name].add(done.more)
            yield from (
                Violation("two answers", name) for name, of in bodies.items() if len(of) > 1
            )
            sent = [msgspec.json.decode(min(each)) for each in bodies.values()]
            told = [
                (one["type"], one["timestamp"]) for one in sent if one["type"] != "match.reminder"
            ]
            times = [at for _, at in told]
            if times != sorted(times):
                yield Violation("order", f"notices to {hook.name}")
            since, length = map(int, hook.more.split())
            may = Counter(_notices(self.records.of(hook.match), since))
            must = Counter(_notices(self.records.of(hook.match)[length:], since))
            arrived = Counter(told)
            for extra in (arrived - may).elements():
                yield Violation("recorded twice", f"notice {extra} to {hook.name}")
            for missing in (must - arrived).elements():
                yield Violation("not done", f"notice {missing} to {hook.name}")


def _of_rulings(records: list[Record[Event]]) -> Iterator[tuple[str, str]]:
    """What is on record of rulings, and the id of each."""
    for event in (record.event for record in records):
        match event:
            case RulingProposed(id=ruling):
                yield "proposed", ruling
            case RulingConsented(ruling, seat):
                yield f"consented/{seat}", ruling
            case RulingWithdrawn(ruling) | RulingLapsed(ruling):
                yield "given up", ruling
            case RulingOrdered(id=ruling):
                yield "carried out", ruling


def _several(kind: ViolationKind, found: Mapping[Any, set[str]]) -> Iterator[Violation]:
    """What should be one and is several."""
    return (Violation(kind, f"{name}") for name, each in found.items() if len(each) > 1)


def _notices(records: list[Record[Event]], since: int) -> Iterator[tuple[str, str]]:
    """The types and times of the notices of these events."""
    for at, event in ((record.at, record.event) for record in records):
        waits = not isinstance(event, AwaitingChanged) or event.seats or event.draw is not None
        if at >= since and waits and type(event) in NOTICED:
            yield NOTICED[type(event)], rfc3339(at)
