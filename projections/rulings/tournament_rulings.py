"""The rulings of a tournament as a reader sees them: a fold of what they may see, nothing else."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.events import PUBLIC, Event, Record, batches, stored_name
from domain.game import Result
from domain.rulings.kinds import Because, Correction, EveryKind, tournament_kind_of
from domain.rulings.state import match_of
from domain.tournament.events import (
    MatchCorrected,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingEvent,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from projections.audience.lines import data_of, same_number
from projections.fields import Appeals, Asker, ReplacedBy, Replaces, Rule, Successor, Timestamp
from projections.rulings.match_rulings import (
    RulingStatus,
    SeenRulings,
    directed,
    given_up,
    ordered,
    ordered_fields,
)


class TournamentEffect(Struct, frozen=True):
    """A public event of the tournament that a ruling gave, or an event of a match as its reader
    sees it."""

    type: str
    data: dict[str, Any]


class TournamentRulingShown(Struct, frozen=True, kw_only=True):
    """A ruling on `match`, or with null on the whole tournament. A correction has the `result` with
    which the match counts, or null for one that does not count. `ruling` is its id, null for
    readers who never got it; `n` counts those carried out; `effects` are the public events that it
    gave. A ruling in the match itself is as the match lists it, with `to`, `consents`, `before` and
    what else a seat is asked about, and `n` counts those of the match.

    `by` is who proposed it and who carried it out (null for a key without a name): for organisers
    and for moderators who could second it; of a ruling in a match for everyone once its record is
    open. What follows is for them alone: the case, what it orders, when it was proposed if it
    needed a second person, and when it lapses if no one comes.
    """

    ruling: str | None
    n: int | None
    kind: EveryKind
    match: str | None
    result: Result | None = None
    status: RulingStatus
    at: Timestamp
    reason: str
    rule: Rule
    appeals: Appeals
    effects: tuple[TournamentEffect, ...] = ()
    to: str | UnsetType = UNSET
    asker: Asker = UNSET
    before: int | UnsetType = UNSET
    because: Because | UnsetType = UNSET
    seat: Replaces = UNSET
    name: Successor = UNSET
    replaced_by: ReplacedBy = UNSET
    by: Annotated[
        tuple[str | None, ...] | UnsetType,
        Meta(description="Who proposed it, and who carried it out; null for a key without a name"),
    ] = UNSET
    case: str | UnsetType | None = UNSET
    ordered: Annotated[
        dict[str, Any] | UnsetType, Meta(description="What it orders, by its `kind`")
    ] = UNSET
    consents: Annotated[
        tuple[int, ...] | UnsetType, Meta(description="The seats that have consented")
    ] = UNSET
    proposed: Timestamp | UnsetType = UNSET
    lapses: Timestamp | UnsetType = UNSET


class Sight(NamedTuple):
    """Which rulings someone sees besides what is public: those on these `matches`, on all if they
    are None, and those on the `whole` tournament."""

    matches: frozenset[str] | None = frozenset()
    whole: bool = False

    def covers(self, match: str | None) -> bool:
        """Whether they see a ruling on this match, or on the whole tournament."""
        if match is None:
            return self.whole
        return self.matches is None or match in self.matches


EVERYTHING, PUBLIC_ONLY = Sight(None, whole=True), Sight()


def of_rulings(records: Iterable[Record[Event]]) -> Iterator[Record[Event]]:
    """The records of rulings among these, with what they gave in public."""
    for batch in batches(records):
        if isinstance(batch[0].event, TournamentRulingEvent):
            yield from (
                record
                for record in batch
                if record.event.audience == PUBLIC
                or isinstance(record.event, TournamentRulingEvent)
            )


def visible(records: Iterable[Record[Event]], sight: Sight) -> Iterable[Record[Event]]:
    """The records that someone may see: what is public, and all that is about a ruling that they
    see."""
    about: dict[str, str | None] = {}
    for batch in batches(records):
        first = batch[0].event
        if isinstance(first, TournamentRulingProposed):
            about[first.id] = match_of(first.ruling)
        may_see_all = sight.covers(_match_of(first, about))
        yield from (record for record in batch if may_see_all or record.event.audience == PUBLIC)


def _match_of(first: Event, about: Mapping[str, str | None]) -> str | None:
    """The match about which an input is, and all that follows from it."""
    match first:
        case TournamentRuled():
            return first.match
        case TournamentRulingProposed() | TournamentRulingWithdrawn() | TournamentRulingLapsed():
            return about[first.id]
    return None


def tournament_rulings(records: Iterable[Record[Event]]) -> list[TournamentRulingShown]:
    """The rulings that someone sees who may see these records, in the order in which they learned
    of them."""
    listing = SeenRulings(TournamentRulingShown, ("proposed",))
    for batch in batches(records):
        listing.open = None
        for record in batch:
            _SEERS.get(type(record.event), _effect)(listing, record)
    return listing.rulings


def _ruled(listing: SeenRulings, record: Record[Any]) -> None:
    event: TournamentRuled = record.event
    listing.add_ruling(record, n=event.n, status="carried_out", kind=event.kind, match=event.match)


def _proposed(listing: SeenRulings, record: Record[Any]) -> None:
    ruling = record.event.ruling
    result = ruling.result if isinstance(ruling, Correction) else None
    kind, match = tournament_kind_of(ruling), match_of(ruling)
    fields = ordered_fields(ruling)
    listing.add_proposed(record, kind=kind, match=match, result=result, ordered=fields)


def _effect(listing: SeenRulings, record: Record[Any]) -> None:
    if listing.open is None:
        return
    event: Event = record.event
    effect = TournamentEffect(stored_name(type(event)), data_of(event, same_number))
    fields: dict[str, Any] = {"effects": (*listing.rulings[listing.open].effects, effect)}
    if isinstance(event, MatchCorrected):
        fields["result"] = event.result
    listing.change(listing.open, **fields)


_SEERS: Mapping[type[Event], Callable[[SeenRulings, Record[Any]], None]] = {
    TournamentRuled: _ruled,
    TournamentDirected: directed,
    TournamentRulingOrdered: ordered,
    TournamentRulingProposed: _proposed,
    TournamentRulingWithdrawn: given_up,
    TournamentRulingLapsed: given_up,
}
