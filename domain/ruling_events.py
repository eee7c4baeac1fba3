"""What is on the record of rulings. The tags are the storage format (/docs/rulings#the-kinds).

A ruling that is carried out is `Ruled` for its audience, then who gave it (`match.directed.1`),
then `RulingOrdered` for moderators, then its effect, all in one batch.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from domain.events import OWN_SEAT, PUBLIC, SEALED, Event, Instant, Position
from domain.game import Result
from domain.ruling_kinds import Because, KindName, Ruling, Severity


class MatchRuled(Event, frozen=True, gc=False, tag="match.ruled.1"):
    """A ruling is carried out, for a `reason`; its effect follows. `n` counts the public ones.

    `rule` is the rule of the game or of the event to which it refers, `appeals` the id of the
    ruling about which it decides.
    """

    audience: ClassVar = PUBLIC
    n: int
    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class SeatRuled(Event, frozen=True, gc=False, tag="match.seat-ruled.1"):
    """A ruling for one seat alone: a note to it. It has no number, because that would count
    what is hidden."""

    audience: ClassVar = OWN_SEAT
    seat: int
    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class SealedRuled(Event, frozen=True, gc=False, tag="match.sealed-ruled.1"):
    """A ruling for moderators alone."""

    audience: ClassVar = SEALED
    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class RulingOrdered(Event, frozen=True, gc=False, tag="match.ruling-ordered.1"):
    """The ruling just before, as it was given: its `id`, what it orders, and the `case` that it
    closes. The id was known since its first answer, so it is no secret of the moderators; what is
    ordered is in the effect."""

    audience: ClassVar = SEALED
    id: str
    ruling: Ruling
    case: str | None


class RulingProposed(Event, frozen=True, gc=False, tag="match.ruling-proposed.1"):
    """A ruling waits for a second person or, with `ask_seats`, for the consent of every seat.
    It expires at `lapses`."""

    audience: ClassVar = SEALED
    id: str
    ruling: Ruling
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    ask_seats: bool
    lapses: Instant


class RulingWithdrawn(Event, frozen=True, gc=False, tag="match.ruling-withdrawn.1"):
    """A pending ruling was withdrawn by a moderator or an organiser."""

    audience: ClassVar = SEALED
    id: str


class RulingLapsed(Event, frozen=True, gc=False, tag="match.ruling-lapsed.1"):
    """A pending ruling has expired; its record has the instant of that."""

    audience: ClassVar = SEALED
    id: str


class RulingConsented(Event, frozen=True, gc=False, tag="match.ruling-consented.1"):
    """The seat `giver` consents to a pending ruling. Only moderators see this."""

    audience: ClassVar = SEALED
    id: str
    giver: int


class ConsentAsked(Event, frozen=True, gc=False, tag="match.consent-asked.1"):
    """Every seat is asked for its consent to the pending ruling `id`. Of a rewind it has the
    event before which the match would go on."""

    audience: ClassVar = OWN_SEAT
    seat: int
    id: str
    kind: KindName
    reason: str
    before: Position | UnsetType = UNSET


class ConsentClosed(Event, frozen=True, gc=False, tag="match.consent-closed.1"):
    """The ruling `id` is no longer pending: every seat that was asked gets this."""

    audience: ClassVar = OWN_SEAT
    seat: int
    id: str


class SeatReplaced(Event, frozen=True, gc=False, tag="match.seat-replaced.1"):
    """Another person has the seat from here on; `match.seat-named.1` says who."""

    audience: ClassVar = PUBLIC
    seat: int


class ResultRuled(Event, frozen=True, gc=False, tag="match.result-ruled.1"):
    """The match ends with a result that its rules did not give; `match.ended.1` follows."""

    audience: ClassVar = PUBLIC
    result: Result
    because: Because


class MatchVoided(Event, frozen=True, gc=False, tag="match.voided.1"):
    """The match counts for nothing, and is over; `replaced_by` is the match played instead."""

    audience: ClassVar = PUBLIC
    replaced_by: str | None


class MatchConfirmed(Event, frozen=True, gc=False, tag="match.confirmed.1"):
    """The result is final, and the match is over: an organiser has ruled so, or the protest window
    has ended; then its record has the instant of that."""

    audience: ClassVar = PUBLIC


class PublicNoted(Event, frozen=True, gc=False, tag="match.noted.1"):
    """A public note."""

    audience: ClassVar = PUBLIC
    text: str
    severity: Severity


class SeatNoted(Event, frozen=True, gc=False, tag="match.seat-noted.1"):
    """A note for one seat alone."""

    audience: ClassVar = OWN_SEAT
    seat: int
    text: str
    severity: Severity


class SealedNoted(Event, frozen=True, gc=False, tag="match.sealed-noted.1"):
    """A note for moderators alone."""

    audience: ClassVar = SEALED
    text: str
    severity: Severity


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
