"""The state of a tournament, folded from its events."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain import ledger
from domain.changes import Changes
from domain.events import Event
from domain.game import Refused
from domain.ledger import Account, AccountKind, Balances, Posting
from domain.seats import spoken
from domain.tournament_events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    RequestReceived,
    TournamentCreated,
)


class Request(Struct, frozen=True):
    """The idempotency key of a command, and the SHA-256 of what was sent with it."""

    key: str
    fingerprint: bytes


class Added(Struct, frozen=True):
    """A match of the tournament, by numbers of players and of moderators."""

    players: tuple[int, ...]
    moderators: tuple[int, ...] = ()
    settled: bool = False


class Tournament(Struct, frozen=True):
    """The state of a tournament. Players and moderators are numbered in the order of entry;
    `requests` holds the fingerprint of every idempotency key."""

    name: str = ""
    players: tuple[str, ...] = ()
    moderators: tuple[str, ...] = ()
    matches: Mapping[str, Added] = {}
    balances: Balances = {}
    requests: Mapping[str, bytes] = {}


NOTHING_YET = Tournament()


def repeated(state: Tournament, request: Request) -> bool:
    """Whether this very request has been accepted before. Raises Refused if another one has, under
    the same key."""
    known = state.requests.get(request.key)
    if known is not None and known != request.fingerprint:
        raise Refused("idempotency_key_reused")
    return known is not None


def moderates(state: Tournament, moderator: int, match: str) -> bool:
    """Whether the moderator has been assigned the match."""
    added = state.matches.get(match)
    return added is not None and moderator in added.moderators


def player_of(state: Tournament, moderator: int) -> int | None:
    """The player with the moderator's name, if there is one."""
    return number_of(state.players, state.moderators[moderator])


def number_of(names: Sequence[str], name: str) -> int | None:
    """The number of the person with this name, or with one too similar to it."""
    wanted = spoken(name)
    return next((n for n, other in enumerate(names) if spoken(other) == wanted), None)


def fold(state: Tournament, events: Iterable[Event]) -> Tournament:
    """The tournament after all of `events`; never refuses, and leaves `state` unchanged."""
    changes = Changes(state)
    for event in events:
        _take(changes, event)
    return changes.after()


def evolve(state: Tournament, event: Event) -> Tournament:
    """The tournament after `event`."""
    return fold(state, (event,))


def _take(changes: Changes[Tournament], event: Event) -> None:
    match event:
        case TournamentCreated(name):
            changes.put("name", name)
        case PlayerEntered(_, name):
            changes.add("players", name)
        case ModeratorAppointed(_, name):
            changes.add("moderators", name)
        case MatchAdded(match, _, players):
            changes.mapping("matches")[match] = Added(players)
        case MatchGiven(match, moderator):
            matches = changes.mapping("matches")
            given = (*matches[match].moderators, moderator)
            matches[match] = replace(matches[match], moderators=given)
        case MatchSettled(match, _):
            matches = changes.mapping("matches")
            matches[match] = replace(matches[match], settled=True)
        case GarnetsPosted():
            ledger.post(changes.mapping("balances"), posting(event))
        case RequestReceived(key, fingerprint):
            changes.mapping("requests")[key] = fingerprint


def posting(event: GarnetsPosted) -> Posting:
    """The posting of an event, with its accounts in full."""
    return Posting(_account(event.debit, event), _account(event.credit, event), event.amount)


def _account(kind: AccountKind, event: GarnetsPosted) -> Account:
    if kind == "house":
        return ledger.HOUSE
    return Account(kind, event.seat, event.match if kind == "match" else None)
