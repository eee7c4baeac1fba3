"""The rulings of a match as one audience sees them: a fold of its own events and nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event, Record, stored_name
from domain.match_events import DeadlineSet, Directed, MatchPaused, MatchResumed
from domain.rewind_events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    RewindOrdered,
)
from domain.ruling_events import (
    ConsentAsked,
    ConsentClosed,
    MatchConfirmed,
    MatchRuled,
    MatchVoided,
    Noted,
    ResultRuled,
    Ruled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatReplaced,
    SeatRuled,
)
from domain.ruling_kinds import KindName, Ruling, kind_of
from domain.ruling_state import audience_of
from projections.fields import Appeals, Rule
from projections.lines import OwnNumber, data_of, same_number
from projections.ruling_fold import Seen
from projections.timestamps import Timestamp, rfc3339

RulingStatus = Literal["pending", "carried_out", "withdrawn", "lapsed", "closed"]


class Effect(Struct, frozen=True):
    """An event that a ruling gave, as in the audience's lines."""

    type: str
    data: dict[str, Any]


class RulingShown(Struct, frozen=True, kw_only=True):
    """A ruling. `ruling` is its id, null for those who were never told it; `n` counts the public
    ones that were carried out. A pending ruling that a seat was asked about is `closed` for it when
    it is given up. `to` is `public`, `seat:N` or `sealed`; `before` is the event before which the
    match would go on, in the seat's own numbers.

    What follows `effects` is for moderators and organisers: who proposed it and who carried it out
    (null for a key without a name), the case, what it orders, which seats of those asked have
    consented, when it was proposed if it needed somebody else, and when it lapses if nobody comes.
    """

    ruling: str | None
    n: int | None
    kind: KindName
    status: RulingStatus
    to: str
    at: Timestamp
    reason: str
    rule: Rule
    appeals: Appeals
    effects: tuple[Effect, ...] = ()
    before: int | UnsetType = UNSET
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


class RulingsSeen(Seen[RulingShown]):
    """The rulings of a match that an audience sees. `own` gives the audience's numbers of events.
    `open` is None in a batch that is about no ruling. One more record costs as much however many
    there were."""

    def __init__(self) -> None:
        super().__init__(("consents", "proposed"))
        self.own: OwnNumber = same_number
        self._input = 0

    def add(self, positions: Sequence[int], records: Iterable[Record[Event]]) -> None:
        """Folds the audience's next events, at these positions. What a ruling gave belongs to it
        because it is of the same input."""
        for position, record in zip(positions, records, strict=True):
            handler = _SEERS.get(type(record.event))
            if handler is None:
                continue
            if self._input != position - record.back:
                self._input, self.open = position - record.back, None
            handler(self, record)


def rulings(
    positions: Sequence[int], records: Iterable[Record[Event]], own: OwnNumber = same_number
) -> list[RulingShown]:
    """The rulings that an audience sees, whose own events these are, at these positions; `own`
    gives its numbers of events."""
    seen = RulingsSeen()
    seen.own = own
    seen.add(positions, records)
    return seen.rulings


def _ruled(seen: RulingsSeen, record: Record[Any]) -> None:
    event: Ruled = record.event
    to = "public" if isinstance(event, MatchRuled) else "sealed"
    shown = RulingShown(
        ruling=None,
        n=event.n if isinstance(event, MatchRuled) else None,
        kind=event.kind,
        status="carried_out",
        to=f"seat:{event.seat}" if isinstance(event, SeatRuled) else to,
        at=rfc3339(record.at),
        reason=event.reason,
        rule=event.rule,
        appeals=event.appeals,
    )
    seen.append(shown)


def _proposed(seen: RulingsSeen, record: Record[Any]) -> None:
    event: RulingProposed = record.event
    shown = RulingShown(
        ruling=event.id,
        n=None,
        kind=kind_of(event.ruling),
        status="pending",
        to=audience_of(event.ruling),
        at=rfc3339(record.at),
        reason=event.reason,
        rule=event.rule,
        appeals=event.appeals,
        by=(),
        case=event.case,
        ordered=_fields(event.ruling),
        proposed=rfc3339(record.at),
        lapses=rfc3339(event.lapses),
    )
    seen.append(replace(shown, consents=()) if event.ask_seats else shown)


def _asked(seen: RulingsSeen, record: Record[Any]) -> None:
    """A seat learns of a pending ruling; moderators know it already."""
    event: ConsentAsked = record.event
    if seen.place(event.id) is not None:
        return
    shown = RulingShown(
        ruling=event.id,
        n=None,
        kind=event.kind,
        status="pending",
        to="public",
        at=rfc3339(record.at),
        reason=event.reason,
        rule=None,
        appeals=None,
        before=UNSET if isinstance(event.before, UnsetType) else seen.own(event.before),
    )
    seen.append(shown)


def _directed(seen: RulingsSeen, record: Record[Any]) -> None:
    seen.directed(record.event.by)


def _ordered(seen: RulingsSeen, record: Record[Any]) -> None:
    """The ruling that is carried out has this id."""
    event: RulingOrdered = record.event
    seen.carried_out(event.id, case=event.case, ordered=_fields(event.ruling))


def _consented(seen: RulingsSeen, record: Record[Any]) -> None:
    event: RulingConsented = record.event
    place = seen.place(event.id)
    if place is not None:
        given = seen.rulings[place].consents or ()
        seen.change(place, consents=(*given, event.giver))


def _given_up(seen: RulingsSeen, record: Record[Any]) -> None:
    event: RulingWithdrawn | RulingLapsed = record.event
    seen.given_up(event.id, "lapsed" if isinstance(event, RulingLapsed) else "withdrawn")


def _closed(seen: RulingsSeen, record: Record[Any]) -> None:
    """A seat learns that what it was asked about is not pending any more: with a ruling it is that
    one, which is carried out."""
    event: ConsentClosed = record.event
    place = seen.place(event.id)
    if place is None or seen.rulings[place].status != "pending":
        return
    if seen.open is not None and seen.rulings[seen.open].status == "carried_out":
        seen.carried_out(event.id)
    else:
        seen.change(place, status="closed")


def _effect(seen: RulingsSeen, record: Record[Any]) -> None:
    if seen.open is not None:
        event: Event = record.event
        effect = Effect(stored_name(type(event)), data_of(event, seen.own))
        seen.change(seen.open, effects=(*seen.rulings[seen.open].effects, effect))


def _fields(ruling: Ruling) -> dict[str, Any]:
    """What a ruling orders, as it was sent."""
    data: dict[str, Any] = msgspec.to_builtins(ruling)
    del data["kind"]
    if data.get("deadline") is not None:
        data["deadline"] = rfc3339(data["deadline"])
    return data


EFFECTS = (
    *(DeadlineSet, MatchPaused, MatchResumed),
    *(MatchRewound, RewindOrdered, ActionStruck, ActionAdmitted),
    *(SeatReplaced, ResultRuled, MatchVoided, MatchConfirmed, *get_args(Noted)),
)
"""The events that a ruling gives."""

_SEERS: Mapping[type[Event], Callable[[RulingsSeen, Record[Any]], None]] = {
    MatchRuled: _ruled,
    SeatRuled: _ruled,
    SealedRuled: _ruled,
    RulingProposed: _proposed,
    ConsentAsked: _asked,
    Directed: _directed,
    RulingOrdered: _ordered,
    RulingConsented: _consented,
    RulingWithdrawn: _given_up,
    RulingLapsed: _given_up,
    ConsentClosed: _closed,
    **dict.fromkeys(EFFECTS, _effect),
}
