"""What is on the record of a tournament's rulings. The tags are the storage format
(/docs/tournaments#correct-a-result).

As in a match a ruling that is carried out is `TournamentRuled`, then who gave it, then
`TournamentRulingOrdered`, then its effect, all in one batch.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from domain.events import PUBLIC, SEALED, Event, Instant
from domain.game import Result
from domain.ruling_kinds import Correction, CorrectionName


class TournamentRuled(Event, frozen=True, gc=False, tag="tournament.ruled.1"):
    """A ruling on the match `match` is carried out, for a `reason`; its effect follows. `n` counts
    the rulings of the tournament that were carried out.

    `rule` is the rule of the game or of the event to which it refers, `appeals` the id of the
    ruling about which it decides: one of the tournament, or of the match.
    """

    audience: ClassVar = PUBLIC
    n: int
    kind: CorrectionName
    match: str
    reason: str
    rule: str | None
    appeals: str | None


class TournamentDirected(Event, frozen=True, gc=False, tag="tournament.directed.1"):
    """Who gave the input right before this, by the name for which the key was issued, and by the
    key's id. Of whoever seconds a ruling or decides an appeal it says who issued the
    key, by name and by the id of their own, and since when it has been its holder's."""

    audience: ClassVar = SEALED
    by: str | None
    key_id: str
    issued_by: str | UnsetType | None = UNSET
    issuer: str | UnsetType = UNSET
    theirs_since: Instant | UnsetType | None = UNSET


class TournamentRulingOrdered(Event, frozen=True, gc=False, tag="tournament.ruling-ordered.1"):
    """The ruling just before, as it was given: its `id`, what it orders, and the `case` that it
    closes."""

    audience: ClassVar = SEALED
    id: str
    ruling: Correction
    case: str | None


class TournamentRulingProposed(Event, frozen=True, gc=False, tag="tournament.ruling-proposed.1"):
    """A ruling waits for a moderator of the match. At `lapses` it is given up."""

    audience: ClassVar = SEALED
    id: str
    ruling: Correction
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    lapses: Instant


class TournamentRulingWithdrawn(Event, frozen=True, gc=False, tag="tournament.ruling-withdrawn.1"):
    """A pending ruling was given up by an organiser or a moderator of the match."""

    audience: ClassVar = SEALED
    id: str


class TournamentRulingLapsed(Event, frozen=True, gc=False, tag="tournament.ruling-lapsed.1"):
    """Nobody seconded a pending ruling in time; its record has the instant of that."""

    audience: ClassVar = SEALED
    id: str


class MatchCorrected(Event, frozen=True, gc=False, tag="tournament.match-corrected.1"):
    """A match that had been settled counts with this result from now on; without one it does not
    count, and every stake goes back. The postings of its settlement, or of its last correction, are
    reversed right behind this, and new ones follow."""

    audience: ClassVar = PUBLIC
    match: str
    result: Result | None


TournamentRulingEvent = (
    TournamentRuled
    | TournamentDirected
    | TournamentRulingOrdered
    | TournamentRulingProposed
    | TournamentRulingWithdrawn
    | TournamentRulingLapsed
    | MatchCorrected
)
