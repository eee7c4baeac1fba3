"""Rulings on tournaments: how they are decided, recorded, answered, previewed and listed."""

import asyncio
from functools import partial
from typing import Literal
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.cases.match_events import case_of
from domain.match.commands import Conflict
from domain.rulings.commands import (
    ConsentToRuling,
    DirectedRuling,
    Rule,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.kinds import (
    AnyRuling,
    Correction,
    ReplaceMatch,
    TournamentKind,
    tournament_kind_of,
)
from domain.rulings.state import match_of
from domain.rulings.tournament_decide import MatchFacts, RuleTournament, foresee, settled_match
from domain.tournament.decide import decide
from domain.tournament.fold import fold
from domain.tournament.settling import facts_of
from domain.tournament.stage_events import PenaltyGiven
from domain.tournament.state import KeyedRequest, Tournament
from projections.audience.results import show_result
from projections.rulings.tournament_rulings import (
    Sight,
    TournamentRulingShown,
    tournament_rulings,
    visible,
)
from projections.tournaments.stage_standings import StageStandings, show_standings
from projections.tournaments.standings import standings
from service.application.cases.case_service import CaseService
from service.application.cases.cases import Cases
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.matches.match_sessions import MatchSessions
from service.application.rulings.rulings import (
    Expected,
    Outcome,
    Preview,
    RuledOnce,
    Ruling,
    closed_case,
    rule_once,
    seconded_by_another,
)
from service.application.tournaments.tournament_service import TournamentService
from service.event_store.alongside import Alongside
from service.event_store.errors import StoreUnavailable
from service.observability.work import EVENT_READ, spend


class TournamentRulingAnswer(Struct, frozen=True):
    """What has become of a ruling: it is carried out, as ruling `n` of the tournament, or it waits
    for a second person."""

    ruling: str
    n: int | None
    kind: TournamentKind
    status: Literal["carried_out", "pending"]


class TournamentRulingService:
    """Executes rulings on tournaments. The version of one is that of the match that a ruling is
    about, or else of the whole tournament.

    All of it raises Conflict, Refused, PreconditionFailed, UnknownTournament, RecordAltered and
    StoreUnavailable.
    """

    def __init__(
        self,
        tournaments: TournamentService,
        sessions: MatchSessions,
        cases: CaseService,
        idempotency: IdempotencyStore,
    ) -> None:
        self._tournaments = tournaments
        self._sessions = sessions
        self._cases = cases
        self._clock = tournaments.clock
        self._idempotency = idempotency

    async def execute(
        self,
        tournament: UUID,
        command: Ruling,
        request: KeyedRequest | None = None,
        expected: Expected = None,
    ) -> RuledOnce[TournamentRulingAnswer]:
        """Executes a command once per request. `expected` are the versions at which it was
        previewed. Raises RequestInFlight, too."""

        async def carry_out(mine: Ruling, record_request: RecordRequest) -> TournamentRulingAnswer:
            state = await self._tournaments.now(tournament)
            directed = await self._directed(state, mine)
            if not isinstance(mine, Rule):
                decide(state, directed)
            await record_request()
            return await self._carry_out(tournament, mine, expected)

        find_answer = partial(self._find_answer, tournament)
        return await rule_once(self._idempotency, command, request, find_answer, carry_out)

    async def _find_answer(
        self, tournament: UUID, command: Ruling
    ) -> TournamentRulingAnswer | None:
        """The answer that this command has had; None if it is not on record."""
        state = await self._tournaments.now(tournament)
        was = state.rulings.was(command.id)
        if isinstance(command, Rule):
            n = None if was is None or was.proposed else was.n
            return _answer(state, command, n) if state.rulings.knows(command.id) else None
        if was is None or was.n is None or seconded_by_another(state.rulings, command):
            return None
        return _answer(state, command, was.n)

    async def _carry_out(
        self, tournament: UUID, command: Ruling, expected: Expected
    ) -> TournamentRulingAnswer:
        state = await self._tournaments.now(tournament)
        ruling = _ruling_of(state, command)

        def as_previewed(state: Tournament) -> bool:
            return expected is None or _version(state, ruling) in expected

        async def send(alongside: Alongside | None) -> None:
            directed = await self._directed(await self._tournaments.now(tournament), command)
            write = self._tournaments.written_with(alongside)
            await self._tournaments.execute(tournament, directed, None, write, as_previewed)

        case, people = closed_case(state.rulings, command)
        if case is None:
            await send(None)
        else:
            await self._cases_of(tournament, state, ruling, case).closing(
                case, command.id, people, send
            )
        after = await self._tournaments.now(tournament)
        was = after.rulings.was(command.id)
        return _answer(after, command, None if was is None else was.n)

    async def withdraw(self, tournament: UUID, command: WithdrawRuling) -> None:
        """Gives up a pending ruling."""
        state = await self._tournaments.now(tournament)
        await self._tournaments.execute(tournament, await self._directed(state, command))

    async def preview(self, tournament: UUID, command: Rule | SecondRuling) -> tuple[int, Preview]:
        """What a command would change if the ruling were carried out now, and the version for which
        that holds."""
        state = await self._tournaments.now(tournament)
        directed = await self._directed(state, command)
        decide(state, directed)
        ruling, events = _ruling_of(state, command), foresee(state, directed)
        penalty = next((event for event in events if isinstance(event, PenaltyGiven)), None)
        stage = _stage_of(state, ruling) if penalty is None else penalty.stage
        later = fold(state, events)
        before = Outcome(None, standings(state), await _standings(state, stage))
        after = Outcome(None, standings(later), await _standings(later, stage))
        if isinstance(ruling, Correction | ReplaceMatch):
            result = ruling.result if isinstance(ruling, Correction) else None
            before = replace(before, result=show_result(state.matches[ruling.match].result, UNSET))
            after = replace(after, result=show_result(result, UNSET))
        return _version(state, ruling), Preview(before, after)

    async def list_rulings(self, tournament: UUID, sight: Sight) -> list[TournamentRulingShown]:
        """The rulings as someone sees them. Raises UnknownTournament."""
        records = list(visible((await self._tournaments.current(tournament)).rulings, sight))
        spend(EVENT_READ, len(records))
        return tournament_rulings(records)

    async def check_known(self, tournament: UUID, ruling: str, sight: Sight) -> None:
        """Raises Conflict unless there is a ruling of this id that someone sees."""
        ruling_seen = (await self._tournaments.now(tournament)).rulings.ruling_of(ruling)
        if ruling_seen is None or not sight.covers(match_of(ruling_seen)):
            raise Conflict("no_such_ruling")

    async def _directed(
        self, state: Tournament, command: DirectedRuling | ConsentToRuling
    ) -> RuleTournament:
        """A command, with what it depends on in the record of its match, if it is about one. Raises
        Refused unless that is settled, and StoreUnavailable while its end is on disk and not yet in
        memory."""
        assert not isinstance(command, ConsentToRuling), "no seat is asked about such a ruling"
        match = match_of(_ruling_of(state, command))
        if match is None:
            return RuleTournament(command, None, self._clock.now())
        settled_match(state, match)
        case, _ = closed_case(state.rulings, command)
        facts = await self._facts(match, case)
        return RuleTournament(command, facts, self._clock.now())

    async def _facts(self, match: str, case: str | None) -> MatchFacts:
        loaded = await self._sessions.current(UUID(match))
        if not loaded.match.over:
            raise StoreUnavailable
        facts = facts_of(loaded.game, loaded.match)
        if case is None:
            return facts
        return replace(facts, cases=await self._cases.of_match(UUID(match)).as_recorded(case))

    def _cases_of(self, tournament: UUID, state: Tournament, ruling: AnyRuling, case: str) -> Cases:
        """Those among which the case is that a ruling names: of the tournament, or else of the
        match on which the ruling is."""
        match = match_of(ruling)
        if match is None or case_of(state.cases, case) is not None:
            return self._cases.of_tournament(tournament)
        return self._cases.of_match(UUID(match))


def _ruling_of(state: Tournament, command: DirectedRuling | ConsentToRuling) -> AnyRuling:
    """What the ruling orders that a command is about. Raises Conflict for an unknown one."""
    on_record = state.rulings.ruling_of(command.id)
    ruling = command.ruling if isinstance(command, Rule) else on_record
    if ruling is None:
        raise Conflict("no_such_ruling")
    return ruling


def _version(state: Tournament, ruling: AnyRuling) -> int:
    """What counts what happens to that on which a ruling is."""
    match = match_of(ruling)
    return state.version if match is None else state.matches[match].version


def _stage_of(state: Tournament, ruling: AnyRuling) -> int | None:
    """The stage that a ruling concerns: that of its match, or the last one that is open; None if
    there is none."""
    match = match_of(ruling)
    numbers = [
        number
        for number, stage in enumerate(state.competition.stages, 1)
        if stage.status != "planned"
        and (
            match is None
            or any(match in table.matches for round_ in stage.rounds for table in round_.tables)
        )
    ]
    return numbers[-1] if numbers else None


async def _standings(state: Tournament, stage: int | None) -> StageStandings | UnsetType:
    if stage is None:
        return UNSET
    names, results = state.players, state.results
    return await asyncio.to_thread(show_standings, state.competition, stage, results, names)


def _answer(state: Tournament, command: Ruling, n: int | None) -> TournamentRulingAnswer:
    """The answer to a command; the ruling is pending unless it was carried out as number `n`."""
    ruling = state.rulings.ruling_of(command.id)
    assert ruling is not None, "it is on record"
    status: Literal["carried_out", "pending"] = "pending" if n is None else "carried_out"
    return TournamentRulingAnswer(command.id, n, tournament_kind_of(ruling), status)
