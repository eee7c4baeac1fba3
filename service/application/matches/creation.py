"""Creates matches and tournaments, each once per request, and issues their keys."""

import contextlib
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.game import RecordRule, Refused
from domain.games import GAMES
from domain.match.events import Chance, ClockRule, MatchCreated, ProtestHours
from domain.match.seats import check_names
from domain.people import Actor
from domain.proof.creation_notes import Beginning
from domain.rulings.kinds import RulingPeople
from domain.tournament.decide import AddMatch, CreateTournament
from domain.tournament.state import KeyedRequest
from service.application.evidence.reads import Allowed, Looks, override_of
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.command_queue import CreateMatch
from service.application.matches.match_service import MatchService
from service.application.tournaments.tournament_service import (
    TournamentChange,
    TournamentService,
    match_added,
)
from service.auth.key_events import OPERATOR
from service.auth.keys import Keyring
from service.event_store.errors import UnknownMatch, UnknownTournament
from service.event_store.secret_store import MatchSecrets, SecretStore
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import MATCH, TOURNAMENT, time_ordered


class MatchSetup(Struct, frozen=True):
    """A match as someone asks for it."""

    game: str
    names: tuple[str, ...]
    options: dict[str, Any]
    chance: Chance
    clock: ClockRule
    record: RecordRule | None
    tournament: UUID | None = None
    rulings: RulingPeople | UnsetType = UNSET
    protest_hours: ProtestHours | UnsetType = UNSET

    def created(self) -> MatchCreated:
        """Its first event, with all its options filled in.

        Raises Refused if the rules do not allow it, and msgspec.ValidationError for options of the
        wrong shape.
        """
        game = GAMES.get(self.game)
        if game is None:
            raise Refused("unknown_game", f"known games: {', '.join(GAMES)}")
        seats = len(self.names)
        check_names(self.names, game.seats)
        chosen = msgspec.convert(self.options, game.Options)
        game.check(chosen, seats)
        record = self.record or game.records[0]
        if record not in game.records:
            raise Refused("record_not_allowed", f"this game allows: {', '.join(game.records)}")
        return MatchCreated(
            game.id,
            game.rules_version,
            msgspec.json.decode(msgspec.json.encode(game.complete(chosen, seats))),
            seats,
            chance=self.chance,
            clock=self.clock,
            record=record,
            tournament=None if self.tournament is None else str(self.tournament),
            rulings=self.rulings,
            protest_hours=self.protest_hours,
        )


class MatchWithKeys(Struct, frozen=True):
    """A created match and its keys, which are shown only once. `repeated` means that the same
    request had created it before; then the keys are left out. `beginning` has the hashes of its
    first events."""

    id: UUID
    seat_keys: list[str]
    moderator_key: str
    beginning: Beginning
    repeated: bool = False


class Creation:
    """Creates matches and tournaments: checks the request, records it under its idempotency key,
    issues the keys, and executes the command that creates."""

    def __init__(
        self,
        idempotency: IdempotencyStore,
        matches: MatchService,
        tournaments: TournamentService,
        keyring: Keyring,
        secret_store: SecretStore,
        looks: Looks,
    ) -> None:
        self._idempotency = idempotency
        self._matches = matches
        self._tournaments = tournaments
        self._keyring = keyring
        self._secret_store = secret_store
        self._looks = looks

    async def match(
        self,
        new: MatchSetup,
        request: KeyedRequest | None = None,
        *,
        allowed: Allowed | None = None,
        seat_keys: bool = True,
        by: Actor = OPERATOR,
    ) -> MatchWithKeys:
        """Creates a match, in a tournament or on its own, and issues its keys at the request of
        `by`, those of its seats only with `seat_keys`; once per request.
        Anyone who has looked at another's match is seated only if that is `allowed`.

        Raises Refused if the game's rules or the tournament do not allow it, UnknownTournament,
        HasLooked, msgspec.ValidationError for options of the wrong shape, RequestInFlight, and
        StoreUnavailable.
        """

        async def find_existing(match_id: UUID) -> MatchWithKeys | None:
            with contextlib.suppress(UnknownMatch):
                begun = await self._matches.beginning(match_id)
                return MatchWithKeys(match_id, [], "", begun, repeated=True)
            return None

        async def create(match_id: UUID, record_request: RecordRequest) -> MatchWithKeys:
            tournament = new.tournament
            if tournament is not None:
                await self._tournaments.current(tournament)
            created, added = new.created(), None
            if tournament is not None:
                added = await self._added(match_id, created, new.names, tournament, allowed)
            await record_request()
            keys, secrets = await in_store_thread(
                self._make_secrets, match_id, created, new.names, seat_keys, by
            )
            command = CreateMatch(created, new.names, secrets)
            if tournament is None or added is None:
                answer = await self._matches.execute(match_id, command, "public")
            else:
                answer = await self._tournaments.add_match(tournament, added, command)
            beginning = answer.result.beginning
            assert beginning is not None, "it has just begun"
            return MatchWithKeys(match_id, keys[1:], keys[0], beginning)

        return await self._idempotency.once(request, self._new_id(MATCH), find_existing, create)

    async def tournament(
        self, command: CreateTournament, request: KeyedRequest | None = None, by: Actor = OPERATOR
    ) -> tuple[UUID, TournamentChange]:
        """Creates a tournament and issues the keys of its players and moderators at the request of
        `by`; once per request.

        Raises Refused, RequestInFlight or StoreUnavailable.
        """

        async def find_existing(tournament_id: UUID) -> tuple[UUID, TournamentChange] | None:
            with contextlib.suppress(UnknownTournament):
                await self._tournaments.current(tournament_id)
                return tournament_id, TournamentChange((), repeated=True)
            return None

        async def create(
            tournament_id: UUID, record_request: RecordRequest
        ) -> tuple[UUID, TournamentChange]:
            return tournament_id, await self._tournaments.create(
                tournament_id, command, record_request, by
            )

        return await self._idempotency.once(
            request, self._new_id(TOURNAMENT), find_existing, create
        )

    def _make_secrets(
        self,
        match_id: UUID,
        created: MatchCreated,
        names: tuple[str, ...],
        seat_keys: bool,
        by: Actor,
    ) -> tuple[list[str], MatchSecrets]:
        """Stores keys and secrets before the match is recorded; without the match they are
        harmless. Blocks."""
        seats = [(f"s{seat}", name) for seat, name in enumerate(names)]
        holders = [("mod", ""), *(seats if seat_keys else ())]
        keys = self._keyring.issue_named(match_id, holders, by)
        return keys, self._secret_store.create(match_id, len(seats), created.chance)

    def _new_id(self, kind: int) -> UUID:
        """A new id for a match or tournament created now."""
        return time_ordered(self._matches.clock.now() // 1000, kind)

    async def _added(
        self,
        match_id: UUID,
        created: MatchCreated,
        names: tuple[str, ...],
        tournament: UUID,
        allowed: Allowed | None,
    ) -> AddMatch:
        """What adds the match to its tournament, with what is overridden by seating players who
        have looked. Raises Refused if the tournament does not allow the match, and HasLooked if
        that is not allowed."""
        added = match_added(match_id, created, names)
        await self._tournaments.check(tournament, added)
        state = (await self._tournaments.current(tournament)).state
        looks = await self._looks.of_players(state, names)
        return replace(added, override=override_of(looks, allowed))
