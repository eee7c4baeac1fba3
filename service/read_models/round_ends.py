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
            return before | _named(RoundEnd(event.stage, event.round, None, ends, at))
        case RoundExtended(stage, number, ends, _, tables):
            if isinstance(tables, UnsetType):
                kept = _without(before, stage, number)
                return kept | _named(RoundEnd(stage, number, None, ends, at))
            more = (RoundEnd(stage, number, table, ends, at) for table in tables)
            return before | _named(*more)
        case RoundClosed(stage, number) | RoundWithdrawn(stage, number):
            return _without(before, stage, number)
        case EndsMoved(begun, ended):
            return {name: _moved(end, begun, ended) for name, end in before.items()}
    return before


def _named(*ends: RoundEnd) -> dict[str, RoundEnd]:
    return {end.name: end for end in ends}


def _without(before: RoundEnds, stage: int, number: int) -> dict[str, RoundEnd]:
    """The ends but for those of a round."""
    return {name: end for name, end in before.items() if (end.stage, end.round) != (stage, number)}


def _moved(end: RoundEnd, begun: Instant, ended: Instant) -> RoundEnd:
    return end if end.at <= begun else replace(end, at=later(end.at, ended - begun), since=ended)
