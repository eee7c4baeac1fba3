"""The live record: what no rewind has undone (/docs/rulings#going-back).

The same filter serves every fold, of the whole record and of what one audience sees of it. Events
come with numbers that grow, and what names an event names it by such a number: the positions of the
whole record, or the numbers of a reader's own lines.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.cases.match_events import CaseEvent
from domain.events import Event, Numbered, only_seat
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    ClientSeedGiven,
    Directed,
    MatchEnded,
    NameSalted,
    SealedSeedRevealed,
    SeatNamed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)
from domain.match.key_events import KeyEvent
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    MatchConfirmed,
    MatchRewound,
    MatchVoided,
    ResultRuled,
    RewindOrdered,
    RulingEvent,
    SeatReapplied,
)

SealedPhase = Callable[[str], bool]
"""Whether the phase with this id is sealed."""

OF_NO_BRANCH = frozenset(
    {
        *get_args(KeyEvent),
        *get_args(CaseEvent),
        *(set(get_args(RulingEvent)) - {ResultRuled, MatchVoided, MatchConfirmed}),
        Directed,
        SeedCommitted,
        NameSalted,
        SeatNamed,
        ClientSeedGiven,
        SeedSealed,
        SeedRevealed,
        SealedSeedRevealed,
        RewindOrdered,
    }
)
"""What is never undone: keys, names, notes, what was ruled and by whom, and the seeds."""

_UNDO = frozenset({MatchRewound, ActionStruck, ActionAdmitted})

SUBMITS = (ActionReceived, SeatReapplied, ActionAdmitted)
"""The events with which a submission begins."""


def live(numbered: Sequence[Numbered], sealed: SealedPhase) -> list[Event]:
    """The events that are not undone, in order."""
    numbers = undone(numbered, sealed)
    return [entry.event for entry in numbered if entry.number not in numbers]


def undoes(events: Iterable[Event]) -> bool:
    """Whether one of these events undoes earlier ones, or makes one count: what was folded before
    does not hold any more."""
    return not _UNDO.isdisjoint(map(type, events))


def undone(numbered: Sequence[Numbered], sealed: SealedPhase) -> dict[int, int]:
    """The numbers of the events that are undone, each with that of the event that undoes it.

    What a seat submitted in the sealed phase that was open where the match goes on stands, unless
    it was struck.
    """
    if not undoes([entry.event for entry in numbered]):
        return {}
    return _Branches(numbered, sealed).undone()


def standing(numbered: Sequence[Numbered], sealed: SealedPhase) -> frozenset[int]:
    """The numbers of the submissions that stand, unless replaced, in the sealed phase that is open
    at the end."""
    return _Branches(numbered, sealed).standing()


def submissions(numbered: Sequence[Numbered], sealed: SealedPhase) -> frozenset[int]:
    """The numbers of all submissions in sealed phases, and of what became of each."""
    return _Branches(numbered, sealed).submissions()


class _Position(Struct, frozen=True):
    """Where a branch is: the open sealed phase, and the rewinds in force, each from where on and by
    which event. All are indices."""

    phase: int | None = None
    rewinds: tuple[tuple[int, int], ...] = ()


class _Branches:
    """The branches of a record: before each event of its branch, which rewinds were in force and
    which sealed phase was open. A rewind goes on with both as they were where the match goes on, so
    one that undoes an earlier one makes live again what that one had undone.

    A phase is named by the index of the event that opened it: another branch may open one with the
    same id, to which what was submitted in this one does not belong.
    """

    def __init__(self, numbered: Sequence[Numbered], sealed: SealedPhase) -> None:
        self._numbers = [entry.number for entry in numbered]
        self._causes = [entry.cause for entry in numbered]
        self._records = [entry.record for entry in numbered]
        self._events = [record.event for record in self._records]
        self._sealed = sealed
        self._before: list[_Position] = []
        self._submitted_in: dict[int, int] = {}
        position = _Position()
        for index, event in enumerate(self._events):
            self._before.append(position)
            position = self._next(index, event, position)
        self._end = position

    def undone(self) -> dict[int, int]:
        """See `undone`."""
        gone: dict[int, int] = {}
        for start, end in self._end.rewinds:
            stands = self._before[start].phase
            for index in range(start, end):
                stays = stands is not None and self._submitted_in.get(index) == stands
                if not (stays or type(self._events[index]) in OF_NO_BRANCH):
                    gone[self._numbers[index]] = self._numbers[end]
        self._strike(gone)
        return gone

    def standing(self) -> frozenset[int]:
        """See `standing`."""
        return frozenset(
            self._numbers[index]
            for index, phase in self._submitted_in.items()
            if phase == self._end.phase and isinstance(self._events[index], SUBMITS)
        ) - frozenset(self.undone())

    def submissions(self) -> frozenset[int]:
        """See `submissions`."""
        return frozenset(self._numbers[index] for index in self._submitted_in)

    def _next(self, index: int, event: Event, before: _Position) -> _Position:
        """Notes an event. Returns the position after it."""
        phase = before.phase
        if isinstance(event, MatchRewound):
            start = self._index(event.before)
            point = self._before[start] if start < index else before
            return replace(point, rewinds=(*point.rewinds, (start, index)))
        if isinstance(event, AwaitingChanged):
            return replace(before, phase=self._opened(index, event.phase, phase))
        if isinstance(event, MatchEnded | MatchVoided):
            return replace(before, phase=None)
        if isinstance(event, ActionStruck):
            self._note(index, self._submitted_in.get(self._index(event.of)))
        elif isinstance(event, SUBMITS) or self._submission(index) is not None:
            self._note(index, phase)
        return before

    def _opened(self, index: int, phase: str | None, before: int | None) -> int | None:
        """The sealed phase that is open once the match waits for `phase`."""
        if phase is None or not self._sealed(phase):
            return None
        opening = None if before is None else self._events[before]
        goes_on = isinstance(opening, AwaitingChanged) and opening.phase == phase
        return before if goes_on else index

    def _note(self, index: int, phase: int | None) -> None:
        if phase is not None:
            self._submitted_in[index] = phase

    def _submission(self, index: int) -> int | None:
        """The index of the submission of which the event says what became: the first consequence,
        if it is for the seat alone. It stands right after it in one batch."""
        before, event = index - 1, self._events[index]
        submitted = self._events[before]
        if not isinstance(submitted, SUBMITS) or isinstance(event, (*SUBMITS, ActionStruck)):
            return None
        adjacent = self._records[index].back == self._records[before].back + 1
        own = only_seat(event) == submitted.seat and self._causes[index] == self._causes[before]
        return before if adjacent and own else None

    def _strike(self, undone_by: dict[int, int]) -> None:
        """What was struck is undone with what became of it."""
        for index, event in enumerate(self._events):
            if isinstance(event, ActionStruck) and self._numbers[index] not in undone_by:
                struck = self._index(event.of)
                behind = struck + 1 < index and self._submission(struck + 1) == struck
                for undone_index in (struck, struck + 1) if behind else (struck,):
                    undone_by.setdefault(self._numbers[undone_index], self._numbers[index])

    def _index(self, number: int) -> int:
        return bisect_left(self._numbers, number)
