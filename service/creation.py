"""How matches and tournaments are created: once for a request, and with the keys to them."""

import contextlib
import secrets
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.game import RecordRule, Refused
from domain.games import GAMES
from domain.match_events import Chance, MatchCreated
from domain.match_events import Clock as ClockRule
from domain.seats import check_names
from domain.tournament import CreateTournament
from domain.tournament_state import Request
from service.access.keys import Keyring
from service.clock import Clock
from service.door.dealer import Dealer, Hidden
from service.door.matches import Matches
from service.door.open_matches import OpenMatches, UnknownMatch
from service.door.pending import Create
from service.door.requests import Keep, Requests
from service.door.tournaments import Done, Tournaments, UnknownTournament, match_added
from service.storage.reading import from_store


class Opened(Struct, frozen=True):
    """A match that has just been created, and the keys to it, which are shown this once: without
    them, the match had been created before by the same request."""

    id: UUID
    seat_keys: list[str]
    moderator_key: str
    repeated: bool = False


class Creation:
    """Creates what is asked for: looks whether it may be, keeps the request, issues the keys, and
    lets it in by the door of matches or of tournaments."""

    def __init__(
        self,
        requests: Requests,
        matches: Matches,
        open_matches: OpenMatches,
        tournaments: Tournaments,
        keyring: Keyring,
        dealer: Dealer,
        clock: Clock,
    ) -> None:
        self._requests = requests
        self._matches = matches
        self._open_matches = open_matches
        self._tournaments = tournaments
        self._keyring = keyring
        self._dealer = dealer
        self._clock = clock

    async def match(
        self,
        game_id: str,
        names: tuple[str, ...],
        options: dict[str, Any],
        chance: Chance,
        clock: ClockRule,
        record: RecordRule | None,
        tournament: UUID | None = None,
        request: Request | None = None,
    ) -> Opened:
        """Creates a match, in a tournament or by itself, and issues its keys; once for a request.

        Raises Refused for what its rules or its tournament do not allow, UnknownTournament,
        msgspec.ValidationError for options of the wrong shape, RequestInFlight, and
        StoreUnavailable.
        """

        async def found(match_id: UUID) -> Opened | None:
            with contextlib.suppress(UnknownMatch):
                await self._open_matches.opened(match_id)
                return Opened(match_id, [], "", repeated=True)
            return None

        async def make(match_id: UUID, keep: Keep) -> Opened:
            if tournament is not None:
                await self._tournaments.opened(tournament)
            created = new_match(game_id, names, options, chance, clock, record, tournament)
            keys = await self._enter(match_id, created, tournament, keep)
            return Opened(match_id, keys[1:], keys[0])

        return await self._requests.once(request, self._fresh(), found, make)

    async def tournament(
        self, command: CreateTournament, request: Request | None = None
    ) -> tuple[UUID, Done]:
        """Creates a tournament and issues the keys of its players and moderators; once for a
        request.

        Raises Refused, RequestInFlight or StoreUnavailable.
        """

        async def found(tournament_id: UUID) -> tuple[UUID, Done] | None:
            with contextlib.suppress(UnknownTournament):
                await self._tournaments.opened(tournament_id)
                return tournament_id, Done((), repeated=True)
            return None

        async def make(tournament_id: UUID, keep: Keep) -> tuple[UUID, Done]:
            return tournament_id, await self._tournaments.create(tournament_id, command, keep)

        return await self._requests.once(request, self._fresh(), found, make)

    def _fresh(self) -> UUID:
        """The id of what is created now."""
        return uuid7(self._clock.now() // 1000)

    async def _enter(
        self, match_id: UUID, created: MatchCreated, tournament: UUID | None, keep: Keep
    ) -> list[str]:
        """Lets a new match in, and gives its keys, the moderator's first."""
        if tournament is not None:
            await self._tournaments.check(tournament, match_added(match_id, created))
        await keep()
        keys, hidden = await from_store(self._prepare, match_id, created)
        create = Create(created, hidden)
        if tournament is None:
            await self._matches.enter(match_id, create, "public")
        else:
            await self._tournaments.add_match(tournament, match_id, create)
        return keys

    def _prepare(self, match_id: UUID, created: MatchCreated) -> tuple[list[str], Hidden]:
        """What must lie in the store before the match is there: without it, it harms nobody."""
        count = len(created.seats)
        slots = ["mod", *(f"s{seat}" for seat in range(count))]
        keys = self._keyring.issue(match_id, slots)
        return keys, self._dealer.keep(match_id, count, created.chance)


def new_match(
    game_id: str,
    names: tuple[str, ...],
    options: dict[str, Any],
    chance: Chance,
    clock: ClockRule,
    record: RecordRule | None,
    tournament: UUID | None,
) -> MatchCreated:
    """The first event of a match, with its options complete.

    Raises Refused for what the rules do not allow, and msgspec.ValidationError for options of the
    wrong shape.
    """
    game = GAMES.get(game_id)
    if game is None:
        raise Refused("unknown_game", f"there are: {', '.join(GAMES)}")
    check_names(names, game.seats)
    chosen = msgspec.convert(options, game.Options)
    game.check(chosen, len(names))
    rule = record or game.records[0]
    if rule not in game.records:
        raise Refused("record_not_allowed", f"this game allows: {', '.join(game.records)}")
    played = game.complete(chosen, len(names))
    return MatchCreated(
        game.id,
        game.rules_version,
        msgspec.json.decode(msgspec.json.encode(played)),
        names,
        chance,
        clock,
        rule,
        None if tournament is None else str(tournament),
    )


def uuid7(milliseconds: int) -> UUID:
    """A time-ordered id (RFC 9562, version 7): 48 bits of time, 74 from the system's generator."""
    value = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64
    return UUID(int=value | 0b10 << 62 | secrets.randbits(62))
