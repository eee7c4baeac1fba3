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
    told = islice(disclosed(viewer, records), seq)
    sight = see(AudienceState(viewer), (record for _, record in told))
    return sight if seq in (None, sight.seq) else None
