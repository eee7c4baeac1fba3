"""The state of a tournament, folded from its events."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from domain.cases.match_events import RecordedCases
from domain.game import Refused, Result
from domain.names import person_of
from domain.people import Actor
from domain.rulings.state import Rulings
from domain.tournament.competition import Competition, Counted, Results
from domain.tournament.events import GarnetsPosted, PlayerKeys, RegistrationOpened
from domain.tournament.ledger import Balances
from domain.tournament.open_stages import StageFacts


class KeyedRequest(Struct, frozen=True):
    """The idempotency key of a command, and the SHA-256 of what was sent with it."""

    key: str
    fingerprint: bytes


class Accounted(NamedTuple):
    """A posting of a settlement, and its number among those of its player."""

    number: int
    posting: GarnetsPosted


class Added(Struct, frozen=True):
    """A match of the tournament, of a `game`, by numbers of players and of moderators. Once it is
    `settled`, it counts with `result`, or not at all if that is None, and `accounted` are the
    postings of its settlement or its last correction. `version` counts what happened to it here,
    `replaced_by` is the match that counts in its place. A `forfeit` was decided by an absence; how
    it counts may have been `corrected`."""

    players: tuple[int, ...]
    moderators: tuple[int, ...] = ()
    settled: bool = False
    result: Result | None = None
    accounted: tuple[Accounted, ...] = ()
    version: int = 1
    replaced_by: str | None = None
    forfeit: bool = False
    corrected: bool = False
    game: str = ""


def results_of(matches: Mapping[str, Added]) -> Results:
    """How those of these matches count that are settled; one that was replaced counts as the match
    in its place."""
    pairs = ((match, matches[in_place_of(matches, match)]) for match in matches)
    return {
        match: Counted(entry.players, entry.result, entry.forfeit)
        for match, entry in pairs
        if entry.settled
    }


def in_place_of(matches: Mapping[str, Added], match: str) -> str:
    """The match that counts for this one: another one where it was replaced."""
    while (by := matches[match].replaced_by) is not None:
        match = by
    return match


class Asked(NamedTuple):
    """A request under an idempotency key: its fingerprint, and how many players there were before
    it."""

    fingerprint: bytes
    players: int


class Tournament(Struct, frozen=True, dict=True):
    """The state of a tournament. Players and moderators are numbered in the order of entry;
    `named` are all names that players have had, in order, `blinds` are those of their present ones;
    `maker` had it created, `external_ids` are the organiser's own ids of players, `requests` holds
    what was asked under every idempotency key, `posted` the number of each player's postings.
    `organisers` are those who were appointed besides the maker; `dismissed` are the numbers of
    those organisers who were removed, `removed` of the moderators. `registration` is the open one,
    `registered` has the players who entered by it, by their requests, `waiting` the names of those
    who wait. `cases` are those about the event, and not about one of its matches. `version` counts
    what is public, and what becomes of rulings on the whole tournament."""

    name: str = ""
    players: tuple[str, ...] = ()
    moderators: tuple[str, ...] = ()
    matches: Mapping[str, Added] = {}
    balances: Balances = {}
    requests: Mapping[str, Asked] = {}
    posted: Mapping[int, int] = {}
    rulings: Rulings = Rulings()
    cases: RecordedCases = ()
    competition: Competition = Competition()
    named: tuple[tuple[int, str], ...] = ()
    blinds: Mapping[int, bytes] = {}
    external_ids: Mapping[int, str] = {}
    maker: Actor | None = None
    keys: PlayerKeys = "shown"
    organisers: tuple[str, ...] = ()
    registration: RegistrationOpened | None = None
    registered: Mapping[bytes, int] = {}
    waiting: Mapping[bytes, str] = {}
    dismissed: frozenset[int] = frozenset()
    removed: frozenset[int] = frozenset()
    version: int = 0

    @property
    def organising(self) -> Sequence[int]:
        """The organisers who were appointed and not removed."""
        return [n for n in range(len(self.organisers)) if n not in self.dismissed]

    @property
    def in_office(self) -> Sequence[int]:
        """The moderators who were not removed."""
        return [n for n in range(len(self.moderators)) if n not in self.removed]

    @cached_property
    def results(self) -> Results:
        """How the settled matches count, by their ids."""
        return results_of(self.matches)


NOTHING_YET = Tournament()


def standing_of(state: Tournament) -> StageFacts:
    """What the stages of a tournament are decided on."""
    return StageFacts(state.competition, state.results)


def is_repeated(state: Tournament, request: KeyedRequest) -> bool:
    """Whether this very request has been accepted before. Raises Refused if another one has, under
    the same key."""
    request_before = state.requests.get(request.key)
    if request_before is not None and request_before.fingerprint != request.fingerprint:
        raise Refused("idempotency_key_reused")
    return request_before is not None


def moderates(state: Tournament, moderator: int, match: str) -> bool:
    """Whether the moderator has been assigned the match."""
    entry = state.matches.get(match)
    return entry is not None and moderator in entry.moderators


def player_of(state: Tournament, moderator: int) -> int | None:
    """The player who has or had the moderator's name, or one too similar to it, if there is one."""
    return player_called(state, state.moderators[moderator])


def player_called(state: Tournament, name: str) -> int | None:
    """The player who has or had this name, or one too similar to it, if there is one."""
    person = person_of(name)
    return next((player for player, name in state.named if person_of(name) == person), None)


def names_had(state: Tournament) -> list[str]:
    """Every name that players have or had."""
    return [name for _, name in state.named]


def names_of(state: Tournament, player: int) -> list[str]:
    """Every name that a player has or had."""
    return [name for number, name in state.named if number == player]
