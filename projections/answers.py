"""Which requests have been answered: the memory of idempotency keys, folded from the record."""

from collections.abc import Iterable

from msgspec import Struct

from domain.events import Event, Record
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    SubmissionInvalid,
    is_input,
)


class Answered(Struct):
    """An action that came with a key: when, its fingerprint, and where in the match's stream it
    (`position`) and the last of its consequences (`end`) stand. `code` is why it
    does not count, None if it does; `refused` if it was not even taken as a submission; `phase` the
    one in which it came."""

    at: int
    fingerprint: bytes | None
    position: int
    end: int
    code: str | None = None
    refused: bool = False
    phase: str | None = None


Answers = dict[tuple[int, str], Answered]
"""By seat and idempotency key."""


def remember(
    answers: Answers,
    records: Iterable[Record[Event]],
    position: int = 0,
    phase: str | None = None,
) -> None:
    """Adds the actions among `records`, the first of which stands right after `position`, where
    `phase` was open.

    The first action under a key is the one that counts; a later one with the same key was refused.
    """
    last: Answered | None = None
    for record in records:
        position += 1
        event = record.event
        if isinstance(event, AwaitingChanged):
            phase = event.phase
        if isinstance(event, ActionReceived):
            last = Answered(record.at, event.fingerprint, position, position, phase=phase)
            if event.key is not None:
                answers.setdefault((event.seat, event.key), last)
            continue
        if last is None:
            continue
        if isinstance(event, ActionRefused | SubmissionInvalid):
            last.code = event.code
            last.refused = isinstance(event, ActionRefused)
        elif is_input(event):
            last = None
            continue
        last.end = position
