"""What is on the record of rulings. The tags are the storage format (/docs/rulings#the-kinds).

A ruling that is carried out is `Ruled` for its audience, then who gave it (`match.directed.1`),
then `RulingOrdered` for moderators, then its effect, all in one batch.
"""

from msgspec import UNSET, UnsetType

from domain.events import Instant, Position, PublicEvent, SealedEvent, SeatEvent
from domain.game import Result
from domain.rulings.kinds import Because, Change, KindName, Reapply, Ruling, Severity


class MatchRuled(PublicEvent, frozen=True, tag="match.ruled.1"):
    """A ruling is carried out, for a `reason`; its effect follows. `n` counts the public ones.

    `rule` is the rule of the game or of the event to which it refers, `appeals` the id of the
    ruling about which it decides.
    """

    n: int
    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class SeatRuled(SeatEvent, frozen=True, tag="match.seat-ruled.1"):
    """A ruling for one seat alone: a note to it. It has no number, because that would count
    what is hidden."""

    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class SealedRuled(SealedEvent, frozen=True, tag="match.sealed-ruled.1"):
    """A ruling for moderators alone."""

    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class RulingOrdered(SealedEvent, frozen=True, tag="match.ruling-ordered.1"):
    """The ruling just before, as it was given: its `id`, what it orders, and the `case` that it
    closes. The id was known since its first answer, so it is no secret of the moderators; what is
    ordered is in the effect."""

    id: str
    ruling: Ruling
    case: str | None


class RulingProposed(SealedEvent, frozen=True, tag="match.ruling-proposed.1"):
    """A ruling waits for a second person or, with `ask_seats`, for the consent of every seat; one
    for which a seat asks, for that of all others and then for a moderator, if there is one. It
    expires at `lapses`."""

    id: str
    ruling: Ruling
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    ask_seats: bool
    lapses: Instant


class RulingWithdrawn(SealedEvent, frozen=True, tag="match.ruling-withdrawn.1"):
    """A pending ruling was withdrawn by a moderator or an organiser, or by the seat that asked for
    it."""

    id: str


class RulingLapsed(SealedEvent, frozen=True, tag="match.ruling-lapsed.1"):
    """A pending ruling has expired; its record has the instant of that. Or it cannot be carried out
    any more because of the input from which this follows."""

    id: str


class RulingConsented(SealedEvent, frozen=True, tag="match.ruling-consented.1"):
    """The seat `giver` consents to a pending ruling. Only moderators see this."""

    id: str
    giver: int


class ConsentAsked(SeatEvent, frozen=True, tag="match.consent-asked.1"):
    """Every seat is asked for its consent to the pending ruling `id`, and sees of it what all would
    see once it is carried out. Of a rewind it has the event before which the match would go on, of
    a seat that another person takes over `replaces` and their `name`. `asker` is the seat that asks
    for it, unless a moderator does; that one has consented."""

    id: str
    kind: KindName
    reason: str
    before: Position | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    result: Result | UnsetType = UNSET
    because: Because | UnsetType = UNSET
    replaces: int | UnsetType = UNSET
    name: str | UnsetType = UNSET
    replaced_by: str | UnsetType = UNSET
    asker: int | UnsetType = UNSET


class ConsentClosed(SeatEvent, frozen=True, tag="match.consent-closed.1"):
    """The ruling `id` is no longer pending: every seat that was asked gets this."""

    id: str


class SeatReplaced(PublicEvent, frozen=True, tag="match.seat-replaced.1"):
    """Another person has the seat from here on; `match.seat-named.1` says who."""

    seat: int


class ResultRuled(PublicEvent, frozen=True, tag="match.result-ruled.1"):
    """The match ends with a result that its rules did not give; `match.ended.1` follows."""

    result: Result
    because: Because


class MatchVoided(PublicEvent, frozen=True, tag="match.voided.1"):
    """The match counts for nothing, and is over; `replaced_by` is the match played instead."""

    replaced_by: str | None


class MatchConfirmed(PublicEvent, frozen=True, tag="match.confirmed.1"):
    """The result is final, and the match is over: an organiser has ruled so, or the protest window
    has ended; then its record has the instant of that."""


class PublicNoted(PublicEvent, frozen=True, tag="match.noted.1"):
    """A public note."""

    text: str
    severity: Severity


class SeatNoted(SeatEvent, frozen=True, tag="match.seat-noted.1"):
    """A note for one seat alone."""

    text: str
    severity: Severity


class SealedNoted(SealedEvent, frozen=True, tag="match.sealed-noted.1"):
    """A note for moderators alone."""

    text: str
    severity: Severity


class MatchRewound(PublicEvent, frozen=True, tag="match.rewound.1"):
    """All from the event `before` on is undone, save what is of no branch
    (/docs/rulings#going-back). `branch` counts all rewinds of the match."""

    branch: int
    before: Position


class RewindOrdered(SealedEvent, frozen=True, tag="match.rewind-ordered.1"):
    """What else the ruling ordered: what is changed, and whether later inputs are judged again."""

    changes: tuple[Change, ...]
    reapply: Reapply


class ActionStruck(SeatEvent, frozen=True, tag="match.struck.1"):
    """The seat's action `of` is struck."""

    of: Position


class ActionAdmitted(SeatEvent, frozen=True, tag="match.admitted.1"):
    """The seat's action `of`, which came too late or did not count, counts; what follows from it
    follows."""

    of: Position


class PublicReapplied(PublicEvent, frozen=True, tag="match.reapplied.1"):
    """The input `of` is judged again after a rewind; its consequences follow."""

    of: Position


class SeatReapplied(SeatEvent, frozen=True, tag="match.seat-reapplied.1"):
    """A seat's action `of` is judged again after a rewind."""

    of: Position


class SealedReapplied(SealedEvent, frozen=True, tag="match.sealed-reapplied.1"):
    """A draw `of` that only moderators see is judged again after a rewind."""

    of: Position


Reapplied = PublicReapplied | SeatReapplied | SealedReapplied

AGAIN = (PublicReapplied, SeatReapplied, SealedReapplied, ActionAdmitted)
"""The events by which an input is given again."""

RewindEvent = MatchRewound | RewindOrdered | ActionStruck | ActionAdmitted | Reapplied


Ruled = MatchRuled | SeatRuled | SealedRuled
Noted = PublicNoted | SeatNoted | SealedNoted
RulingEvent = (
    Ruled
    | RulingOrdered
    | RulingProposed
    | RulingWithdrawn
    | RulingLapsed
    | RulingConsented
    | ConsentAsked
    | ConsentClosed
    | SeatReplaced
    | ResultRuled
    | MatchVoided
    | MatchConfirmed
    | Noted
)
