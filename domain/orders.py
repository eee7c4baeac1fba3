"""Orders: the inputs of moderators and organisers. Right behind each stands who gave it
(/docs/api#people-and-keys)."""

from collections.abc import Sequence
from typing import get_args

from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Event, Record
from domain.key_events import KeyEvent
from domain.match_events import (
    Directed,
    DrawRefused,
    DrawSettled,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.ruling_events import Ruled, RulingProposed, RulingWithdrawn

UNDIRECTED = "match.directed.1 should stand right behind it, and does not"

_ALWAYS = (
    MatchStarted,
    DrawRefused,
    PhaseClosed,
    RulingProposed,
    RulingWithdrawn,
    *get_args(KeyEvent),
    *get_args(Ruled),
)


def is_order(record: Record[Event]) -> bool:
    """Whether the event is an input that only a moderator or an organiser gives."""
    event = record.event
    if record.back:
        return False
    if isinstance(event, DrawSettled | SealedDrawSettled):
        return event.by == "manual"
    if isinstance(event, MatchCaseOpened):
        return not event.by_seat
    if isinstance(event, MatchCaseClosed):
        return event.ruling is None
    return isinstance(event, _ALWAYS)


def undirected(records: Sequence[Record[Event] | None]) -> int | None:
    """The index of the first order behind which nobody is named. In place of what cannot be read
    stands None: it may name somebody."""
    for index, record in enumerate(records):
        if record is not None and is_order(record):
            behind = records[index + 1 : index + 2]
            if not behind or not _may_direct(behind[0]):
                return index
    return None


def _may_direct(record: Record[Event] | None) -> bool:
    return record is None or (record.back == 1 and isinstance(record.event, Directed))
