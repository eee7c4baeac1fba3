"""What can happen to a tournament. The tags are the storage format.

The `seat` of an event for one seat is the player's number in the roster: such an event is for that
player and for moderators.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

from domain.cases.match_events import TournamentCaseEvent
from domain.events import Instant, PublicEvent, SealedEvent, SeatEvent
from domain.game import Result
from domain.match.events import Directed
from domain.rulings.events import RulingLapsed, RulingWithdrawn
from domain.rulings.kinds import TournamentKind, TournamentRuling
from domain.tournament.ledger import AccountKind
from domain.tournament.stage_events import StageEvent


class RegistrationOpened(SealedEvent, frozen=True, tag="tournament.registration-opened.1"):
    """Players may enter themselves by the link whose token has this hash, in place of an earlier
    one: as long as there are fewer than `limit`, and until it closes."""

    token: bytes
    limit: int
    closes: Instant | None
    waiting_list: bool


class RegistrationClosed(SealedEvent, frozen=True, tag="tournament.registration-closed.1"):
    """No more players enter themselves."""


class PlayerRegistered(SealedEvent, frozen=True, tag="tournament.player-registered.1"):
    """The player who enters right after this did so by the link, in a request with this hash."""

    request: bytes


class PlayerWaits(SealedEvent, frozen=True, tag="tournament.player-waits.1"):
    """Someone waits for a place, since a request with this hash."""

    name: str
    request: bytes


RegistrationEvent = RegistrationOpened | RegistrationClosed | PlayerRegistered | PlayerWaits


class OrganiserAppointed(SealedEvent, frozen=True, tag="tournament.organiser-appointed.1"):
    """One more organiser of this tournament, and of no other."""

    organiser: int
    name: str


class OrganiserRemoved(SealedEvent, frozen=True, tag="tournament.organiser-removed.1"):
    """An organiser who was appointed is none any more."""

    organiser: int


class ModeratorRemoved(PublicEvent, frozen=True, tag="tournament.moderator-removed.1"):
    """Someone is no moderator of the tournament any more."""

    moderator: int


class MatchTaken(PublicEvent, frozen=True, tag="tournament.match-taken.1"):
    """A moderator of the tournament moderates this match no more."""

    match: str
    moderator: int


StaffEvent = OrganiserAppointed | OrganiserRemoved | ModeratorRemoved | MatchTaken


PlayerKeys = Literal["shown", "invitations"]
"""How players get their keys."""


class TournamentCreated(PublicEvent, frozen=True, tag="tournament.created.1"):
    """The first event. With `keys` players get theirs by invitations alone."""

    name: str
    keys: Literal["invitations"] | UnsetType = UNSET


class PlayerEntered(PublicEvent, frozen=True, tag="tournament.player-entered.1"):
    """A player joined the roster, under a number that never changes; `tournament.player-named.1`
    says who. The rating, the seed and the team are the organiser's."""

    player: int
    rating: int | None = None
    seed: int | None = None
    team: str | None = None


class PlayerNamed(PublicEvent, frozen=True, tag="tournament.player-named.1"):
    """The player's name in the roster from here on; `blind` as in `match.seat-named.1`."""

    player: int
    name: str
    blind: bytes


class PlayerIdentified(SealedEvent, frozen=True, tag="tournament.player-identified.1"):
    """The organiser has an id of their own for a player of the roster."""

    player: int
    external_id: str


class PlayerRenamed(SealedEvent, frozen=True, tag="tournament.player-renamed.1"):
    """A player gets another name, for a reason; `tournament.player-named.1` follows."""

    player: int
    reason: str


class ModeratorAppointed(PublicEvent, frozen=True, tag="tournament.moderator-appointed.1"):
    """Someone moderates in this tournament: the matches assigned to them, and no others.
    `tournament.moderator-named.1` says who."""

    moderator: int


class ModeratorNamed(PublicEvent, frozen=True, tag="tournament.moderator-named.1"):
    """The moderator's name from here on; `blind` as in `match.seat-named.1`."""

    moderator: int
    name: str
    blind: bytes


class MatchAdded(PublicEvent, frozen=True, tag="tournament.match-added.1"):
    """A match has been created in the tournament; `players` are its seats, in order."""

    match: str
    game: str
    players: tuple[int, ...]


class MatchGiven(PublicEvent, frozen=True, tag="tournament.match-given.1"):
    """A moderator of the tournament moderates this match."""

    match: str
    moderator: int


