"""Creates matches and tournaments, each once per request, and issues their keys."""

import contextlib
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from domain.game import RecordRule, Refused
from domain.games import GAMES
from domain.match.events import MOST_PROTEST_HOURS, Chance, ClockRule, Label, MatchCreated
from domain.match.seats import check_names
from domain.people import Actor
from domain.proof.creation_notes import Beginning
from domain.requirements import MOST_SEATS
from domain.rulings.kinds import RulingPeople, Text
from domain.tournament.commands import AddMatch, NewTournament, RoundTable
from domain.tournament.state import KeyedRequest
from service.application.evidence.reads import Allowed, Looks, override_of
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.command_queue import AlreadyExists, CreateMatch
from service.application.matches.match_service import MatchService
from service.application.tournaments.tournament_service import (
    TournamentChange,
    TournamentService,
    match_added,
)
from service.auth.keyring import OPERATOR
from service.auth.keys import Keyring
from service.event_store.errors import UnknownMatch, UnknownTournament
from service.event_store.secret_store import MatchSecrets, SecretStore
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import MATCH, TOURNAMENT, time_ordered


class NewMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to create. `options` are the game's own; what is left out has its default."""

    game: Annotated[str, Meta(description="The id of a game", examples=["dollar-prize"])]
    seats: Annotated[
        tuple[str, ...],
        Meta(
            max_length=MOST_SEATS,
            description="The names of the seats, in order",
            examples=[["Ann", "Ben"]],
        ),
    ]
    options: Annotated[
        dict[str, Any], Meta(description="The game's own options: see `GET /v1/games/{game}`")
    ] = {}
    chance: Annotated[Chance, Meta(description="Who answers draws: the service or a moderator")] = (
        "server"
    )
    clock: Annotated[ClockRule, Meta(description="Whether the game's deadlines run")] = "none"
    record: Annotated[
        RecordRule | None,
        Meta(
            description="Whether anyone may read everything once the match is over; by default "
            "what is usual for the game: mostly `opened_at_end`"
        ),
    ] = None
    tournament: Annotated[
        str | None,
        Meta(
            description="The id of the tournament it belongs to: its seats are names of the roster"
        ),
    ] = None
    rulings: Annotated[
        RulingPeople,
        Meta(
            description="How many people it takes to void the match, rule a result or replace a "
            "seat: `two` unless it says `single`"
        ),
    ] = "two"
    protest_hours: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_PROTEST_HOURS,
            description="For how many hours after its end the result is provisional, unless an "
            "organiser confirms it: until then nothing is opened, revealed or settled. By default "
            "0: it is final at once",
        ),
    ] = 0
    keys: Annotated[
        Literal["shown", "invitations"],
        Meta(
            description="Whether the keys of the seats are `shown` in the answer, as by default, or"
            " none are issued: then their holders get them by `invitations`, and nobody else has "
            "ever seen them"
        ),
    ] = "shown"
    title: Annotated[
        Label | None, Meta(description="What the match is called: printable characters, public")
    ] = None
    prize: Annotated[
        Label | None, Meta(description="What is played for: printable characters, public")
    ] = None
    has_looked_reason: Annotated[
        Text | None,
        Meta(
            description="In a tournament: why somebody is seated who has looked at what is hidden "
            "from another of these players. It is recorded if somebody has"
        ),
    ] = None

    def __post_init__(self) -> None:
        for text in (self.title, self.prize):
            if text is not None and (text != text.strip() or not text.isprintable()):
                raise ValueError("a title and a prize are printable, without spaces at their ends")

    @property
    def tournament_id(self) -> UUID | None:
        """The id of its tournament, if any. Raises UnknownTournament for a text that is no id."""
        try:
            return None if self.tournament is None else UUID(self.tournament)
        except ValueError:
            raise UnknownTournament from None

    def created(self) -> MatchCreated:
        """Its first event, with all its options filled in.

        Raises Refused if the rules do not allow it, msgspec.ValidationError for options of the
        wrong shape, and UnknownTournament.
        """
        game = GAMES.get(self.game)
        if game is None:
            raise Refused("unknown_game", f"known games: {', '.join(GAMES)}")
        seats = len(self.seats)
        check_names(self.seats, game.seats)
        options = msgspec.convert(self.options, game.Options)
        game.check(options, seats)
        if self.chance == "server" and game.conceals(options):
            raise Refused("options_not_allowed", "what seats enter by hand needs manual chance")
        record = self.record or game.records[0]
        if record not in game.records:
            raise Refused("record_not_allowed", f"this game allows: {', '.join(game.records)}")
        return MatchCreated(
            game.id,
            game.rules_version,
            msgspec.json.decode(msgspec.json.encode(game.complete(options, seats))),
            seats,
            chance=self.chance,
            clock=self.clock,
            record=record,
            tournament=None if self.tournament is None else str(self.tournament_id),
            rulings=UNSET if self.rulings == "two" else self.rulings,
            protest_hours=self.protest_hours or UNSET,
            title=self.title or UNSET,
            prize=self.prize or UNSET,
        )


