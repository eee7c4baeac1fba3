"""Any position of a match, for any audience."""

from collections.abc import Iterable

from domain.events import Event, Record
from projections.audience import AudienceState, see_live
from projections.disclosure import Viewer, may_see


def state_of(
    viewer: Viewer, numbered: Iterable[tuple[int, Record[Event]]], seq: int | None
) -> AudienceState | None:
    """What the audience knew after its first `seq` events, by default after all of them; None if it
    has not come so far. The records, with their positions, are all that it may see, at least."""
    own = [(n, r) for n, r in numbered if may_see(viewer, r.event)][:seq]
    state = see_live(viewer, [n for n, _ in own], [r for _, r in own])
    return state if seq in (None, state.seq) else None
