"""When the open rounds of a tournament end, as the index keeps it."""

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event, Instant, later
from domain.tournament.stage_events import (
    EndsMoved,
    RoundClosed,
    RoundExtended,
    RoundPublished,
    RoundWithdrawn,
)


class RoundEnd(Struct, frozen=True):
    """When an open round ends, or one `table` of it that may last longer, and since when that
    stands."""

    stage: int
    round: int
    table: int | None
    at: Instant
    since: Instant

    @property
    def name(self) -> str:
        """What tells it from all others of its tournament."""
        return f"{self.stage} {self.round} {self.table or ''}"


RoundEnds = dict[str, RoundEnd]
"""The ends of a tournament, by their names."""


def ends_after(before: RoundEnds, event: Event, at: Instant) -> RoundEnds:
    """The ends after an event of this instant."""
    match event:
        case RoundPublished(ends=int(ends)):
            return before | _by_name(RoundEnd(event.stage, event.round, None, ends, at))
        case RoundExtended(stage, number, ends, _, tables):
            if isinstance(tables, UnsetType):
                rest = _without(before, stage, number)
                return rest | _by_name(RoundEnd(stage, number, None, ends, at))
            more = (RoundEnd(stage, number, table, ends, at) for table in tables)
            return before | _by_name(*more)
        case RoundClosed(stage, number) | RoundWithdrawn(stage, number):
            return _without(before, stage, number)
        case EndsMoved(start, end_):
            return {name: _move(end, start, end_) for name, end in before.items()}
    return before


def _by_name(*ends: RoundEnd) -> dict[str, RoundEnd]:
    return {end.name: end for end in ends}


def _without(before: RoundEnds, stage: int, number: int) -> dict[str, RoundEnd]:
    """The ends but for those of a round."""
    return {name: end for name, end in before.items() if (end.stage, end.round) != (stage, number)}


def _move(end: RoundEnd, start: Instant, until: Instant) -> RoundEnd:
    return end if end.at <= start else replace(end, at=later(end.at, until - start), since=until)
