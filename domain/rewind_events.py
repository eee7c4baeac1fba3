"""What is on record of rewinds. The tags are the storage format (/docs/rulings#going-back).

Positions count all events of the match from 1, as moderators do. On the wire each reader is given
its own number instead.
"""

from typing import ClassVar

from domain.events import OWN_SEAT, PUBLIC, SEALED, Event, Position
from domain.ruling_kinds import Change, Reapply


class MatchRewound(Event, frozen=True, gc=False, tag="match.rewound.1"):
    """All from the event `before` on is undone, save what is of no branch (`domain.live`). `branch`
    counts all rewinds of the match."""

    audience: ClassVar = PUBLIC
    branch: int
    before: Position


class RewindOrdered(Event, frozen=True, gc=False, tag="match.rewind-ordered.1"):
    """What else the ruling ordered: what is changed, and whether later inputs are judged again."""

    audience: ClassVar = SEALED
    changes: tuple[Change, ...]
    reapply: Reapply


class ActionStruck(Event, frozen=True, gc=False, tag="match.struck.1"):
    """The seat's action `of` shall not have been."""

    audience: ClassVar = OWN_SEAT
    seat: int
    of: Position


class ActionAdmitted(Event, frozen=True, gc=False, tag="match.admitted.1"):
    """The seat's action `of`, which came too late or did not count, counts; what follows from it
    follows."""

    audience: ClassVar = OWN_SEAT
    seat: int
    of: Position


class PublicReapplied(Event, frozen=True, gc=False, tag="match.reapplied.1"):
    """The input `of` is judged again after a rewind; its consequences follow."""

    audience: ClassVar = PUBLIC
    of: Position


class SeatReapplied(Event, frozen=True, gc=False, tag="match.seat-reapplied.1"):
    """A seat's action `of` is judged again after a rewind."""

    audience: ClassVar = OWN_SEAT
    seat: int
    of: Position


class SealedReapplied(Event, frozen=True, gc=False, tag="match.sealed-reapplied.1"):
    """A draw `of` that only moderators see is judged again after a rewind."""

    audience: ClassVar = SEALED
    of: Position


Reapplied = PublicReapplied | SeatReapplied | SealedReapplied

AGAIN = (PublicReapplied, SeatReapplied, SealedReapplied, ActionAdmitted)
"""The events by which an input is given again."""

RewindEvent = MatchRewound | RewindOrdered | ActionStruck | ActionAdmitted | Reapplied
