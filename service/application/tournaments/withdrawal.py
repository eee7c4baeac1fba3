"""Rounds that are withdrawn: in one transaction with their matches, which are void from then on."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from domain.game import Refused
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import VoidMatch
from domain.tournament.competition import PublishedRound, stage_of
from domain.tournament.stage_commands import WithdrawRound
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR
from service.application.matches.command_queue import QueuedCommand
from service.application.matches.decision import Decision
from service.application.matches.decision_queue import MOST_DEADLINES
from service.application.matches.match_service import MatchService
from service.application.matches.match_session import MatchSession
from service.application.tournaments.tournament_service import TournamentChange, TournamentService
from service.event_store.errors import retried
from service.event_store.recorder import Row


class Withdrawal:
    """Withdraws rounds."""

    def __init__(self, tournaments: TournamentService, matches: MatchService) -> None:
        self._tournaments = tournaments
        self._matches = matches

    async def withdraw(
        self, tournament: UUID, command: WithdrawRound, once: KeyedRequest | None, by: Actor
    ) -> TournamentChange:
        """Withdraws a round of which no match has started. A match that is started at the same
        moment is first, and the round stays; or it is void, and does not start.

        Raises Refused, Conflict if `by` plays in one of the matches, or as
        `TournamentService.execute` does.
        """

        async def write(added_rows: Sequence[Row]) -> None:
            loaded = self._tournaments.loaded(tournament)
            assert loaded is not None, "the command is being executed"
            stage = stage_of(loaded.state.competition, command.stage)
            voided = await self._voided(stage.rounds[command.round - 1], command.reason, by)
            await self._matches.append_with(added_rows, voided)

        execute = self._tournaments.execute
        return await retried(lambda: execute(tournament, command, once, write, by=by))

    async def _voided(self, round_: PublishedRound, reason: str, by: Actor) -> list[Decision]:
        """What makes the matches of a round void. Raises Refused if one of them has started."""
        decisions = []
        for match_id in (UUID(match) for table in round_.tables for match in table.matches):
            loaded = await self._matches.sessions.load_stored(match_id)
            if loaded.match.game is not None:
                raise Refused("round_begun")
            if not loaded.match.over:
                session, now = MatchSession(match_id, loaded=loaded), self._matches.clock.now()
                decision = Decision(session, MOST_DEADLINES, now, 0)
                void = Rule(str(uuid4()), VoidMatch(), reason, by)
                queued = QueuedCommand(void, now, MODERATOR, None)
                decision.add(queued)
                if isinstance(queued.result, Exception):
                    raise queued.result
                decisions.append(decision)
        return decisions
