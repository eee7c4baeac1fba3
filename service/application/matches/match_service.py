"""The match service: every change of every match is executed here, and nowhere else.

Commands are decided on the event loop over states in memory. Those that wait while one transaction
is being committed form the next one. States are replaced, and senders answered, only after the
commit.
"""

import asyncio
from collections.abc import Sequence
from math import inf
from uuid import UUID

from eventsourcing.persistence import IntegrityError

from domain.match.commands import Command, Conflict, PassDeadline
from domain.proof.creation_notes import Beginning
from domain.rulings.decide import due_at
from projections.audience.disclosure import Viewer
from service.application.announcer import Announcer
from service.application.matches.command_queue import (
    CommandResponse,
    CommandResult,
    CreateMatch,
    LostEveryRace,
    QueuedCommand,
    final_error,
)
from service.application.matches.commits import ANSWER_SECONDS, Commits, seconds_left
from service.application.matches.decision import Decision
from service.application.matches.decision_queue import DecisionQueue
from service.application.matches.loaded_match import LoadedMatch
from service.application.matches.match_sessions import MatchSessions
from service.application.scheduling.heartbeat import Presence
from service.application.scheduling.scheduler import RETRY
from service.clock import Clock
from service.event_store.alongside import Alongside
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.digests import RecordAltered
from service.event_store.recorder import Row
from service.event_store.store_threads import StoreSilent
from service.observability import logs

MOST_WAITING = 8_192

SILENT_SECONDS = 5.0
"""While a transaction takes longer than this, no more commands are accepted: commands that wait for
a silent store must not use up what other requests need."""


