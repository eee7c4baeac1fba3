"""The rulings of a tournament as a reader sees them: a fold of what they may see, nothing else."""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.events import PUBLIC, Event, Record
from domain.game import Result
from domain.match.batches import batches
from domain.rulings.kinds import Correction, CorrectionName
from domain.tournament.events import (
    MatchCorrected,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from projections.fields import Appeals, Rule
from projections.rulings.match_rulings import SeenRulings, directed, given_up
from projections.texts.timestamps import Timestamp


class CorrectionShown(Struct, frozen=True, kw_only=True):
    """A correction of `match`: with `result` it counts, with null it does not. `ruling` is its id,
    null for those who were never told it; `n` counts those carried out.

    What follows `appeals` is for organisers and the moderators of the match: who proposed it and
    who carried it out (null for a key without a name), the case, when it was proposed if it needed
    a second person, and when it lapses if no one comes.
    """

    ruling: str | None
    n: int | None
    kind: CorrectionName
    match: str
    result: Result | None
    status: Literal["pending", "carried_out", "withdrawn", "lapsed"]
    at: Timestamp
    reason: str
    rule: Rule
    appeals: Appeals
    by: Annotated[
        tuple[str | None, ...] | UnsetType,
        Meta(description="Who proposed it, and who carried it out; null for a key without a name"),
    ] = UNSET
    case: str | UnsetType | None = UNSET
    proposed: Timestamp | UnsetType = UNSET
    lapses: Timestamp | UnsetType = UNSET


def of_matches(
    records: Iterable[Record[Event]], matches: frozenset[str]
) -> Iterable[Record[Event]]:
    """The records that a moderator of these matches may see: what is public, and all that is about
    a ruling on one of them."""
    about: dict[str, str] = {}
    for batch in batches(records):
        begun = batch[0].event
        if isinstance(begun, TournamentRulingProposed):
            about[begun.id] = begun.ruling.match
        match = _match_of(begun, about)
        yield from (one for one in batch if one.event.audience == PUBLIC or match in matches)


def _match_of(begun: Event, about: Mapping[str, str]) -> str | None:
    """The match about which an input is, and all that follows from it."""
    match begun:
        case TournamentRuled():
            return begun.match
        case TournamentRulingProposed():
            return begun.ruling.match
        case TournamentRulingWithdrawn() | TournamentRulingLapsed():
            return about.get(begun.id)
    return None


def corrections(records: Iterable[Record[Event]]) -> list[CorrectionShown]:
    """The rulings that someone sees who may see these records, in the order in which they learned
    of them."""
    seen = SeenRulings(CorrectionShown, ("proposed",))
    for record in records:
        _SEERS[type(record.event)](seen, record)
    return seen.rulings


def _ruled(seen: SeenRulings, record: Record[Any]) -> None:
    event: TournamentRuled = record.event
    about = {"kind": event.kind, "match": event.match, "result": None}
    seen.add_ruling(record, n=event.n, status="carried_out", **about)


def _proposed(seen: SeenRulings, record: Record[Any]) -> None:
    ruling: Correction = record.event.ruling
    seen.add_proposed(record, kind="correct", match=ruling.match, result=ruling.result)


def _ordered(seen: SeenRulings, record: Record[Any]) -> None:
    event: TournamentRulingOrdered = record.event
    seen.carried_out(event.id, case=event.case)


def _corrected(seen: SeenRulings, record: Record[Any]) -> None:
    seen.change(seen.open, result=record.event.result)


_SEERS: Mapping[type[Event], Callable[[SeenRulings, Record[Any]], None]] = {
    TournamentRuled: _ruled,
    TournamentDirected: directed,
    TournamentRulingOrdered: _ordered,
    TournamentRulingProposed: _proposed,
    TournamentRulingWithdrawn: given_up,
    TournamentRulingLapsed: given_up,
    MatchCorrected: _corrected,
}
