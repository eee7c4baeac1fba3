"""Which matches are decided next, and the decisions of their commands."""

import asyncio
from collections.abc import Callable, Sequence
from uuid import UUID

from service.application.matches.command_queue import QueuedCommand
from service.application.matches.decision import Decision
from service.application.matches.match_session import MatchSession
from service.application.matches.match_sessions import MatchSessions
from service.application.scheduling.heartbeat import Presence
from service.clock import Clock
from service.event_store.errors import StoreUnavailable

MOST_A_TRANSACTION = 256
MOST_DEADLINES = 256
"""Maximum number of overdue deadlines that pass in one transaction. After hours of downtime there
may be thousands in a row, and everyone else would wait for them."""


class DecisionQueue:
    """The matches with commands to decide, in order; those that lost a race come first, each in a
    transaction of its own. `work` is set when there may be some. `seat_bytes` is how much one seat
    may put on the record of a match. Nothing is judged before `presence` is confirmed."""

    def __init__(
        self, sessions: MatchSessions, clock: Clock, seat_bytes: int, presence: Presence
    ) -> None:
        self.work = asyncio.Event()
        self._sessions = sessions
        self._clock = clock
        self._seat_bytes = seat_bytes
        self.presence = presence
        self._ready: dict[UUID, MatchSession] = {}
        self._retries: dict[UUID, MatchSession] = {}

    def __bool__(self) -> bool:
        return bool(self._ready or self._retries)

    def add(self, session: MatchSession) -> None:
        """Queues the match to be decided, after reading what that needs."""
        if not session.decidable:
            viewers = dict.fromkeys(queued.viewer for queued in session.queue)
            receipts = any(queued.acknowledged for queued in session.queue)
            task = self._sessions.prepare(session, viewers, receipts=receipts)
            task.add_done_callback(lambda task: self._prepared(session, task))
            return
        waiting = self._retries if session.queue[0].tries else self._ready
        waiting[session.id] = session
        self.work.set()

    def _prepared(self, session: MatchSession, task: asyncio.Task[None]) -> None:
        """Goes on with a match whose reading has finished or failed."""
        if not session.queue:
            return
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            for queued in session.queue:
                queued.fail(error or StoreUnavailable())
            session.queue.clear()
        else:
            self.add(session)

    async def gather(self, waiting: Callable[[], int]) -> None:
        """Collects the commands that have already arrived, of which `waiting` tells the number: a
        transaction costs the same for one as for many.

        It uses no timer; it ends with the first turn of the loop that brings nothing new.
        """
        before = 0
        while before < waiting() < MOST_A_TRANSACTION:
            before = waiting()
            await asyncio.sleep(0)

    def decisions(self) -> list[Decision]:
        """Decides waiting commands: those of one match alone if it lost a race, or else those of
        many matches together."""
        waiting, now = self._retries or self._ready, self._clock.now()
        decisions: list[Decision] = []
        put_off: list[Decision] = []
        room, deadlines = MOST_A_TRANSACTION, MOST_DEADLINES
        while waiting and room > 0:
            decision = self._decision(waiting.pop(next(iter(waiting))), now, room, deadlines)
            if decision is not None:
                nothing = not decision.decided and not decision.records
                (put_off if nothing else decisions).append(decision)
                room -= len(decision.decided)
                deadlines = decision.deadlines_left
                if waiting is self._retries:
                    break
        for decision in put_off:
            self.end_turn(decision.session, decision.waiting)
        return decisions

    def _decision(
        self, session: MatchSession, now: int, room: int, deadlines: int
    ) -> Decision | None:
        """Decides the waiting commands of a match; None if it is not decidable any more."""
        if not session.queue:
            return None
        if not session.decidable:
            self.add(session)
            return None
        absences = self.presence.absences
        decision = Decision(session, deadlines, now, self._seat_bytes, absences)
        session.deciding = True
        while (
            session.queue
            and session.decidable
            and len(decision.decided) < room
            and not decision.waiting
        ):
            queued = session.queue.popleft()
            if not queued.given_up:
                decision.add(queued)
        return decision

    def end_turn(self, session: MatchSession, again: Sequence[QueuedCommand]) -> None:
        """Ends the match's turn. The commands in `again` are decided next, before later ones."""
        session.deciding = False
        session.queue.extendleft(reversed(again))
        if session.queue:
            self.add(session)

    def fail(self) -> None:
        """Fails every command that waits to be decided."""
        for waiting in (self._retries, self._ready):
            for session in waiting.values():
                for queued in session.queue:
                    queued.fail(StoreUnavailable())
                session.queue.clear()
            waiting.clear()
