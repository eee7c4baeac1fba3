"""What seats have submitted, and the receipt for each: a fold of the record."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from domain.events import PUBLIC, Event, Record, only_seat
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    SubmissionInvalid,
)
from domain.receipts import ACCEPTED, Receipt, status
from projections.instants import rfc3339


class Submission(Struct, frozen=True):
    """An action or a client seed: its place in the log, counted from 0, and what came of it."""

    index: int
    at: int
    event: ActionReceived | ClientSeedGiven
    count: int
    phase: str | None
    status: str


def submissions(numbered: Iterable[tuple[int, Record[Event]]]) -> Iterator[Submission]:
    """Every submission among the records, which come with their places in the log.

    What an audience is not shown may be left out: then the counts of other seats are too low.
    """
    public, own, phase = 0, Counter[int](), None
    waiting: Submission | None = None
    for index, record in numbered:
        event = record.event
        if waiting is not None:
            yield _judged(waiting, event)
            waiting = None
        if event.audience == PUBLIC:
            public += 1
        elif (seat := only_seat(event)) is not None:
            own[seat] += 1
        if isinstance(event, AwaitingChanged):
            phase = event.phase
        elif isinstance(event, ActionReceived):
            count = public + own[event.seat]
            waiting = Submission(index, record.at, event, count, phase, ACCEPTED)
        elif isinstance(event, ClientSeedGiven):
            count = public + own[event.seat]
            yield Submission(index, record.at, event, count, None, ACCEPTED)
    if waiting is not None:
        yield waiting


def _judged(waiting: Submission, event: Event) -> Submission:
    """The submission, with how it fared by what was recorded next."""
    if not isinstance(event, ActionRefused | SubmissionInvalid):
        return waiting
    said = status(event.code, refused=isinstance(event, ActionRefused))
    return Submission(waiting.index, waiting.at, waiting.event, waiting.count, waiting.phase, said)


def receipt(match_id: str, made: Submission, commitment: Callable[[int], bytes]) -> Receipt:
    """What is signed of a submission; `commitment` gives that of the event at an index."""
    event = made.event
    action = isinstance(event, ActionReceived)
    late = event.recorded if isinstance(event, ActionReceived) else None
    return Receipt(
        match_id,
        event.seat,
        made.count,
        made.phase if action else None,
        rfc3339(made.at),
        rfc3339(late if isinstance(late, int) else made.at),
        made.status,
        event.key if isinstance(event, ActionReceived) else None,
        commitment(made.index),
    )
