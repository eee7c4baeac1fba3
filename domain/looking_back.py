"""Looks back in a record, for a rewind (RULINGS §4)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from domain.batches import batch_starts
from domain.draws import Part
from domain.events import OWN_SEAT, PUBLIC, Event, Record, only_seat
from domain.live import SUBMITS, Numbered, standing, undone
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    DeadlinePassed,
    DrawRefused,
    DrawSettled,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.match_state import AnyGame, Match, fold
from domain.past import Input, Past
from domain.replay import fold_live
from domain.rewind_events import ActionAdmitted, ActionStruck, MatchRewound, Reapplied
from domain.ruling_kinds import Rewind

TURNED_DOWN = (ActionRefused, SubmissionInvalid)
AGAIN = (*get_args(Reapplied), ActionAdmitted)
"""The events that name the input that they repeat."""

PLAYED = (ActionReceived, DeadlinePassed, PhaseClosed)


class NoSuchRewind(Exception):
    """There is no such rewind, because of the rule `code`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def past_of(
    game: AnyGame, created: Match, records: Sequence[Record[Event]], ruling: Rewind
) -> Past:
    """What a rewind looks back on; `created` is the match as it was created, `records` its whole
    record."""
    try:
        return _Look(game, created, records, ruling).past()
    except NoSuchRewind as fault:
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
        self.numbered: list[Numbered] = [(n, r.event) for n, r in enumerate(records, 1)]
        self.gone = undone(self.numbered, game.sealed_phase)
        self.starts = [index + 1 for index in batch_starts(event for _, event in self.numbered)]
        self.start = 0 if ruling.before is None else self._batch_of(ruling.before)

    def past(self) -> Past:
        rewound = self._with_rewind()
        struck = tuple(self._struck(rewound))
        told = [ActionStruck(seat_of(event), of) for of, event in struck]
        gone = undone(self._followed_by(rewound, told), self.game.sealed_phase)
        return Past(
            length=len(self.records),
            start=self.start,
            at=self.records[self.start - 1].at if self.start else 0,
            base=fold_live(self.game, self.created, self.numbered, gone),
            inputs=tuple(self._inputs(gone)) if self.start else (),
            undone=tuple(n for n in gone if n not in self.gone and n <= len(self.records)),
            alone=self.start > 0 and self._alone(),
            struck=struck,
            admitted=tuple(self._admitted(gone)),
        )

    def _batch_of(self, before: int) -> int:
        """The position of the first event of the batch of a public, live event. Raises
        NoSuchRewind."""
        if before > len(self.records) or before in self.gone:
            raise NoSuchRewind("not_live")
        if self._event(before).audience != PUBLIC:
            raise NoSuchRewind("not_public")
        start = max(start for start in self.starts if start <= before)
        begun = (n for n, event in self.numbered if isinstance(event, MatchStarted))
        if start <= next(begun, start):
            raise NoSuchRewind("not_live")
        return start

    def _event(self, position: int) -> Event:
        return self.records[position - 1].event

    def _with_rewind(self) -> list[Numbered]:
        if self.start == 0:
            return self.numbered
        return self._followed_by(self.numbered, [MatchRewound(1, self.start)])

    @staticmethod
    def _followed_by(numbered: list[Numbered], events: Sequence[Event]) -> list[Numbered]:
        return [*numbered, *enumerate(events, numbered[-1][0] + 1)]

    def _struck(self, rewound: list[Numbered]) -> Iterator[tuple[int, Event]]:
        """The actions to strike: each stands in the phase that is open then, or is undone."""
        submitted = standing(rewound, self.game.sealed_phase)
        for change in self.ruling.changes:
            if isinstance(change.strike, int):
                of = change.strike
                acted = of <= len(self.records) and isinstance(self._event(of), SUBMITS)
                behind = 0 < self.start <= of and of not in self.gone
                if not (acted and (of in submitted or behind)):
                    raise NoSuchRewind("not_live")
                yield of, self._event(of)

    def _admitted(self, gone: Mapping[int, int]) -> Iterator[tuple[int, Event]]:
        """The actions to admit: each was refused or found invalid, and no ruling that stands has
        let it count."""
        counted = {e.of for n, e in self.numbered if n not in gone and isinstance(e, AGAIN)}
        for change in self.ruling.changes:
            if isinstance(change.admit, int):
                of = change.admit
                known = of < len(self.records) and isinstance(self._event(of), ActionReceived)
                if not known or self._counted(of) or of in counted:
                    raise NoSuchRewind("not_live")
                counted.add(of)
                yield of, self._event(of)

    def _counted(self, head: int) -> bool:
        """Whether the action at this position counted."""
        behind = self._event(head + 1) if head < len(self.records) else None
        return not isinstance(behind, TURNED_DOWN)

    def _alone(self) -> bool:
        later = [start for start in self.starts if start > self.start]
        batch = range(self.start, (later or [len(self.records) + 1])[0])
        if any(self._event(n).audience == OWN_SEAT for n in batch):
            return False
        return all(isinstance(self._event(n), DrawRefused) or not self._counted(n) for n in later)

    def _inputs(self, gone: Mapping[int, int]) -> Iterator[Input]:
        """The inputs of the game that the rewind undoes, in order."""
        match = fold(self.game, self.created, self._live_before(self.start))
        before: Event | None = None
        for position, event in self.numbered[self.start - 1 :]:
            if position in self.gone:
                continue
            if position in gone and _is_head(event, before):
                yield self._input(position, event, match)
            match = fold(self.game, match, [event])
            before = event

    def _live_before(self, position: int) -> list[Event]:
        return [event for n, event in self.numbered[: position - 1] if n not in self.gone]

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


def seat_of(action: Event) -> int:
    """The seat of an action, or of one that was admitted or judged again."""
    seat = only_seat(action)
    assert seat is not None, "it is a seat's own"
    return seat


def _is_head(event: Event, before: Event | None) -> bool:
    """Whether an input of the game begins with this event, or one that a ruling gave again."""
    if isinstance(event, DrawSettled | SealedDrawSettled):
        return event.by == "manual" or (event.by == "ruling" and not isinstance(before, AGAIN))
    return isinstance(event, (*PLAYED, *AGAIN))
