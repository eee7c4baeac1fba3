"""The leaves of a log, those of them that are sealed, and who may have their openings."""

from domain.events import PUBLIC
from projections.audience.disclosure import MODERATOR, Viewer
from projections.evidence.bundle import MatchLog, spelt_opening
from projections.evidence.subject_records import opens


def sealed(log: MatchLog) -> list[int]:
    """The indexes of the private events of a log."""
    return [index for index, one in enumerate(log.records) if one.event.audience != PUBLIC]


def lines(log: MatchLog, audience: Viewer = MODERATOR) -> dict[str, bytes]:
    """The leaves of a log, and the openings that an audience may have."""
    records, created = log.records, log.created
    seen = [index for index in sealed(log) if opens(audience, created, records[index].event)]
    return {
        "leaves": b"".join(leaf + b"\n" for leaf in log.leaves()),
        "openings": b"".join(spelt_opening(log.opening(index)) for index in seen),
    }
