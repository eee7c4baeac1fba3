"""What is judged of a tournament, and how the events on its record differ from those that were
due."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

from msgspec.structs import replace

from domain.encoding import encode
from domain.events import Event, Numbered, Record, stored_name
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchReplaced,
    MatchSettled,
    ModeratorNamed,
    PlayerNamed,
)
from domain.tournament.stage_events import (
    CandidatesNamed,
    ImmuneNamed,
    LotsCommitted,
    LotsDrawn,
    LotsSeedGiven,
    PlayerEliminated,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    StageClosed,
    StageOpened,
    TournamentClosed,
)

Part = Literal["results", "lots", "pairings", "standings", "postings", "rules"]

PARTS: tuple[tuple[Part, tuple[type[Event], ...]], ...] = (
    (
        "results",
        (
            MatchSettled,
            MatchCorrected,
            MatchReplaced,
            ImmuneNamed,
            CandidatesNamed,
            PlayerEliminated,
        ),
    ),
    ("lots", (LotsCommitted, LotsDrawn, LotsSeedGiven)),
    ("pairings", (StageOpened, RoundPublished, RoundWithdrawn, RoundMatchCreated, MatchAdded)),
    ("standings", (RoundClosed, StageClosed, TournamentClosed)),
    ("postings", (GarnetsPosted,)),
)
"""What is judged of a tournament, and the events by which; `rules` are all others."""


class NotFollowing(Exception):
    """An event does not follow: where, why, and what is wrong with it."""

    def __init__(self, part: Part, index: int, why: str) -> None:
        super().__init__(f"event {index}: {why}")
        self.part = part


def part_of(event: Event) -> Part:
    """What an event is judged as."""
    return next((part for part, kinds in PARTS if isinstance(event, kinds)), "rules")


def require_same(due: Sequence[Event], batch: Sequence[Numbered]) -> None:
    """Raises NotFollowing unless these are the events that were due."""
    for due_event, actual in zip_longest(due, batch):
        if actual is None:
            raise _missing(due_event, batch[-1].number)
        event = actual.event
        if due_event is None:
            raise NotFollowing(part_of(event), actual.number, "nothing should follow here")
        if _encode_unblinded(due_event) != _encode_unblinded(event):
            part = part_of(event if type(event) is type(due_event) else due_event)
            raise NotFollowing(part, actual.number, _otherwise(due_event, event))


def _missing(due: Event, after: int) -> NotFollowing:
    """What is due, and does not follow."""
    name = stored_name(type(due))
    return NotFollowing(part_of(due), after, f"{name} should follow, and nothing does")


def _encode_unblinded(event: Event) -> bytes:
    """An event as it is stored, but for what blinds a name."""
    if isinstance(event, PlayerNamed | ModeratorNamed):
        event = replace(event, blind=b"")
    return encode(Record(0, 0, event))


def _otherwise(due_event: Event, actual: Event) -> str:
    """How an event differs from what was due."""
    due = stored_name(type(due_event))
    if type(actual) is not type(due_event):
        return f"{stored_name(type(actual))} stands where {due} is due"
    names = actual.__struct_fields__
    differing = [name for name in names if getattr(actual, name) != getattr(due_event, name)]
    return f"{due} is due otherwise ({', '.join(differing)})"
