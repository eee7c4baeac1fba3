"""Rulings on tournaments: how they are decided, recorded, answered, previewed and listed."""

from functools import partial
from typing import Literal
from uuid import UUID

from msgspec import UNSET, Struct

from domain.match.commands import Conflict
from domain.rulings.commands import (
    ConsentToRuling,
    DirectedRuling,
    Rule,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.corrections import MatchFacts, RuleTournament, check_settled
from domain.rulings.kinds import Correction, CorrectionName
from domain.rulings.state import PastRuling, match_of
from domain.tournament.decide import decide
from domain.tournament.settling import facts_of
from domain.tournament.state import KeyedRequest, Tournament
from projections.audience.results import shown
from projections.rulings.tournament_rulings import CorrectionShown, corrections, of_matches
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.match_sessions import MatchSessions
from service.application.rulings.ruling_answers import Outcome, Preview
from service.application.rulings.rulings import Expected, RuledOnce, Ruling, ruled_once
from service.application.tournaments.tournament_service import TournamentService
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.observability.work import EVENT_READ, spend
from service.read_models.lists import Lists

Matches = frozenset[str] | None
"""The matches that someone moderates, None for an organiser, who is told of all."""


class CorrectionAnswer(Struct, frozen=True):
    """What has become of a correction: it is carried out, as ruling `n` of the tournament, or it
    waits for a moderator of the match."""

    ruling: str
    n: int | None
    kind: CorrectionName
    status: Literal["carried_out", "pending"]


class TournamentRulingService:
    """Executes rulings on tournaments. The version of one is that of the match that a ruling is
    about.

    All of it raises Conflict, Refused, PreconditionFailed, UnknownTournament, RecordAltered and
    StoreUnavailable.
    """

    def __init__(
        self,
        tournaments: TournamentService,
        sessions: MatchSessions,
        lists: Lists,
        clock: Clock,
        idempotency: IdempotencyStore,
    ) -> None:
        self._tournaments = tournaments
        self._sessions = sessions
        self._lists = lists
        self._clock = clock
        self._idempotency = idempotency

    async def execute(
        self,
        tournament: UUID,
        command: Ruling,
        request: KeyedRequest | None = None,
        expected: Expected = None,
    ) -> RuledOnce[CorrectionAnswer]:
        """Executes a command once per request. `expected` are the versions at which it was
        previewed. Raises RequestInFlight, too."""

        async def carry_out(mine: Ruling, record_request: RecordRequest) -> CorrectionAnswer:
            state = await self._tournaments.now(tournament)
            directed = await self._directed(state, mine)
            if not isinstance(mine, Rule):
                decide(state, directed)
            await record_request()
            return await self._carry_out(tournament, mine, expected)

        answered = partial(self._answered, tournament)
        return await ruled_once(self._idempotency, command, request, answered, carry_out)

    async def _answered(self, tournament: UUID, command: Ruling) -> CorrectionAnswer | None:
        """The answer that this command has had; None if it is not on record."""
        rulings = (await self._tournaments.now(tournament)).rulings
        was = rulings.was(command.id)
        if isinstance(command, Rule):
            first = None if was is not None and was.proposed else was
            return _answer(command, first) if rulings.knows(command.id) else None
        return None if was is None or was.n is None else _answer(command, was)

    async def _carry_out(
        self, tournament: UUID, command: Ruling, expected: Expected
    ) -> CorrectionAnswer:
        state = await self._tournaments.now(tournament)
        match = _about(state, command)

        def as_previewed(state: Tournament) -> bool:
            return expected is None or state.matches[match].version in expected

        directed = await self._directed(state, command)
        await self._tournaments.execute(tournament, directed, expected=as_previewed)
        after = await self._tournaments.now(tournament)
        return _answer(command, after.rulings.was(command.id))

    async def withdraw(self, tournament: UUID, command: WithdrawRuling) -> None:
        """Gives up a pending ruling."""
        state = await self._tournaments.now(tournament)
        await self._tournaments.execute(tournament, await self._directed(state, command))

    async def preview(self, tournament: UUID, command: Rule | SecondRuling) -> tuple[int, Preview]:
        """What a command would change if the ruling were carried out now, and the version for which
        that holds."""
        state = await self._tournaments.now(tournament)
        decide(state, await self._directed(state, command))
        pending = state.rulings.waiting(command.id)
        ruling = command.ruling if isinstance(command, Rule) else pending and pending.ruling
        assert isinstance(ruling, Correction), "it could be decided"
        added = state.matches[ruling.match]
        cup = await self._lists.tournament(tournament)
        after = cup.standings_with(ruling.match, ruling.result)
        counted, instead = shown(added.result, UNSET), shown(ruling.result, UNSET)
        return added.version, Preview(
            Outcome(counted, list(cup.standings)), Outcome(instead, after)
        )

    async def listed(self, tournament: UUID, matches: Matches) -> list[CorrectionShown]:
        """The rulings that a moderator of these matches sees. Raises UnknownTournament."""
        records = (await self._tournaments.current(tournament)).rulings
        if matches is not None:
            records = list(of_matches(records, matches))
        spend(EVENT_READ, len(records))
        return corrections(records)

    async def check_known(self, tournament: UUID, ruling: str, matches: Matches) -> None:
        """Raises Conflict unless there is a ruling of this id, on one of these matches."""
        state = await self._tournaments.now(tournament)
        match = state.rulings.match_of(ruling)
        if match is None or (matches is not None and match not in matches):
            raise Conflict("no_such_ruling")

    async def _directed(
        self, state: Tournament, command: DirectedRuling | ConsentToRuling
    ) -> RuleTournament:
        """A command, with what it depends on in the record of its match. Raises Refused unless that
        is settled, and StoreUnavailable while its end is on disk and not yet in memory."""
        assert not isinstance(command, ConsentToRuling), "no seat is asked about a correction"
        match = _about(state, command)
        check_settled(state, match)
        return RuleTournament(command, await self._facts(match), self._clock.now())

    async def _facts(self, match: str) -> MatchFacts:
        loaded = await self._sessions.current(UUID(match))
        if not loaded.match.over:
            raise StoreUnavailable
        return facts_of(loaded.game, loaded.match)


def _about(state: Tournament, command: DirectedRuling | ConsentToRuling) -> str:
    """The match about which a command is. Raises Conflict for an unknown ruling."""
    known = state.rulings.match_of(command.id)
    match = match_of(command.ruling) if isinstance(command, Rule) else known
    if match is None:
        raise Conflict("no_such_ruling")
    return match


def _answer(command: Ruling, was: PastRuling | None) -> CorrectionAnswer:
    """The answer to a command; the ruling is pending unless it `was` carried out."""
    if was is None or was.n is None:
        return CorrectionAnswer(command.id, None, "correct", "pending")
    return CorrectionAnswer(command.id, was.n, "correct", "carried_out")
