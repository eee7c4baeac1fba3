"""Corrections of settled matches: made, seconded, withdrawn and previewed, once per request."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID, uuid4

from msgspec import UNSET, Struct

from domain.corrections import (
    CorrectionCommand,
    CorrectMatch,
    MatchFacts,
    SecondCorrection,
    WithdrawCorrection,
)
from domain.events import PUBLIC, SEALED, AudienceName, Event, Record
from domain.game import Refused
from domain.people import Actor
from domain.settling import facts_of
from domain.tournament import decide
from domain.tournament_ruling_events import Correction, CorrectionName
from domain.tournament_state import Request, Tournament
from projections.results import shown
from projections.standings import recounted
from projections.tournament_rulings import CorrectionShown, corrections, of_matches
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.match_sessions import MatchSessions
from service.application.ruling_answers import Outcome, Preview
from service.application.tournament_service import TournamentService
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.observability.work import EVENT_READ, spend
from service.read_models.lists import Lists

Matches = frozenset[str] | None
"""The matches that somebody moderates, None for an organiser, who is told of all."""


class Asked(Struct, frozen=True):
    """A correction as an organiser asks for it, and why."""

    ruling: Correction
    reason: str
    actor: Actor
    rule: str | None = None
    appeals: str | None = None
    case: str | None = None


class CorrectionAnswer(Struct, frozen=True):
    """What has become of a correction: it is carried out, as ruling `n` of the tournament, or it
    waits for a moderator of the match."""

    ruling: str
    n: int | None
    kind: CorrectionName
    status: Literal["carried_out", "pending"]


class CorrectedOnce(Struct, frozen=True):
    """The answer, and whether it is that to the same request before."""

    answer: CorrectionAnswer
    repeated: bool = False


class CorrectionService:
    """Executes corrections through the tournament service."""

    def __init__(
        self,
        tournaments: TournamentService,
        sessions: MatchSessions,
        lists: Lists,
        idempotency: IdempotencyStore,
        clock: Clock,
    ) -> None:
        self._tournaments = tournaments
        self._sessions = sessions
        self._lists = lists
        self._idempotency = idempotency
        self._clock = clock

    async def correct(
        self,
        tournament: UUID,
        asked: Asked,
        request: Request | None,
        expected: frozenset[int] | None,
    ) -> CorrectedOnce:
        """Corrects a match, or proposes it if that needs a moderator; once per request. `expected`
        are the versions of the match at which it was previewed.

        Raises Refused, PreconditionFailed, UnknownTournament, RequestInFlight or StoreUnavailable.
        """

        async def find(ruling: UUID) -> CorrectedOnce | None:
            state = await self._tournaments.now(tournament)
            known = state.rulings.match_of(str(ruling)) is not None
            first = _answer(state, str(ruling), as_it_was=True)
            return CorrectedOnce(first, repeated=True) if known else None

        async def create(ruling: UUID, record_request: RecordRequest) -> CorrectedOnce:
            command = await self._command(tournament, str(ruling), asked)
            await record_request()
            return await self._execute(tournament, command, asked.ruling.match, expected)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def second(
        self,
        tournament: UUID,
        ruling: str,
        actor: Actor,
        request: Request | None,
        expected: frozenset[int] | None,
    ) -> CorrectedOnce:
        """Carries out a pending correction, once per request. Raises as `correct` does."""

        async def find(_: UUID) -> CorrectedOnce | None:
            state = await self._tournaments.now(tournament)
            was = state.rulings.was(ruling)
            done = was is not None and was.n is not None
            return CorrectedOnce(_answer(state, ruling), repeated=True) if done else None

        async def create(_: UUID, record_request: RecordRequest) -> CorrectedOnce:
            match, facts = await self._about(tournament, ruling)
            command = SecondCorrection(ruling, actor, facts)
            await self._tournaments.check(tournament, command)
            await record_request()
            return await self._execute(tournament, command, match, expected)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def withdraw(self, tournament: UUID, ruling: str, actor: Actor) -> None:
        """Gives up a pending correction. Raises as `correct` does."""
        _, facts = await self._about(tournament, ruling)
        await self._tournaments.execute(tournament, WithdrawCorrection(ruling, actor, facts))

    async def preview(self, tournament: UUID, asked: Asked) -> tuple[int, Preview]:
        """What a correction would change, and the version of the match for which that holds. Raises
        Refused as `correct` would."""
        command = await self._command(tournament, "", asked)
        return await self._previewed(tournament, command, asked.ruling)

    async def preview_second(
        self, tournament: UUID, ruling: str, actor: Actor
    ) -> tuple[int, Preview]:
        """What a pending correction would change. Raises Refused as `second` would."""
        _, facts = await self._about(tournament, ruling)
        state = await self._tournaments.now(tournament)
        pending = state.rulings.waiting(ruling)
        if pending is None:
            raise Refused("not_pending")
        command = SecondCorrection(ruling, actor, facts)
        return await self._previewed(tournament, command, pending.ruling)

    async def listed(self, tournament: UUID, matches: Matches) -> list[CorrectionShown]:
        """The rulings that a moderator of these matches sees. Raises UnknownTournament."""
        await self._tournaments.current(tournament)
        audiences: Sequence[AudienceName] = (
            (PUBLIC,) if matches == frozenset() else (PUBLIC, SEALED)
        )
        records = await self._records(tournament, audiences)
        if matches:
            records = list(of_matches(records, matches))
        spend(EVENT_READ, len(records))
        return corrections(records)

    async def check_known(self, tournament: UUID, ruling: str, matches: Matches) -> None:
        """Raises Refused unless there is a ruling of this id, on one of these matches."""
        state = await self._tournaments.now(tournament)
        match = state.rulings.match_of(ruling)
        if match is None or (matches is not None and match not in matches):
            raise Refused("no_such_ruling")

    async def _records(
        self, tournament: UUID, audiences: Sequence[AudienceName]
    ) -> list[Record[Event]]:
        return await self._lists.tournament_rulings(tournament, audiences)

    async def _command(self, tournament: UUID, ruling: str, asked: Asked) -> CorrectMatch:
        state = await self._tournaments.now(tournament)
        facts = await self._facts(state, asked.ruling.match)
        return CorrectMatch(
            ruling,
            asked.ruling,
            asked.reason,
            asked.actor,
            facts,
            self._clock.now(),
            asked.rule,
            asked.appeals,
            asked.case,
        )

    async def _about(self, tournament: UUID, ruling: str) -> tuple[str, MatchFacts]:
        """The match about which a ruling is, and what it depends on."""
        state = await self._tournaments.now(tournament)
        match = state.rulings.match_of(ruling)
        if match is None:
            raise Refused("no_such_ruling")
        return match, await self._facts(state, match)

    async def _facts(self, state: Tournament, match: str) -> MatchFacts:
        """What a correction of a match depends on in its record. Raises Refused unless it is
        settled, and StoreUnavailable while its end is on disk and not yet in memory."""
        added = state.matches.get(match)
        if added is None:
            raise Refused("no_such_tournament_match")
        if not added.settled:
            raise Refused("result_not_final")
        loaded = await self._sessions.current(UUID(match))
        if not loaded.match.over:
            raise StoreUnavailable
        return facts_of(loaded.game, loaded.match)

    async def _previewed(
        self, tournament: UUID, command: CorrectionCommand, ruling: Correction
    ) -> tuple[int, Preview]:
        state = await self._tournaments.now(tournament)
        decide(state, command)
        added = state.matches[ruling.match]
        before = list((await self._lists.tournament(tournament)).standings)
        after = recounted(before, added.players, added.result, ruling.result)
        counted, instead = shown(added.result, UNSET), shown(ruling.result, UNSET)
        preview = Preview(Outcome(counted, before), Outcome(instead, after))
        return added.version, preview

    async def _execute(
        self,
        tournament: UUID,
        command: CorrectMatch | SecondCorrection,
        match: str,
        expected: frozenset[int] | None,
    ) -> CorrectedOnce:
        def as_previewed(state: Tournament) -> bool:
            return expected is None or state.matches[match].version in expected

        await self._tournaments.execute(tournament, command, expected=as_previewed)
        state = await self._tournaments.now(tournament)
        return CorrectedOnce(_answer(state, command.id))


def _answer(state: Tournament, ruling: str, *, as_it_was: bool = False) -> CorrectionAnswer:
    """What has become of a ruling that was carried out or waits, now or in its first answer."""
    was = state.rulings.was(ruling)
    if was is None or was.n is None or (as_it_was and was.proposed):
        return CorrectionAnswer(ruling, None, "correct", "pending")
    return CorrectionAnswer(ruling, was.n, "correct", "carried_out")