class MatchService:
    """Executes commands on matches, and announces what becomes of them."""

    def __init__(
        self,
        sessions: MatchSessions,
        clock: Clock,
        announcer: Announcer,
        queue: DecisionQueue,
        commits: Commits,
    ) -> None:
        self.sessions = sessions
        self.clock = clock
        self._announcer = announcer
        self._queue = queue
        self._accepted: dict[QueuedCommand, None] = {}
        self._silent_from = inf
        self.commits = commits

    @property
    def waiting(self) -> int:
        """The number of commands not answered yet."""
        return len(self._accepted)

    async def execute(
        self,
        match_id: UUID,
        command: Command | CreateMatch,
        viewer: Viewer,
        expected: frozenset[int] | None = None,
        alongside: Alongside | None = None,
    ) -> CommandResponse:
        """Executes a command; returns when its consequences are on disk, with the rows `alongside`
        if a match is created, or a case opened or closed.

        Raises UnknownMatch, Conflict (the match does not allow it now), PreconditionFailed (the
        sender's current count is not among `expected`), LimitReached (the seat has sent too much),
        ConcurrencyConflict (the rows alongside are out of date), RecordAltered (the record is
        closed) or StoreUnavailable.
        """
        silent = asyncio.get_running_loop().time() > self._silent_from
        if silent or self.waiting >= MOST_WAITING:
            raise StoreUnavailable
        self.commits.check()
        session = self.sessions.session(match_id)
        queued = QueuedCommand(command, self.clock.now(), viewer, expected, alongside)
        session.queue.append(queued)
        self._accepted[queued] = None
        self._queue.add(session)
        late = asyncio.get_running_loop().call_later(seconds_left(), _give_up, queued)
        try:
            answer = await queued.future
        finally:
            late.cancel()
            del self._accepted[queued]
        if isinstance(answer, CommandResult):
            return await self.answer_again(match_id, viewer, answer)
        return answer

    def instant(self, loaded: LoadedMatch) -> int:
        """The instant at which something is decided on a match now."""
        return max(self.clock.now(), loaded.at)

    async def beginning(self, match_id: UUID) -> Beginning:
        """How the record of a match begins. Raises UnknownMatch."""
        beginning = (await self.sessions.current(match_id)).beginning
        assert beginning is not None, "what is on record has begun"
        return beginning

    async def append_with(self, rows: Sequence[Row], decisions: Sequence[Decision]) -> None:
        """Records rows with what was decided on matches as they are in the store: all of it is
        recorded, or nothing. Matches in memory are read again."""
        digests = [row for decision in decisions for row in decision.digested()]
        try:
            await self.commits.append(
                [*rows, *(row for decision in decisions for row in decision.rows)], digests
            )
        finally:
            for decision in decisions:
                self.sessions.invalidate(decision.session.id)
        for decision in decisions:
            self._announce(decision)

    async def pass_deadline(self, match_id: UUID) -> None:
        """Lets a match's deadline pass; the scheduler calls this when it falls due."""
        try:
            await self.execute(match_id, PassDeadline(), "public")
        except Conflict:
            # Another command let it pass, or the clock was set back: arm the one in force now.
            loaded = await self.sessions.current(match_id)
            self._announcer.due(match_id, due_at(loaded.match))
        except RecordAltered:
            # Reported when it was found; no deadline passes in a closed record.
            return

    async def run(self) -> None:
        """Decides and commits for as long as the service runs."""
        try:
            await self._decide_and_commit()
        finally:
            self.end()

    def end(self) -> None:
        """Accepts no more commands and fails those that wait. A transaction under way may still be
        committed or not."""
        self.commits.end()
        for queued in self._accepted:
            queued.fail(StoreUnavailable())

    async def answer_again(
        self, match_id: UUID, viewer: Viewer, result: CommandResult
    ) -> CommandResponse:
        """The response to a command that is on record, when what it needs is not in memory, or its
        sender's projection is further on. A seat's has a receipt."""
        loaded, projection = await self.sessions.cached_projection(
            match_id, viewer, receipts=isinstance(viewer, int)
        )
        acknowledged = loaded.acknowledged(viewer, result.position)
        end = projection.count(result.end)
        body = await self.sessions.body_at(match_id, viewer, end)
        seq, withheld = projection.count(result.position), projection.withheld
        return CommandResponse(result, seq, body, end, withheld, acknowledged)

    @property
    def presence(self) -> Presence:
        """What is known of the times in which no one could reach the service."""
        return self._queue.presence

    async def _decide_and_commit(self) -> None:
        """Decides and commits in turn. Senders are answered while the next transaction is already
        being committed."""
        while True:
            await self._queue.work.wait()
            self._queue.work.clear()
            committed: list[Decision] = []
            while self._queue:
                if not committed:
                    await self._queue.gather(lambda: self.waiting)
                if not self._queue.presence.confirmed:
                    self._respond(committed)
                    committed = []
                    await self._confirm()
                    continue
                decisions = self._queue.decisions()
                commit = self._begin_commit(decisions)
                self._respond(committed)
                committed = await self._await_commit(decisions, commit)
            self._respond(committed)

    async def _confirm(self) -> None:
        """Learns of every absence before anything is judged. If the store does not answer, all
        commands that wait to be decided fail."""
        self._silent_from = asyncio.get_running_loop().time() + SILENT_SECONDS
        try:
            await self._queue.presence.confirm()
        except Exception as error:  # noqa: BLE001  after any error nothing is acknowledged
            logs.failure("store_failed", error)
            self._queue.fail()
        finally:
            self._silent_from = inf

    def _begin_commit(self, decisions: Sequence[Decision]) -> asyncio.Future[None]:
        """Passes what has been decided to the writer's thread."""
        rows = [row for item in decisions for row in (*item.rows, *item.alongside.rows)]
        digests = [row for item in decisions for row in (*item.digested(), *item.alongside.digests)]
        # Answers of decisions without new events must hold, too; those with new events are checked
        # by the version of those events.
        relied_on = [
            (item.session.id.hex, item.begins_at) for item in decisions if not item.records
        ]
        unchanged = relied_on if self.sessions.shared else []
        commands = sum(len(decision.decided) for decision in decisions)
        return self.commits.begin(rows, unchanged, digests, commands)

    async def _await_commit(
        self, decisions: list[Decision], commit: asyncio.Future[None]
    ) -> list[Decision]:
        """Waits for the commit and applies the decisions; returns those to be answered."""
        self._silent_from = asyncio.get_running_loop().time() + SILENT_SECONDS
        try:
            await commit
        except IntegrityError:
            self._retry(decisions)
            return []
        except Exception as error:  # noqa: BLE001  after any error nothing is acknowledged
            self._fail(decisions, error)
            logs.failure("store_failed", error, matches=len(decisions))
            return []
        finally:
            self._silent_from = inf
        for decision in decisions:
            if decision.records:
                self._announce(decision)
            for queued in decision.waiting:
                queued.tries = 0
            self._queue.end_turn(decision.session, decision.waiting)
        return decisions

    def _announce(self, decision: Decision) -> None:
        """Replaces the state of a match that has grown, and notifies its readers, the scheduler
        and, at its end, the leader tasks."""
        decision.adopt()
        self._announcer.grown(decision.session.id)
        if decision.session.loaded is not None:
            decision.session.loaded.projections.release_records()
        # While a command waits for overdue deadlines, that command lets them pass; the report is
        # needed only if the command is lost.
        due = self.clock.now() + RETRY if decision.waiting else due_at(decision.match)
        self._announcer.due(decision.session.id, due)
        if decision.match.over:
            self._announcer.over(decision.match.created.tournament is not None)

    def _respond(self, committed: list[Decision]) -> None:
        """Answers every sender."""
        for decision in committed:
            loaded = decision.session.loaded
            try:
                for queued in decision.decided:
                    queued.respond(loaded)
            except Exception as fault:  # noqa: BLE001  a fault in a board must not stop the others
                for queued in decision.decided:
                    queued.fail(fault)
                logs.failure("answering_failed", fault, match=decision.session.name)
            if loaded is not None:
                loaded.trim()

    def _retry(self, decisions: list[Decision]) -> None:
        """After losing a race: each match is read and decided again, in its own transaction."""
        for decision in decisions:
            decision.session.forget()
            again: list[QueuedCommand] = []
            for queued in decision.commands:
                queued.tries += 1
                failure = final_error(queued)
                if failure is None:
                    again.append(queued)
                else:
                    queued.fail(failure)
                    if isinstance(failure, StoreUnavailable):
                        logs.failure("store_failed", LostEveryRace())
            self._queue.end_turn(decision.session, again)

    def _fail(self, decisions: list[Decision], error: Exception) -> None:
        """After a failed commit: it is unknown what the store has, so nothing is acknowledged and
        everything is read again."""
        for decision in decisions:
            decision.session.forget()
            for queued in decision.commands:
                queued.fail(StoreUnavailable(error))
            self._queue.end_turn(decision.session, ())
            self._announcer.unsure(decision.session.id)


def _give_up(queued: QueuedCommand) -> None:
    """Answers a command that has waited too long. It may still be committed; if it has not been
    decided, it will not be."""
    silent = StoreSilent(f"no commit in {ANSWER_SECONDS:g} s")
    logs.failure("store_failed", silent)
    queued.fail(StoreUnavailable(silent))
