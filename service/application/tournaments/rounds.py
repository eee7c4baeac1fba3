"""Rounds of stages: drafted, published once, and their matches created behind them, each once."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar, cast
from uuid import UUID

from msgspec import UNSET, Struct

from domain.game import Refused
from domain.match.commands import Conflict, Start
from domain.people import Actor
from domain.tournament.commands import RoundTable
from domain.tournament.competition import MatchTable, PublishedRound, stage_of
from domain.tournament.decide import decide
from domain.tournament.history import Bye, Draft, Pairing, inputs_of
from domain.tournament.open_stages import needs, next_after, open_tables, to_start
from domain.tournament.show import next_step, open_episodes
from domain.tournament.stage_commands import DrawLots, OpenChoice, PublishRound
from domain.tournament.stage_decide import (
    ShowPlan,
    check_by_hand,
    check_round,
    check_show,
    planned_history,
)
from domain.tournament.stage_events import ByHand
from domain.tournament.state import Tournament, standing_of
from projections.tournaments.stage_standings import StageStandings, show_standings
from service.application.matches.command_queue import PreconditionFailed
from service.application.matches.creation import Creation
from service.application.matches.match_service import MatchService
from service.application.tournaments.absences import Absences
from service.application.tournaments.drafts import SMALL, DraftPending, Drafts
from service.application.tournaments.names import SeatNames
from service.application.tournaments.round_matches import check_games, match_of_table, setup_of
from service.application.tournaments.tournament_service import TournamentService, match_added
from service.auth.keyring import OPERATOR
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import NOWHERE

MINUTE = 60_000_000
"""In microseconds."""

MOST_MADE = 256
"""Tables that are kept in memory, those that were made last."""

Wanted = tuple[str, int, int | None, int | None]
Edition = tuple[int, int]


T = TypeVar("T")


class HandMade(Struct, frozen=True):
    """A round that an organiser seats."""

    pairings: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    by: ByHand

    def draft(self) -> Draft:
        """The round, its tables numbered in order."""
        return Draft(
            "by_hand",
            "1",
            tuple(Pairing(number, table) for number, table in enumerate(self.pairings, 1)),
            tuple(Bye(player, "bye", ()) for player in self.byes),
        )


class RoundService:
    """The rounds of all tournaments. What follows from a published round is done by `advance`,
    which may be called again at any time: nothing is done twice."""

    def __init__(
        self,
        tournaments: TournamentService,
        matches: MatchService,
        creation: Creation,
        absences: Absences,
    ) -> None:
        self._absences = absences
        self._tournaments = tournaments
        self._matches = matches
        self._creation = creation
        self._seat_names = SeatNames(matches)
        self.drafts = Drafts()
        self._values: OrderedDict[tuple[UUID, *Wanted], tuple[Edition, object]] = OrderedDict()
        self._started: dict[UUID, frozenset[str]] = {}

    async def draft(
        self,
        tournament: UUID,
        stage: int,
        by_hand: HandMade | None,
        *,
        overlap: bool = False,
        show: ShowPlan = UNSET,
    ) -> tuple[Draft, str]:
        """The next round as it would be published now, and the hash of what it follows from.

        Raises UnknownTournament, Refused, DraftPending, or msgspec.ValidationError for options of
        the wrong shape.
        """
        state = await self._tournaments.now(tournament)
        now = standing_of(state)
        check_round(now, stage, overlap=overlap)
        check_show(now, stage, show, by_hand=by_hand is not None)
        history = planned_history(now, stage, show)
        inputs = inputs_of(history)
        if by_hand is not None:
            draft_by_hand = by_hand.draft()
            check_by_hand(history, draft_by_hand)
            return draft_by_hand, inputs
        draft = await self.drafts.of(history, inputs)
        if show is not UNSET:
            check_games(history.stage, show, draft, state.players)
        return draft, inputs

    async def draw_lots(self, tournament: UUID, purpose: str, by: Actor | None = None) -> None:
        """Draws lots for a purpose, under the seed that is committed to and with the roster as it
        is: anew if either changes meanwhile. Raises Refused if they are drawn, or not wanted."""
        while True:
            state = (await self._tournaments.current(tournament)).state
            commitment, lots = state.competition.lots, self._tournaments.lots
            assert commitment is not None, "it was committed to when the tournament was created"
            epoch = commitment.epoch
            seed = await in_store_thread(lots.seed, tournament, epoch)
            following = await in_store_thread(lots.commit, tournament, epoch + 1, state)
            at = self._matches.clock.now()
            command = DrawLots(str(tournament), purpose, seed, following, at)
            unchanged = partial(_same_lots, state)
            with suppress(PreconditionFailed):
                await self._tournaments.execute(tournament, command, by=by, expected=unchanged)
                return

    async def advance(self, tournament: UUID) -> None:
        """Does what follows by itself in a tournament: creates each match that a table still needs,
        draws the lots that one needs, lets shows go on, gives seats the new names of their players,
        starts matches, and publishes the rounds that are due. Raises Refused when all others are
        done if one cannot be: a player may lack the garnets that the match takes."""
        refused: Refused | None = None
        try:
            await self._create_all(tournament)
        except Refused as error:
            refused = error
        state = (await self._tournaments.current(tournament)).state
        await self._seat_names.follow(tournament, state)
        await self._start_all(tournament)
        await self._absences.forfeit_due(tournament)
        await self._publish_due(tournament)
        if refused is not None:
            raise refused

    async def _create_all(self, tournament: UUID) -> None:
        """Creates matches, draws lots and opens choices where they are needed. Raises as `advance`
        does."""
        while True:
            due = self._due(tournament, await self._tournaments.now(tournament))
            if not due:
                return
            refused: Refused | None = None
            for do in due:
                try:
                    await do()
                except Refused as error:
                    refused = error
            if refused is not None:
                raise refused

    def _due(self, tournament: UUID, state: Tournament) -> list[Callable[[], Awaitable[object]]]:
        """What has to be done now."""
        now, at = standing_of(state), self._matches.clock.now()
        due: list[Callable[[], Awaitable[object]]] = []
        for stage, round_, table in open_tables(now):
            need = needs(now, stage, round_, table)
            if need == "lots":
                purpose = f"replay {stage} {round_.number} {table.table}"
                due.append(partial(self.draw_lots, tournament, purpose))
            elif need == "match":
                due.append(partial(self._create, tournament, state, stage, round_, table))
        for episode in open_episodes(now):
            step, place = next_step(now, episode, at), (episode.number, episode.round.number)
            if step == "choice":
                opening = OpenChoice(*place, at)
                due.append(partial(self._tournaments.execute, tournament, opening))
            elif step is not None:
                due.append(partial(self.draw_lots, tournament, f"{step} {place[0]} {place[1]}"))
        return due

    async def _start_all(self, tournament: UUID) -> None:
        """Starts the matches that begin by themselves; each is tried once by a process."""
        state = (await self._tournaments.current(tournament)).state
        matches = to_start(standing_of(state))
        before = self._started.get(tournament, frozenset())
        for match in matches:
            if match not in before:
                with suppress(Conflict):
                    await self._matches.execute(UUID(match), Start(OPERATOR), "public")
        self._started[tournament] = frozenset(matches)
        if not matches:
            del self._started[tournament]

    async def _publish_due(self, tournament: UUID) -> None:
        """Publishes the next round of each stage where it is due by itself. Another one may be
        publishing it at the same moment: then that one stands. Raises Refused."""
        loaded, now = await self._tournaments.current(tournament), self._tournaments.clock.now()
        for number, stage in enumerate(loaded.state.competition.stages, 1):
            minutes = next_after(stage)
            if minutes is None or now < loaded.closed[number] + minutes * MINUTE:
                continue
            try:
                draft, inputs = await self.draft(tournament, number, None)
                command = PublishRound(number, draft, inputs, now)
                await self._tournaments.execute(tournament, command)
            except DraftPending:
                continue
            except Refused as refused:
                if refused.code == "lots_not_drawn":
                    await self.draw_lots(tournament, f"stage {number}")
                # The last round has been played, or someone else has published the next one.
                elif refused.code not in ("no_pairing", "round_open", "stale"):
                    raise

    def refusals(self, state: Tournament, stage: int, number: int) -> dict[int, str]:
        """The codes with which the next matches of tables of a round are refused now."""
        now, codes = standing_of(state), dict[int, str]()
        round_ = stage_of(state.competition, stage).rounds[number - 1]
        for table in round_.tables:
            if round_.status != "published" or needs(now, stage, round_, table) != "match":
                continue
            setup = setup_of(state, stage, round_, table, NOWHERE)
            try:
                decide(state, match_added(NOWHERE, setup.created(), setup.seats))
            except Refused as refused:
                codes[table.table] = refused.code
        return codes

    async def standings(
        self, tournament: UUID, stage: int, *, after: int | None, explain: int | None
    ) -> StageStandings:
        """The standings of a stage."""

        def make(state: Tournament) -> StageStandings:
            competition, results = state.competition, state.results
            return show_standings(
                competition, stage, results, state.players, after=after, explain=explain
            )

        return await self.make_once(tournament, ("standings", stage, after, explain), make)

    async def make_once(self, tournament: UUID, what: Wanted, make: Callable[[Tournament], T]) -> T:
        """What `make` makes of what is public of a tournament: once for all readers, until its next
        public event, whatever hidden is recorded. Raises UnknownTournament, and what `make`
        raises."""
        loaded = await self._tournaments.current(tournament)
        key = (tournament, *what)
        edition_before, value = self._values.get(key, ((0, 0), None))
        edition = loaded.public.seq, loaded.public.withheld
        if value is None or edition_before != edition:
            state = loaded.state
            small = len(state.players) <= SMALL
            value = make(state) if small else await asyncio.to_thread(make, state)
            self._values[key] = edition, value
            self._values.move_to_end(key)
            while len(self._values) > MOST_MADE:
                self._values.popitem(last=False)
        return cast(T, value)

    async def _create(
        self,
        tournament: UUID,
        state: Tournament,
        stage: int,
        round_: PublishedRound,
        table: MatchTable,
    ) -> None:
        settings = stage_of(state.competition, stage).settings
        place = RoundTable(stage, round_.number, table.table)
        match_id = match_of_table(tournament, place, len(table.matches), round_.starts)
        setup = setup_of(state, stage, round_, table, tournament)
        numbers = state.in_office if settings.moderators == "all" else settings.moderators
        moderators = tuple(numbers)
        try:
            await self._creation.of_round(tournament, setup, match_id, place, moderators)
        except Refused as refused:
            # It may have been withdrawn meanwhile.
            if refused.code != "round_withdrawn":
                raise


def _same_lots(before: Tournament, now: Tournament) -> bool:
    """Whether the seed of the next draw and the roster are those of before."""
    return (before.competition.lots, before.players, before.blinds) == (
        now.competition.lots,
        now.players,
        now.blinds,
    )
