"""Any position of a match, for any audience."""

from collections.abc import Iterable
from itertools import islice

from domain.events import Event, Record
from projections.audience import AudienceState, see
from projections.disclosure import Viewer
from projections.lines import disclosed


def state_at(
    viewer: Viewer, records: Iterable[Record[Event]], seq: int | None
) -> AudienceState | None:
    """What the audience knew after its first `seq` events, by default after all of them.

    None if it has not come so far.
    """
    visible = islice(disclosed(viewer, records), seq)
    state = see(AudienceState(viewer), (record for _, record in visible))
    return state if seq in (None, state.seq) else None