Given = tuple[int, ...]
"""The numbers of a tournament's moderators."""


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
        self, new: NewMatch, request: KeyedRequest | None = None, by: Actor = OPERATOR
    ) -> MatchWithKeys:
        """Creates a match, in a tournament or on its own, and issues its keys at the request of
        `by`; once per request.

        Raises Refused if the game's rules or the tournament do not allow it, UnknownTournament,
        HasLooked, msgspec.ValidationError for options of the wrong shape, RequestInFlight, and
        StoreUnavailable.
        """

        async def find_existing(match_id: UUID) -> MatchWithKeys | None:
            with contextlib.suppress(UnknownMatch):
                start = await self._matches.beginning(match_id)
                return MatchWithKeys(match_id, [], "", start, repeated=True)
            return None

        async def create(match_id: UUID, record_request: RecordRequest) -> MatchWithKeys:
            tournament = new.tournament_id
            if tournament is not None:
                await self._tournaments.current(tournament)
            created, added = new.created(), None
            if tournament is not None:
                added = await self._plan_addition(match_id, created, new, tournament, by)
            await record_request()
            keys, secrets = await in_store_thread(self._make_secrets, match_id, created, new, by)
            command = CreateMatch(created, new.seats, secrets)
            if tournament is None or added is None:
                answer = await self._matches.execute(match_id, command, "public")
            else:
                answer = await self._tournaments.add_match(tournament, added, command, by)
            beginning = answer.result.beginning
            assert beginning is not None, "it has just begun"
            return MatchWithKeys(match_id, keys[1:], keys[0], beginning)

        return await self._idempotency.once(request, self._new_id(MATCH), find_existing, create)

    async def table(
        self,
        new: NewMatch,
        request: KeyedRequest,
        check: Callable[[], Awaitable[None]],
        again: UUID | None = None,
    ) -> UUID:
        """Creates an open table without any key, or the one at which the players of `again` play
        on; once per request. Raises as `match` does, and what `check` raises unless it is there."""

        async def create(match_id: UUID, record_request: RecordRequest) -> UUID:
            after = UNSET if again is None else str(again)
            created = replace(new.created(), table=True, again=after)
            await check()
            await record_request()
            secrets = await in_store_thread(
                self._secret_store.create, match_id, created.seats, created.chance
            )
            await self._matches.execute(
                match_id, CreateMatch(created, new.seats, secrets), "public"
            )
            return match_id

        return await self._idempotency.once(
            request, self._new_id(MATCH), self._existing_table, create
        )

    async def made_table(self, request: KeyedRequest) -> UUID | None:
        """The open table that a request has created, if it has. Raises StoreUnavailable."""
        match_id = await self._idempotency.find_id(request)
        return None if match_id is None else await self._existing_table(match_id)

    async def _existing_table(self, match_id: UUID) -> UUID | None:
        with contextlib.suppress(UnknownMatch):
            await self._matches.beginning(match_id)
            return match_id
        return None

    async def of_round(
        self, tournament: UUID, new: NewMatch, match_id: UUID, at: RoundTable, moderators: Given
    ) -> None:
        """Creates the match with this id at a table of a round, given to `moderators`, once. Raises
        as `match` does."""
        if str(match_id) in (await self._tournaments.current(tournament)).state.matches:
            return
        created = new.created()
        added = await self._plan_addition(match_id, created, new, tournament, OPERATOR)
        _, secrets = await in_store_thread(self._make_secrets, match_id, created, new, OPERATOR)
        added = replace(added, at=at, moderators=moderators)
        # Another one may be creating it at the same moment.
        with contextlib.suppress(AlreadyExists):
            await self._tournaments.add_match(
                tournament, added, CreateMatch(created, new.seats, secrets)
            )

    async def tournament(
        self, command: NewTournament, request: KeyedRequest | None = None, by: Actor = OPERATOR
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
        self, match_id: UUID, created: MatchCreated, new: NewMatch, by: Actor
    ) -> tuple[list[str], MatchSecrets]:
        """Stores keys and secrets before the match is recorded; without the match they are
        harmless. Blocks."""
        seats = [(f"s{seat}", name) for seat, name in enumerate(new.seats)]
        holders = [("mod", ""), *(seats if new.keys == "shown" else ())]
        keys = self._keyring.issue_named(match_id, holders, by)
        return keys, self._secret_store.create(match_id, len(seats), created.chance)

    def _new_id(self, kind: int) -> UUID:
        """A new id for a match or tournament created now."""
        return time_ordered(self._matches.clock.now() // 1000, kind)

    async def _plan_addition(
        self, match_id: UUID, created: MatchCreated, new: NewMatch, tournament: UUID, by: Actor
    ) -> AddMatch:
        """What adds the match to its tournament, with what is overridden by seating players who
        have looked. Raises Refused if the tournament does not allow the match, and HasLooked if
        that is not allowed."""
        added = match_added(match_id, created, new.seats)
        await self._tournaments.check(tournament, added)
        state = (await self._tournaments.current(tournament)).state
        looks = await self._looks.of_players(state, new.seats)
        reason = new.has_looked_reason
        allowed = None if reason is None else Allowed(reason, by)
        return replace(added, override=override_of(looks, allowed))
