"""Events in which nobody did anything: what the service records for its own order."""

from domain.events import Event
from domain.match_events import (
    AwaitingChanged,
    Directed,
    DrawAsked,
    NameSalted,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)
from domain.rewind_events import RewindOrdered


def is_housekeeping(event: Event) -> bool:
    """Whether an audit folds the event away: it follows from others, or serves their proof."""
    return type(event) in HOUSEKEEPING


HOUSEKEEPING: frozenset[type[Event]] = frozenset(
    {
        AwaitingChanged,
        Directed,
        DrawAsked,
        NameSalted,
        RewindOrdered,
        SealedSeedRevealed,
        SeedCommitted,
        SeedRevealed,
        SeedSealed,
    }
)
