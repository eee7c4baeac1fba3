"""The moves of a match: what was put in from outside and counted, in the order of the record."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.chance.draws import Outcome
from domain.events import Event, Record, numbered
from domain.match.events import (
    TURNED_DOWN,
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    DeadlinePassed,
    DrawSettled,
    PhaseClosed,
    SealedDrawSettled,
    SeatNamed,
    SubmissionInvalid,
)
from domain.match.live import undone
from domain.match.state import AnyGame
from domain.rulings.events import (
    AGAIN,
    MatchConfirmed,
    MatchRewound,
    MatchRuled,
    MatchVoided,
    PublicNoted,
    ResultRuled,
    SeatReplaced,
)


class PlayedMove(Struct, frozen=True):
    """A seat's action, as JSON values. `invalid` is the code of a sealed submission that did not
    count; an action that the rules refused is no move."""

    seat: int
    action: Mapping[str, Any]
    invalid: str | None = None


class Drawn(Struct, frozen=True):
    """The outcome of a draw."""

    id: str
    outcome: Outcome


class PhaseEnded(Struct, frozen=True):
    """A phase ended by its deadline or `by_hand`, which has the same effect. Where it is over
    already, with its last submission, this changes nothing."""

    phase: str
    by_hand: bool = True


Move = PlayedMove | Drawn | PhaseEnded


class Remark(Struct, frozen=True):
    """An event that is no move, and that readers should know of."""

    event: Event


REMARKED = (
    MatchRuled,
    MatchRewound,
    SeatReplaced,
    SeatNamed,
    ResultRuled,
    MatchVoided,
    MatchConfirmed,
    PublicNoted,
)
"""The events on which a notation remarks."""


def moves_of(game: AnyGame, records: Sequence[Record[Event]]) -> list[Move | Remark]:
    """The moves of a whole record that are not undone, in order, with the remarks between them.

    Of a sealed phase that a rewind opened again only each seat's last submission that counts is a
    move: that phase did not end when all were in, and would do so when it is played again.
    """
    return _Walk(game, records).moves()


class _Walk:
    """A walk through a record. `opened` is the index of the first move of the open phase."""

    def __init__(self, game: AnyGame, records: Sequence[Record[Event]]) -> None:
        self.numbered = numbered(records)
        self.events = [record.event for record in records]
        self.turned_down = {
            entry.cause: entry.event
            for entry in self.numbered
            if isinstance(entry.event, TURNED_DOWN)
        }
        self.sealed = game.sealed_phase
        self.branch = ""
        self.phase: str | None = None
        self.opened = 0
        self.named_seats = set[int]()
        self.reopened = False
        self.noted: list[Move | Remark] = []

    def moves(self) -> list[Move | Remark]:
        """See `moves_of`."""
        undone_by = undone(self.numbered, self.sealed)
        for entry in self.numbered:
            if entry.number not in undone_by:
                self._walk(entry.number, entry.event)
        self._end_phase(None)
        return self.noted

    def _walk(self, position: int, event: Event) -> None:
        if isinstance(event, AwaitingChanged) and event.phase != self.phase:
            self._end_phase(event.phase)
        elif isinstance(event, MatchRewound):
            self.reopened = self.phase is not None and self.sealed(self.phase)
            self.branch = f"b{event.branch}/"
        elif isinstance(event, SeatNamed) and event.seat not in self.named_seats:
            self.named_seats.add(event.seat)
            return
        move = Remark(event) if isinstance(event, REMARKED) else self._move(position, event)
        if move is not None:
            self.noted.append(move)

    def _end_phase(self, following: str | None) -> None:
        if self.reopened:
            self.noted[self.opened :] = _last_of_each(self.noted[self.opened :])
        self.phase, self.opened, self.reopened = following, len(self.noted), False

    def _move(self, position: int, event: Event) -> Move | None:
        """The move that begins with this event; None if none does."""
        if isinstance(event, ActionReceived):
            return self._received(position, event)
        if isinstance(event, DrawSettled | SealedDrawSettled):
            by_hand = event.by != "server"
            return Drawn(event.id.removeprefix(self.branch if by_hand else ""), event.outcome)
        if isinstance(event, AGAIN):
            return self._again(event)
        if isinstance(event, DeadlinePassed | PhaseClosed):
            return PhaseEnded(event.phase, isinstance(event, PhaseClosed))
        return None

    def _received(self, position: int, event: ActionReceived) -> Move | None:
        answer = self.turned_down.get(position)
        if isinstance(answer, ActionRefused):
            return None
        invalid = answer.code if isinstance(answer, SubmissionInvalid) else None
        return PlayedMove(event.seat, event.action, invalid)

    def _again(self, event: Event) -> Move | None:
        """An input that a ruling lets count; of a draw the outcome stands after it."""
        while isinstance(event, AGAIN):
            event = self.events[event.of - 1]
        if isinstance(event, ActionReceived):
            return PlayedMove(event.seat, event.action)
        if isinstance(event, DeadlinePassed | PhaseClosed):
            return PhaseEnded(event.phase, isinstance(event, PhaseClosed))
        return None


def _last_of_each(noted: Sequence[Move | Remark]) -> list[Move | Remark]:
    """The same with only the last counting action of each seat and kind."""
    last = {
        (move.seat, move.action["type"]): index
        for index, move in enumerate(noted)
        if isinstance(move, PlayedMove) and move.invalid is None
    }
    indices = set(last.values())
    return [
        move
        for index, move in enumerate(noted)
        if index in indices or not isinstance(move, PlayedMove)
    ]
