"""What can happen to a tournament. The tags are the storage format.

The `seat` of an event for one seat is the player's number in the roster: such an event is for that
player and for moderators.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from domain.events import OWN_SEAT, PUBLIC, SEALED, Event
from domain.game import Result
from domain.ledger import AccountKind
from domain.tournament_ruling_events import TournamentRulingEvent


class TournamentCreated(Event, frozen=True, gc=False, tag="tournament.created.1"):
    """The first event."""

    audience: ClassVar = PUBLIC
    name: str


class PlayerEntered(Event, frozen=True, gc=False, tag="tournament.player-entered.1"):
    """A player joined the roster, under a number that never changes; `tournament.player-named.1`
    says who."""

    audience: ClassVar = PUBLIC
    player: int


class PlayerNamed(Event, frozen=True, gc=False, tag="tournament.player-named.1"):
    """The player's name in the roster from here on; `blind` as in `match.seat-named.1`."""

    audience: ClassVar = PUBLIC
    player: int
    name: str
    blind: bytes


class ModeratorAppointed(Event, frozen=True, gc=False, tag="tournament.moderator-appointed.1"):
    """Somebody moderates in this tournament: the matches assigned to them, and no others.
    `tournament.moderator-named.1` says who."""

    audience: ClassVar = PUBLIC
    moderator: int


class ModeratorNamed(Event, frozen=True, gc=False, tag="tournament.moderator-named.1"):
    """The moderator's name from here on; `blind` as in `match.seat-named.1`."""

    audience: ClassVar = PUBLIC
    moderator: int
    name: str
    blind: bytes


class MatchAdded(Event, frozen=True, gc=False, tag="tournament.match-added.1"):
    """A match has been created in the tournament; `players` are its seats, in order."""

    audience: ClassVar = PUBLIC
    match: str
    game: str
    players: tuple[int, ...]


class MatchGiven(Event, frozen=True, gc=False, tag="tournament.match-given.1"):
    """A moderator of the tournament moderates this match."""

    audience: ClassVar = PUBLIC
    match: str
    moderator: int


class MatchSettled(Event, frozen=True, gc=False, tag="tournament.match-settled.1"):
    """A match that is over counts in the standings, and its garnets have been accounted for.

    Without a result it is void: it does not count, and all stakes have been given back.
    """

    audience: ClassVar = PUBLIC
    match: str
    result: Result | None


class GarnetsPosted(Event, frozen=True, gc=False, tag="tournament.garnets-posted.1"):
    """Garnets of one player moved from the debited account to the credited one.

    `player` is the player's purse, `match` the player's stake in the match `match`. A posting of a
    correction `reverses` an earlier one of the same player, named by its number among the player's
    postings, from 1; it moves the same amount back.
    """

    audience: ClassVar = OWN_SEAT
    seat: int
    debit: AccountKind
    credit: AccountKind
    amount: int
    reason: str
    match: str | None = None
    reverses: int | UnsetType = UNSET


class RequestReceived(Event, frozen=True, gc=False, tag="tournament.request-received.1"):
    """An organiser's request with an idempotency key; its consequences follow at once.

    `fingerprint` is the SHA-256 of the request, so that a repeat can always be recognised.
    """

    audience: ClassVar = SEALED
    key: str
    fingerprint: bytes


class LookOverridden(Event, frozen=True, gc=False, tag="tournament.look-overridden.1"):
    """An organiser seated somebody in the match `match` who had looked at what is hidden from
    another of its players, in the running matches `looked`.

    `by` is the organiser's name, None for a key without one, `key_id` the id of the key.
    """

    audience: ClassVar = SEALED
    match: str
    looked: tuple[str, ...]
    reason: str
    by: str | None
    key_id: str


TournamentEvent = (
    TournamentCreated
    | PlayerEntered
    | PlayerNamed
    | ModeratorAppointed
    | ModeratorNamed
    | MatchAdded
    | MatchGiven
    | MatchSettled
    | GarnetsPosted
    | RequestReceived
    | LookOverridden
    | TournamentRulingEvent
)
