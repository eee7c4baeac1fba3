"""The rulings of a match as one audience sees them: a fold of its own events and nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event, Record, stored_name
from domain.game import Result
from domain.match.events import (
    DeadlineSet,
    Directed,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    makes_over,
)
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    ConsentAsked,
    ConsentClosed,
    MatchConfirmed,
    MatchRewound,
    MatchRuled,
    MatchVoided,
    Noted,
    ResultRuled,
    RewindOrdered,
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
from domain.rulings.kinds import AnyRuling, Because, KindName, kind_of
from domain.rulings.state import audience_of
from projections.audience.lines import OwnNumber, data_of, same_number
from projections.fields import (
    Appeals,
    Asker,
    ReplacedBy,
    Replaces,
    Rule,
    Successor,
    Timestamp,
    rfc3339,
)

RulingStatus = Literal["pending", "carried_out", "withdrawn", "lapsed", "closed"]


class Effect(Struct, frozen=True):
    """An event that a ruling gave, as in the audience's lines."""

    type: str
    data: dict[str, Any]


class RulingShown(Struct, frozen=True, kw_only=True):
    """A ruling. `ruling` is its id, null for readers who never got it; `n` counts the public
    ones that were carried out. A pending ruling that a seat was asked about is `closed` for it when
    it is given up. `to` is `public`, `seat:N` or `sealed`; `asker` is the seat that asks for it, if
    one does. What a seat is asked about has the fields of the request that all would see once it is
    carried out: `before` is the event before which the match would go on, in the seat's own
    numbers.

    `by` is who proposed it and who carried it out (null for a key without a name): for moderators
    and organisers, of a public one for everyone once the record is open. What follows is for
    moderators and organisers: the case, what it orders, which seats of those asked have
    consented, when it was proposed if it needed another person, and when it lapses if no one comes.
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
    asker: Asker = UNSET
    before: int | UnsetType = UNSET
    result: Annotated[
        Result | UnsetType, Meta(description="The result with which the match would end")
    ] = UNSET
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


class SeenRulings:
    """Rulings as someone sees them, in the order in which they learned of them: of a match, or of a
    tournament. `kind` is the Struct of one. `open` is the place of the one that the last record was
    about, None if it was about none. A ruling that was pending keeps what its fields `kept` say
    once it is carried out."""

    def __init__(self, kind: type[Struct], lasting: Sequence[str]) -> None:
        self.rulings: list[Any] = []
        self.open: int | None = None
        self._kind = kind
        self._lasting = lasting
        self._places: dict[str, int] = {}

    def place(self, ruling: str) -> int | None:
        """The place of the ruling of this id, if the reader was told of it."""
        return self._places.get(ruling)

    def put(self, place: int, ruling: Any) -> None:
        """Shows a ruling as it is now; what follows is about it."""
        self.rulings[place], self.open = ruling, place
        if ruling.ruling is not None:
            self._places[ruling.ruling] = place

    def add_ruling(self, record: Record[Any], **fields: Any) -> None:
        """Shows one more ruling, of which the reader learns by this record."""
        event = record.event
        texts = {name: getattr(event, name, None) for name in ("reason", "rule", "appeals")}
        usual = {"ruling": None, "n": None, "at": rfc3339(record.at), **texts}
        self.rulings.append(None)
        self.put(len(self.rulings) - 1, self._kind(**{**usual, **fields}))

    def add_proposed(self, record: Record[Any], **fields: Any) -> None:
        """Shows one more ruling, which is proposed by this record."""
        event = record.event
        at, lapses = rfc3339(record.at), rfc3339(event.lapses)
        times = {"proposed": at, "lapses": lapses}
        self.add_ruling(
            record, ruling=event.id, status="pending", case=event.case, **times, **fields
        )

    def change(self, place: int | None, **fields: Any) -> None:
        """Shows the ruling at a place with these fields, if there is one."""
        if place is not None:
            self.put(place, replace(self.rulings[place], **fields))

    def carried_out(self, ruling: str, **fields: Any) -> None:
        """The last ruling has this id: it stands where it was proposed, if it was pending."""
        place, last = self.place(ruling), len(self.rulings) - 1
        self.change(last, ruling=ruling, **fields)
        if place is None:
            return
        pending, latest = self.rulings[place], self.rulings.pop()
        by = pending.by if latest.by is UNSET else (*(pending.by or ()), *(latest.by or ()))
        self.put(place, latest)
        self.change(place, by=by, **{name: getattr(pending, name) for name in self._lasting})


def directed(listing: SeenRulings, record: Record[Any]) -> None:
    """Who proposed a ruling, or who carried it out."""
    if listing.open is None:
        return
    people = {"by": (*(listing.rulings[listing.open].by or ()), record.event.by)}
    if record.event.giver is not UNSET and listing.rulings[listing.open].asker is UNSET:
        people["asker"] = record.event.giver
    listing.change(listing.open, **people)


def given_up(listing: SeenRulings, record: Record[Any]) -> None:
    """A pending ruling is not pending any more: who gave it up is not shown."""
    status = "lapsed" if isinstance(record.event, RulingLapsed) else "withdrawn"
    listing.change(listing.place(record.event.id), status=status, lapses=UNSET)
    listing.open = None


def ordered(listing: SeenRulings, record: Record[Any]) -> None:
    """The ruling that is carried out has this id."""
    event = record.event
    listing.carried_out(event.id, case=event.case, ordered=ordered_fields(event.ruling))


class RulingsSeen(SeenRulings):
    """The rulings of a match that an audience sees. `own` gives the audience's numbers of events.
    `open` is None in a batch that is about no ruling. One more record costs as much however many
    there were."""

    def __init__(self) -> None:
        super().__init__(RulingShown, ("consents", "proposed", "asker"))
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


def _ruled(listing: RulingsSeen, record: Record[Any]) -> None:
    event: Ruled = record.event
    n, to = (event.n, "public") if isinstance(event, MatchRuled) else (None, "sealed")
    to = f"seat:{event.seat}" if isinstance(event, SeatRuled) else to
    listing.add_ruling(record, n=n, kind=event.kind, status="carried_out", to=to)


def _proposed(listing: RulingsSeen, record: Record[Any]) -> None:
    event: RulingProposed = record.event
    listing.add_proposed(
        record,
        kind=kind_of(event.ruling),
        to=audience_of(event.ruling),
        by=(),
        ordered=ordered_fields(event.ruling),
        consents=() if event.ask_seats else UNSET,
    )


ASKED = ("asker", "result", "because", "name", "replaced_by")
"""What a seat is asked about has these fields under the same names."""


def _asked(listing: RulingsSeen, record: Record[Any]) -> None:
    """A seat learns of a pending ruling; moderators know it already."""
    event: ConsentAsked = record.event
    if listing.place(event.id) is None:
        before = UNSET if isinstance(event.before, UnsetType) else listing.own(event.before)
        fields = {name: getattr(event, name) for name in ASKED}
        listing.add_ruling(
            record,
            ruling=event.id,
            kind=event.kind,
            status="pending",
            to="public",
            rule=event.rule or None,
            seat=event.replaces,
            before=before,
            **fields,
        )


def _consented(listing: RulingsSeen, record: Record[Any]) -> None:
    event: RulingConsented = record.event
    place = listing.place(event.id)
    if place is not None:
        consents = listing.rulings[place].consents or ()
        listing.change(place, consents=(*consents, event.giver))


def _closed(listing: RulingsSeen, record: Record[Any]) -> None:
    """A seat learns that what it was asked about is not pending any more: right behind a ruling it
    is that one, which is carried out."""
    event: ConsentClosed = record.event
    place = listing.place(event.id)
    if place is None or listing.rulings[place].status != "pending":
        return
    open_ruling = None if listing.open is None else listing.rulings[listing.open]
    if open_ruling is not None and open_ruling.status == "carried_out" and not open_ruling.effects:
        listing.carried_out(event.id)
    else:
        listing.change(place, status="closed")


def _effect(listing: RulingsSeen, record: Record[Any]) -> None:
    if listing.open is not None:
        event: Event = record.event
        effect = Effect(stored_name(type(event)), data_of(event, listing.own))
        listing.change(listing.open, effects=(*listing.rulings[listing.open].effects, effect))


def _ended(listing: RulingsSeen, record: Record[Any]) -> None:
    """Nothing is pending in a match that is over. A seat is not told why."""
    if not makes_over(record.event):
        return
    for ruling in listing.rulings:
        if ruling.status == "pending":
            status = "closed" if ruling.proposed is UNSET else "lapsed"
            listing.change(listing.place(ruling.ruling), status=status, lapses=UNSET)


def _effect_at_end(listing: RulingsSeen, record: Record[Any]) -> None:
    _effect(listing, record)
    _ended(listing, record)


def ordered_fields(ruling: AnyRuling) -> dict[str, Any]:
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
    Directed: directed,
    RulingOrdered: ordered,
    RulingConsented: _consented,
    RulingWithdrawn: given_up,
    RulingLapsed: given_up,
    ConsentClosed: _closed,
    **dict.fromkeys(EFFECTS, _effect),
    **dict.fromkeys((MatchVoided, MatchConfirmed), _effect_at_end),
    MatchEnded: _ended,
}
