"""The live record as /docs/rulings#going-back says: obvious and slow, to compare
`domain.match.live` with."""

from collections.abc import Callable, Iterator, Sequence

from domain.cases.match_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Numbered, only_seat
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
from domain.match.key_events import (
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    ConsentAsked,
    ConsentClosed,
    MatchRewound,
    MatchRuled,
    MatchVoided,
    PublicNoted,
    RewindOrdered,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedNoted,
    SealedRuled,
    SeatNoted,
    SeatReapplied,
    SeatReplaced,
    SeatRuled,
)

KEYS = (SeatKeyIssued, SeatKeyEnded, ModeratorKeyIssued, ModeratorKeyEnded)
NAMES = (SeatReplaced, SeatNamed, NameSalted)
NOTES = (PublicNoted, SeatNoted, SealedNoted)
RULED = (
    MatchRuled, SeatRuled, SealedRuled, RulingOrdered, RewindOrdered, RulingProposed,
    RulingWithdrawn, RulingLapsed, RulingConsented, ConsentAsked, ConsentClosed, Directed,
)  # fmt: skip
SEEDS = (SeedCommitted, ClientSeedGiven, SeedSealed, SeedRevealed, SealedSeedRevealed)
CASES = (MatchCaseOpened, MatchCaseClosed)
OF_NO_BRANCH = (*KEYS, *NAMES, *NOTES, *RULED, *SEEDS, *CASES)

SUBMITTED = (ActionReceived, SeatReapplied, ActionAdmitted)


class Reference:
    """One list of events, of the whole record or of one audience, and what is live in it. Events
    are found by their places, from 0."""

    def __init__(self, numbered: Sequence[Numbered], sealed: Callable[[str], bool]) -> None:
        self.numbers = [one.number for one in numbered]
        self.events = [one.event for one in numbered]
        self.places = {one.number: place for place, one in enumerate(numbered)}
        self.batches = [(one.cause, one.record.back) for one in numbered]
        self.sealed = sealed

    def gone(self) -> set[int]:
        """The numbers of what is undone."""
        places = range(len(self.events))
        return {self.numbers[place] for place in places if not self.is_live(place)}

    def is_live(self, place: int) -> bool:
        return not self._rewound(place, len(self.events)) and not self._struck(place)

    def _rewound(self, place: int, end: int) -> bool:
        """Whether one of the rewinds in force after the first `end` events undoes it."""
        if isinstance(self.events[place], OF_NO_BRANCH):
            return False
        return any(
            start <= place < rewind
            and (self._opening(start) is None or self._submission(place) != self._opening(start))
            for start, rewind in self._in_force(end)
        )

    def _in_force(self, end: int) -> list[tuple[int, int]]:
        """From where on and by which event: the last rewind before `end`, and those that were in
        force where it goes on. What it undoes, rewinds too, never was."""
        rewinds = [n for n in range(end) if isinstance(self.events[n], MatchRewound)]
        if not rewinds:
            return []
        start = self._at(self.events[rewinds[-1]].before)  # type: ignore[attr-defined]
        return [*self._in_force(start), (start, rewinds[-1])]

    def _opening(self, end: int) -> int | None:
        """Which sealed phase was open before the event at this place, in its branch: the place of
        the event that opened it."""
        opened: int | None = None
        for place in self._branch(end):
            event = self.events[place]
            if isinstance(event, MatchEnded | MatchVoided):
                opened = None
            elif isinstance(event, AwaitingChanged):
                opened = self._opened(event, opened, place)
        return opened

    def _opened(self, event: AwaitingChanged, before: int | None, place: int) -> int | None:
        if event.phase is None or not self.sealed(event.phase):
            return None
        goes_on = before is not None and self.events[before].phase == event.phase  # type: ignore[attr-defined]
        return before if goes_on else place

    def _branch(self, end: int) -> Iterator[int]:
        """The places before `end` that were live there, by rewinds alone: those in force."""
        rewinds = self._in_force(end)
        for place in range(end):
            if not any(start <= place < rewind for start, rewind in rewinds):
                yield place

    def _submission(self, place: int) -> int | None:
        """In which sealed phase a seat submitted this; None if that was not so. What it came to is
        its first consequence."""
        event = self.events[place]
        if isinstance(event, ActionStruck):
            return self._submission(self._at(event.of))
        if isinstance(event, SUBMITTED) or self._comes_from(place) is not None:
            return self._opening(place)
        return None

    def _comes_from(self, place: int) -> int | None:
        """The place of the submission that came to this, if one did."""
        cause, back = self.batches[place]
        if not back or self.batches[place - 1] != (cause, back - 1):
            return None
        submitted, event = self.events[place - 1], self.events[place]
        if not isinstance(submitted, SUBMITTED) or isinstance(event, (*SUBMITTED, ActionStruck)):
            return None
        return place - 1 if only_seat(event) == submitted.seat else None

    def _struck(self, place: int) -> bool:
        """Whether a strike that stands is of this action, or of the one that came to this."""
        strikes = (
            (strike, self._at(event.of))
            for strike, event in enumerate(self.events)
            if isinstance(event, ActionStruck) and not self._rewound(strike, len(self.events))
        )
        return any(
            struck in (place, self._comes_from(place))
            for strike, struck in strikes
            if strike > place
        )

    def _at(self, number: int) -> int:
        """The place of the event with this number, or of the first one after it."""
        return next((p for p, n in enumerate(self.numbers) if n >= number), len(self.numbers))
