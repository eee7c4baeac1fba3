"""What seats have submitted and what became of it, in one fold of the record.

Receipts and the index of idempotency keys are made from it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from msgspec import Struct

from domain.events import PUBLIC, Event, Record, only_seat
from domain.match.events import (
    TURNED_DOWN,
    ActionReceived,
    AwaitingChanged,
    ClientSeedGiven,
    SubmissionInvalid,
)
from domain.proof.receipts import Binding, ReceiptText, status
from domain.proof.subjects import of_match
from projections.texts.timestamps import rfc3339

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


class Submission(Struct):
    """An action or a client seed. `count` is its number in its sender's own count."""

    event: ActionReceived | ClientSeedGiven
    count: int
    outcome: InputOutcome

    @property
    def index(self) -> int:
        """Its index in the log, counted from 0."""
        return self.outcome.position - 1

    @property
    def receiver(self) -> int:
        """The seat that sent it."""
        return self.event.seat

    def receipt(self, match: str, binding: Binding) -> ReceiptText:
        """What is signed about it."""
        key = self.event.key if isinstance(self.event, ActionReceived) else None
        return receipt_text(match, self.event.seat, self.count, self.outcome, key, binding)


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


def submissions(
    numbered: Iterable[tuple[int, Record[Event]]], phase: str | None = None
) -> Iterator[Submission]:
    """Every submission among the records, which come with their positions in the match's stream;
    `phase` is the open one before the first.

    Records that an audience may not see can be left out: then the counts of other seats are too
    low.
    """
    public, own = 0, Counter[int]()
    last: Submission | None = None
    first: Event | None = None
    for position, record in numbered:
        event = record.event
        if event.audience == PUBLIC:
            public += 1
        elif (seat := only_seat(event)) is not None:
            own[seat] += 1
        # Compared by type, for speed: isinstance takes longer for what is something else.
        submits = type(event) is ActionReceived or type(event) is ClientSeedGiven
        if last is not None and (submits or record.back == 0):
            yield _concluded(last, first)
            last = None
        elif last is not None and position - record.back == last.outcome.position:
            first = event if record.back == 1 else first
            last.outcome.end = position
        if type(event) is AwaitingChanged:
            phase = event.phase
        elif type(event) is ActionReceived or type(event) is ClientSeedGiven:
            began = phase if type(event) is ActionReceived else None
            outcome = InputOutcome(record.at, position, position, phase=began)
            last, first = Submission(event, public + own[event.seat], outcome), None
    if last is not None:
        yield _concluded(last, first)


def _concluded(made: Submission, first: Event | None) -> Submission:
    """The submission with what became of it, by its first consequence. A client seed always
    counts."""
    event, outcome = made.event, made.outcome
    if isinstance(event, ActionReceived):
        outcome.recorded = event.recorded if isinstance(event.recorded, int) else None
        if first is not None:
            outcome.code, outcome.refused = turned_down([first])
            outcome.game_note = game_note([first])
    return made


def remember(
    answers: Answers,
    records: Iterable[Record[Event]],
    position: int = 0,
    phase: str | None = None,
) -> None:
    """Adds the actions among `records`, the first of which follows `position`, where `phase` was
    open. The first action under a key counts; a later one with the same key was refused."""
    for made in submissions(enumerate(records, position + 1), phase):
        event, outcome = made.event, made.outcome
        if isinstance(event, ActionReceived) and event.key is not None:
            answered = with_more(AnsweredAction, outcome, fingerprint=event.fingerprint)
            answers.setdefault((event.seat, event.key), answered)


def receipt_text(
    match_id: str,
    seat: int,
    count: int,
    outcome: InputOutcome,
    key: str | None,
    binding: Binding,
) -> ReceiptText:
    """The receipt for a submission."""
    return ReceiptText(
        subject=of_match(match_id),
        seat=seat,
        count=count,
        phase=outcome.phase,
        received=rfc3339(outcome.at),
        recorded=rfc3339(outcome.at if outcome.recorded is None else outcome.recorded),
        status=status(outcome.code, refused=outcome.refused),
        key=key,
        binding=binding,
    )
