"""What became of inputs, and the index of idempotency keys, folded from the record."""

from collections.abc import Iterable
from typing import Any, TypeVar

from msgspec import Struct

from domain.events import Event, Record
from domain.match.events import TURNED_DOWN, ActionReceived, AwaitingChanged, SubmissionInvalid

O = TypeVar("O", bound="InputOutcome")  # noqa: E741  a kind of outcome


class InputOutcome(Struct):
    """What became of an input: when it was received (microseconds), and the positions of the input
    (`position`, from 1) and of the last of its consequences (`end`) in the match's stream.

    `code` says why it does not count, None if it does; `refused` distinguishes a refusal from an
    invalid submission; `phase` is the phase in which it came. `game_note` is what
    the game says of it in its receipt; `recorded` is when it was put on the record, if that was
    noticeably later than it was received.
    """

    at: int
    position: int
    end: int
    code: str | None = None
    refused: bool = False
    phase: str | None = None
    game_note: Struct | None = None
    recorded: int | None = None


class AnsweredAction(InputOutcome):
    """The outcome of an action with an idempotency key, and the fingerprint of the action."""

    fingerprint: bytes | None = None


def with_more(kind: type[O], outcome: InputOutcome, **more: Any) -> O:
    """The outcome, and more of it."""
    same = {name: getattr(outcome, name) for name in InputOutcome.__struct_fields__}
    return kind(**same, **more)


Answers = dict[tuple[int, str], AnsweredAction]
"""By seat and idempotency key."""


def turned_down(events: Iterable[Event]) -> tuple[str | None, bool]:
    """The code by which an input does not count, and whether it was refused (instead of found
    invalid); `(None, False)` if it counts. The events are the input and its first consequence."""
    for event in events:
        if isinstance(event, TURNED_DOWN):
            return event.code, not isinstance(event, SubmissionInvalid)
    return None, False


def game_note(events: Iterable[Event]) -> Struct | None:
    """The game's note on an input, whose first consequence is among the events."""
    return next((note for event in events if (note := event.game_note()) is not None), None)


def remember(
    answers: Answers, records: Iterable[Record[Event]], position: int = 0, phase: str | None = None
) -> None:
    """Adds what became of the actions among `records`, the first of which follows `position`, where
    `phase` was open. The first action under a key counts; a later one with the same key was
    refused."""
    last: AnsweredAction | None = None
    for place, record in enumerate(records, position + 1):
        event = record.event
        if isinstance(event, ActionReceived):
            last = _begin(event, record.at, place, phase)
            if event.key is not None:
                answers.setdefault((event.seat, event.key), last)
        elif record.back == 0:
            last = None
        elif last is not None and place - record.back == last.position:
            last.end = place
            if record.back == 1:
                last.code, last.refused = turned_down([event])
                last.game_note = event.game_note()
        if isinstance(event, AwaitingChanged):
            phase = event.phase


def _begin(event: ActionReceived, at: int, position: int, phase: str | None) -> AnsweredAction:
    """What is known of an action before its consequences."""
    recorded_at = event.recorded if isinstance(event.recorded, int) else None
    return AnsweredAction(
        at, position, position, phase=phase, recorded=recorded_at, fingerprint=event.fingerprint
    )
