"""Looks back in a record, for a rewind, and at what seats have learned since a point
(/docs/rulings#going-back)."""

from collections.abc import Iterator, Mapping, Sequence

from domain.chance.draws import Part
from domain.events import (
    OWN_SEAT,
    PUBLIC,
    Event,
    Numbered,
    Record,
    SeatEvent,
    batch_starts,
    numbered,
    only_seat,
)
from domain.match.commands import Conflict
from domain.match.events import (
    TURNED_DOWN,
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    DrawSettled,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.match.fold import fold
from domain.match.live import SUBMITS, SealedPhase, standing, submissions, undone
from domain.match.replay import fold_live
from domain.match.state import AnyGame, Match
from domain.rulings.commands import Input, Past
from domain.rulings.events import (
    AGAIN,
    ActionStruck,
    MatchRewound,
    RulingOrdered,
    RulingProposed,
    SeatReapplied,
)
from domain.rulings.kinds import Rewind

PLAYED = (ActionReceived, DeadlinePassed, PhaseClosed)


def past_of(
    game: AnyGame, created: Match, records: Sequence[Record[Event]], ruling: Rewind
) -> Past:
    """What a rewind looks back on; `created` is the match as it was created, `records` its whole
    record."""
    try:
        return _Look(game, created, records, ruling).past()
    except Conflict as fault:
        return Past(len(records), fault=fault.code)


class _Look:
    """A look back. The numbers are positions."""

    def __init__(
        self, game: AnyGame, created: Match, records: Sequence[Record[Event]], ruling: Rewind
    ) -> None:
        self.game = game
        self.created = created
        self.records = records
        self.ruling = ruling
        self.numbered = numbered(records)
        self.undone_by = undone(self.numbered, game.sealed_phase)
        self.turned_down = {e.cause for e in self.numbered if isinstance(e.event, TURNED_DOWN)}
        self.starts = [index + 1 for index in batch_starts(records)]
        self.start = 0 if ruling.before is None else self._batch_of(ruling.before)

    def past(self) -> Past:
        rewound = self._with_rewind()
        struck = tuple(self._find_strikes(rewound))
        strikes = [ActionStruck(event.seat, of) for of, event in struck]
        undone_by = undone(self._followed_by(rewound, strikes), self.game.sealed_phase)
        return Past(
            length=len(self.records),
            start=self.start,
            at=self.records[self.start - 1].at if self.start else 0,
            base=fold_live(self.game, self.created, self.records, undone_by),
            inputs=tuple(self._inputs(undone_by)) if self.start else (),
            undone=tuple(
                n for n in undone_by if n not in self.undone_by and n <= len(self.records)
            ),
            alone=self.start > 0 and self._alone(),
            struck=struck,
            admitted=tuple(self._admitted(undone_by)),
        )

    def _batch_of(self, before: int) -> int:
        """The position of the first event of the batch of a public, live event. Raises
        Conflict."""
        if before > len(self.records) or before in self.undone_by:
            raise Conflict("not_live")
        if self._event(before).audience != PUBLIC:
            raise Conflict("not_public")
        start = max(start for start in self.starts if start <= before)
        starts_of_match = (
            entry.number for entry in self.numbered if isinstance(entry.event, MatchStarted)
        )
        if start <= next(starts_of_match, start):
            raise Conflict("not_live")
        return start

    def _event(self, position: int) -> Event:
        return self.records[position - 1].event

    def _with_rewind(self) -> list[Numbered]:
        if self.start == 0:
            return self.numbered
        return self._followed_by(self.numbered, [MatchRewound(1, self.start)])

    @staticmethod
    def _followed_by(numbered: list[Numbered], events: Sequence[Event]) -> list[Numbered]:
        behind = enumerate(events, numbered[-1].number + 1)
        return [
            *numbered,
            *(Numbered(number, number, Record(0, 0, event)) for number, event in behind),
        ]

    def _find_strikes(self, rewound: list[Numbered]) -> Iterator[tuple[int, SeatEvent]]:
        """The actions to strike: each stands in the phase that is open then, or is undone."""
        standing_numbers = standing(rewound, self.game.sealed_phase)
        for change in self.ruling.changes:
            if isinstance(change.strike, int):
                of = change.strike
                action = self._event(of) if of <= len(self.records) else None
                behind = 0 < self.start <= of and of not in self.undone_by
                if not (isinstance(action, SUBMITS) and (of in standing_numbers or behind)):
                    raise Conflict("not_live")
                yield of, action

    def _admitted(self, undone_by: Mapping[int, int]) -> Iterator[tuple[int, ActionReceived]]:
        """The actions to admit: each was refused or found invalid, and no ruling that stands has
        let it count."""
        admitted_before = {
            entry.event.of
            for entry in self.numbered
            if entry.number not in undone_by and isinstance(entry.event, AGAIN)
        }
        for change in self.ruling.changes:
            if isinstance(change.admit, int):
                of = change.admit
                action = self._event(of) if of < len(self.records) else None
                if (
                    not isinstance(action, ActionReceived)
                    or self._counted(of)
                    or of in admitted_before
                ):
                    raise Conflict("not_live")
                admitted_before.add(of)
                yield of, action

    def _counted(self, head: int) -> bool:
        """Whether the input at this position counted."""
        return head not in self.turned_down

    def _alone(self) -> bool:
        later = [start for start in self.starts if start > self.start]
        batch = range(self.start, (later or [len(self.records) + 1])[0])
        if any(self._event(n).audience == OWN_SEAT for n in batch):
            return False
        return not any(map(self._counted, later)) and not self._took_two(batch)

    def _took_two(self, batch: range) -> bool:
        """Whether the batch is a ruling that two people gave, or one and all seats."""
        proposed = {
            event.event.id for event in self.numbered if isinstance(event.event, RulingProposed)
        }
        events = map(self._event, batch)
        return any(isinstance(event, RulingOrdered) and event.id in proposed for event in events)

    def _inputs(self, undone_by: Mapping[int, int]) -> Iterator[Input]:
        """The inputs of the game that the rewind undoes, in order."""
        before = self.numbered[: self.start - 1]
        live = [entry.event for entry in before if entry.number not in self.undone_by]
        match = fold(self.game, self.created, live)
        for entry in self.numbered[self.start - 1 :]:
            if entry.number in self.undone_by:
                continue
            if entry.number in undone_by and self._is_head(entry):
                yield self._input(entry.number, entry.event, match)
            match = fold(self.game, match, [entry.event])

    def _is_head(self, entry: Numbered) -> bool:
        """Whether an input of the game begins with this event, or one that a ruling gave again: a
        draw that is given again stands right after the event that says so."""
        event = entry.event
        if isinstance(event, DrawSettled | SealedDrawSettled):
            before = self._event(entry.number - 1) if entry.record.back else None
            return event.by == "manual" or (event.by == "ruling" and not isinstance(before, AGAIN))
        return isinstance(event, (*PLAYED, *AGAIN))

    def _input(self, head: int, event: Event, match: Match) -> Input:
        of, content = head, event
        while isinstance(content, AGAIN):
            of, content = content.of, self._event(content.of)
        parts: tuple[Part, ...] = ()
        if isinstance(content, DrawSettled | SealedDrawSettled):
            draw = self.game.awaits(match.game).draw
            parts = () if draw is None else draw.parts
        again = content is not event
        return Input(head, of, content, again or self._counted(head), parts)


# What was learned.


def learned_since(
    records: Sequence[Record[Event]], start: int, seats: int, sealed: SealedPhase
) -> list[tuple[int, ...]]:
    """By seat, the positions of all that it has received from a position on, but for what it sent
    itself, and whom the match waited for."""
    entries = numbered(records)
    own_consequences = submissions(entries, sealed)
    return [tuple(_find_learned(entries, start, seat, own_consequences)) for seat in range(seats)]


def _find_learned(
    entries: Sequence[Numbered], start: int, seat: int, own_consequences: frozenset[int]
) -> Iterator[int]:
    own = set(_own(entries, seat, own_consequences))
    for number, _, record in entries[start - 1 :]:
        if number not in own and _receives(seat, record.event):
            yield number


def _receives(seat: int, event: Event) -> bool:
    if isinstance(event, AwaitingChanged):
        return False
    return event.audience == PUBLIC or only_seat(event) == seat


def _own(entries: Sequence[Numbered], seat: int, own_consequences: frozenset[int]) -> Iterator[int]:
    """What a seat sent, and what only says so: a submission as the game understood it, and the move
    that everyone was shown. A move that discloses something tells its own seat, too."""
    last_sent = 0
    for number, _, record in entries:
        event = record.event
        if only_seat(event) == seat:
            heads = isinstance(event, ActionReceived | SeatReapplied)
            last_sent = number if heads else last_sent
            if heads or number in own_consequences or isinstance(event, TURNED_DOWN):
                yield number
        elif last_sent == number - 1 and event.audience == PUBLIC and not event.discloses():
            yield number