class MatchSettled(PublicEvent, frozen=True, tag="tournament.match-settled.1"):
    """A match that is over counts in the standings, and its garnets have been accounted for.

    Without a result it is void: it does not count, and all stakes have been given back. A `forfeit`
    was decided by an absence, and counts as a round that was not played (/docs/tournaments).
    """

    match: str
    result: Result | None
    forfeit: bool | UnsetType = UNSET


class GarnetsPosted(SeatEvent, frozen=True, tag="tournament.garnets-posted.1"):
    """Garnets of one player moved from the debited account to the credited one.

    `player` is the player's purse, `match` the player's stake in the match `match`. A posting of a
    correction `reverses` an earlier one of the same player, named by its number among the player's
    postings, from 1; it moves the same amount back. `by` is the name of the person who gave or took
    the garnets by hand, None for a key without a name.
    """

    debit: AccountKind
    credit: AccountKind
    amount: int
    reason: str
    match: str | None = None
    reverses: int | UnsetType = UNSET
    by: str | UnsetType | None = UNSET


class RequestReceived(SealedEvent, frozen=True, tag="tournament.request-received.1"):
    """Someone has asked for what follows at once; that a tournament is created stands before it.
    What the service does by itself, and rulings, have none.

    `by` is their name, None for a key without one, `key_id` the id of the key. A request with an
    idempotency `key` has a `fingerprint`, its SHA-256, so that a repeat can always be recognised.
    """

    key_id: str
    by: str | None = None
    key: str | None = None
    fingerprint: bytes | None = None


class LookOverridden(SealedEvent, frozen=True, tag="tournament.look-overridden.1"):
    """An organiser seated someone in the match `match` who had looked at what is hidden from
    another of its players, in the running matches `looked`.

    `by` is the organiser's name, None for a key without one, `key_id` the id of the key.
    """

    match: str
    looked: tuple[str, ...]
    reason: str
    by: str | None
    key_id: str


class TournamentRuled(PublicEvent, frozen=True, tag="tournament.ruled.1"):
    """A ruling is carried out, for a `reason`; its effect follows. It is on the match `match`, or
    on the whole tournament. `n` counts the rulings of the tournament that were carried out.

    `rule` is the rule of the game or of the event to which it refers, `appeals` the id of the
    ruling about which it decides: one of the tournament, or of the match.
    """

    n: int
    kind: TournamentKind
    match: str | None
    reason: str
    rule: str | None
    appeals: str | None


class TournamentDirected(Directed, frozen=True, tag="tournament.directed.1"):
    """Who gave the input right before this, as in a match (`match.directed.1`)."""


class TournamentRulingOrdered(SealedEvent, frozen=True, tag="tournament.ruling-ordered.1"):
    """The ruling just before, as it was given: its `id`, what it orders, and the `case` that it
    closes."""

    id: str
    ruling: TournamentRuling
    case: str | None


class TournamentRulingProposed(SealedEvent, frozen=True, tag="tournament.ruling-proposed.1"):
    """A ruling waits for a second person. At `lapses` it is given up."""

    id: str
    ruling: TournamentRuling
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    lapses: Instant


class TournamentRulingWithdrawn(RulingWithdrawn, frozen=True, tag="tournament.ruling-withdrawn.1"):
    """A pending ruling was given up by an organiser or a moderator."""


class TournamentRulingLapsed(RulingLapsed, frozen=True, tag="tournament.ruling-lapsed.1"):
    """No one seconded a pending ruling in time; its record has the instant of that."""


class MatchCorrected(PublicEvent, frozen=True, tag="tournament.match-corrected.1"):
    """A match that had been settled counts with this result from now on; without one it does not
    count, and every stake goes back. The postings of its settlement, or of its last correction, are
    reversed right after this, and new ones follow."""

    match: str
    result: Result | None


class MatchReplaced(PublicEvent, frozen=True, tag="tournament.match-replaced.1"):
    """The match `by` counts in the place of another one of the same players."""

    match: str
    by: str


TournamentRulingEvent = (
    TournamentRuled
    | TournamentDirected
    | TournamentRulingOrdered
    | TournamentRulingProposed
    | TournamentRulingWithdrawn
    | TournamentRulingLapsed
    | MatchCorrected
    | MatchReplaced
)


TournamentEvent = (
    TournamentCreated
    | PlayerEntered
    | PlayerNamed
    | PlayerIdentified
    | PlayerRenamed
    | ModeratorAppointed
    | ModeratorNamed
    | MatchAdded
    | MatchGiven
    | MatchSettled
    | GarnetsPosted
    | RequestReceived
    | LookOverridden
    | StaffEvent
    | RegistrationEvent
    | TournamentRulingEvent
    | TournamentCaseEvent
    | StageEvent
)
