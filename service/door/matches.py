"""The one door: every change of every match comes in here, and nowhere else.

Commands are judged on the event loop over states in memory. All that wait while a transaction is
being committed form the next one; states are replaced, and answers given, only after the commit.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from time import monotonic, perf_counter
from typing import Any
from uuid import UUID

from eventsourcing.persistence import IntegrityError

from domain.commands import Command, Conflict, PassDeadline
from projections.disclosure import Viewer
from service import logs
from service.clock import Clock
from service.door.judging import Draft, judged_on
from service.door.open_match import OpenMatch
from service.door.open_matches import OpenMatches
from service.door.pending import AlreadyThere, Answer, Create, Overtaken, Pending
from service.door.scheduler import RETRY
from service.storage.reading import StoreUnavailable
from service.storage.store import Length, Row, Store
from service.watcher import NOBODY, Watcher

MOST_A_TRANSACTION = 256
MOST_DEADLINES = 256
"""So many overdue deadlines pass in one transaction at most: what has been down for hours may have
thousands of them, one after another, and everybody else would wait."""

MOST_WAITING = 8_192
MOST_TRIES = 12

SILENT_SECONDS = 5.0
"""While a transaction takes longer than this nobody else is let in: who waits for a store that says
nothing must not use up what the others' requests need."""


class Matches:
    """Every change of a match. `wake` is told of every match that has news, `arm` each match's
    deadline when it may have changed, `over` that a match has ended, and whether it is a
    tournament's. Where the store is `shared`, other instances change matches too."""

    def __init__(
        self,
        store: Store,
        open_matches: OpenMatches,
        clock: Clock,
        wake: Callable[[UUID], None],
        arm: Callable[[UUID, int | None], None],
        over: Callable[[bool], None] = lambda _: None,
        *,
        shared: bool = False,
        watcher: Watcher = NOBODY,
    ) -> None:
        self._store = store
        self._open = open_matches
        self._clock = clock
        self._wake = wake
        self._arm = arm
        self._over = over
        self._shared = shared
        self._watcher = watcher
        self._ready: dict[UUID, OpenMatch] = {}
        self._alone: dict[UUID, OpenMatch] = {}
        self._entered: set[Pending] = set()
        self._ended = asyncio.Event()
        self._silent_from = inf
        self._work = asyncio.Event()
        self._writer = ThreadPoolExecutor(1, "writer")

    @property
    def waiting(self) -> int:
        """How many commands have not been answered yet."""
        return len(self._entered)

    async def enter(
        self,
        match_id: UUID,
        command: Command | Create,
        viewer: Viewer,
        expected: frozenset[int] | None = None,
    ) -> Answer:
        """Lets a command in, and answers when what it caused is on disk.

        Raises UnknownMatch, Conflict (the match is in no position for it), Stale (the
        sender's present count is not among `expected`), Overtaken (what is to be recorded beside
        it is out of date) or StoreUnavailable.
        """
        silent = monotonic() > self._silent_from
        if silent or self._ended.is_set() or self.waiting >= MOST_WAITING:
            raise StoreUnavailable
        opened = self._open.place(match_id)
        pending = Pending(command, self._clock.now(), viewer, expected)
        opened.queue.append(pending)
        self._entered.add(pending)
        self._let_in(opened)
        try:
            verdict = await pending.future
        finally:
            self._entered.discard(pending)
        if pending.view is None:
            reader = await self._open.reader_at(opened, viewer, verdict.end)
            pending.seq = reader.count(verdict.position)
            pending.view_seq = reader.sight.seq
            pending.view = reader.body(opened.name, opened.game_id)
        return Answer(verdict, pending.seq, pending.view, pending.view_seq)

    async def append(self, rows: Sequence[Row]) -> None:
        """Records what belongs to no match, in the order of all that is recorded here.

        Raises Overtaken if another writer was first, or StoreUnavailable: then nobody knows
        whether it is on record.
        """
        loop = asyncio.get_running_loop()
        try:
            commit = loop.run_in_executor(self._writer, self._stored, rows, (), 1)
            await self._unless_ended(commit)
        except IntegrityError:
            raise Overtaken from None
        except Exception as error:
            logs.failed("store_failed", error)
            raise StoreUnavailable from error

    async def pass_deadline(self, match_id: UUID) -> None:
        """The scheduler's report that a match's deadline has been reached."""
        try:
            await self.enter(match_id, PassDeadline(), "public")
        except Conflict:
            # Another command let it pass, or the clock was set back: what is in force now counts.
            opened = await self._open.opened(match_id)
            assert opened.match is not None
            self._arm(match_id, opened.match.awaiting.deadline)

    async def run(self) -> None:
        """Judges and commits for as long as the service runs."""
        try:
            await self._judge_and_commit()
        finally:
            self.end()

    def end(self) -> None:
        """Nobody is let in any more, and whoever waits is told that nobody knows: what is being
        committed may be on record or not."""
        self._ended.set()
        for pending in self._entered:
            pending.fail(StoreUnavailable())

    async def _judge_and_commit(self) -> None:
        """Senders are answered while what was judged next is being committed already."""
        loop = asyncio.get_running_loop()
        while True:
            await self._work.wait()
            self._work.clear()
            committed: list[Draft] = []
            while self._ready or self._alone:
                if not committed:
                    await self._gather()
                drafts = self._drafts()
                batch = [row for draft in drafts for row in draft.rows]
                unchanged = judged_on(drafts) if self._shared else []
                commands = sum(len(draft.judged) for draft in drafts)
                commit = loop.run_in_executor(
                    self._writer, self._stored, batch, unchanged, commands
                )
                self._answer(committed)
                committed = await self._committed(drafts, commit)
            self._answer(committed)

    async def _unless_ended(self, commit: asyncio.Future[None]) -> None:
        """Waits for what is being committed. Raises StoreUnavailable if the end comes first."""
        end = asyncio.ensure_future(self._ended.wait())
        try:
            either: set[asyncio.Future[Any]] = {commit, end}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            end.cancel()
        if not commit.done():
            commit.add_done_callback(_heard_of)
            raise StoreUnavailable
        await commit

    def close(self) -> None:
        """Waits for the transaction under way, if any."""
        self._writer.shutdown()

    def _stored(self, rows: Sequence[Row], judged_on: Sequence[Length], commands: int) -> None:
        """Puts rows on the record, and tells how long that took. Blocks."""
        began = perf_counter()
        self._store.append(rows, judged_on)
        if rows:
            self._watcher.committed(len(rows), commands, perf_counter() - began)

    def _let_in(self, opened: OpenMatch) -> None:
        """Puts the match among those to be judged next, once what that takes has been read."""
        if not _judgeable(opened):
            task = self._open.prepare(opened, {pending.viewer for pending in opened.queue})
            task.add_done_callback(lambda task: self._prepared(opened, task))
            return
        waiting = self._alone if opened.queue[0].tries else self._ready
        waiting[opened.id] = opened
        self._work.set()

    def _prepared(self, opened: OpenMatch, task: asyncio.Task[None]) -> None:
        """What the queue of a match waited for has been read, or cannot be."""
        if not opened.queue:
            return
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            for pending in opened.queue:
                pending.fail(error or StoreUnavailable())
            opened.queue.clear()
        else:
            self._let_in(opened)

    async def _gather(self) -> None:
        """Lets in whatever has arrived already: a transaction costs the same for one as for many.

        No clock is involved: it ends with the first turn of the loop that brings nothing new.
        """
        before = 0
        while before < self.waiting < MOST_A_TRANSACTION:
            before = self.waiting
            await asyncio.sleep(0)

    def _drafts(self) -> list[Draft]:
        """Judges what waits: one match that lost a race alone, or else many matches together."""
        waiting = self._alone or self._ready
        drafts: list[Draft] = []
        put_off: list[Draft] = []
        room, deadlines = MOST_A_TRANSACTION, MOST_DEADLINES
        while waiting and room > 0:
            draft = self._draft(waiting.pop(next(iter(waiting))), room, deadlines)
            if draft is not None:
                nothing = not draft.judged and not draft.records
                (put_off if nothing else drafts).append(draft)
                room -= len(draft.judged)
                deadlines = draft.room
                if waiting is self._alone:
                    break
        for draft in put_off:
            self._done(draft.opened, draft.waits)
        return drafts

    def _draft(self, opened: OpenMatch, room: int, deadlines: int) -> Draft | None:
        """What waits for a match, judged; None if it has been forgotten since it was let in."""
        if not opened.queue:
            return None
        if not _judgeable(opened):
            self._let_in(opened)
            return None
        draft = Draft(opened, deadlines, self._clock.now())
        opened.judging = True
        while opened.queue and _judgeable(opened) and len(draft.judged) < room and not draft.waits:
            draft.take(opened.queue.popleft())
        return draft

    async def _committed(self, drafts: list[Draft], commit: asyncio.Future[None]) -> list[Draft]:
        """Takes in what has been judged once it is on disk: the drafts that may be answered."""
        self._silent_from = monotonic() + SILENT_SECONDS
        try:
            await commit
        except IntegrityError:
            self._lost_race(drafts)
            return []
        except Exception as error:  # noqa: BLE001  whatever it is, nobody is answered
            self._failed(drafts)
            logs.failed("store_failed", error, matches=len(drafts))
            return []
        finally:
            self._silent_from = inf
        for draft in drafts:
            if draft.records:
                draft.opened.extend(draft)
                self._wake(draft.opened.id)
                self._arm(draft.opened.id, self._to_report(draft))
                if draft.ended:
                    self._over(draft.in_tournament)
            for pending in draft.waits:
                pending.tries = 0
            self._done(draft.opened, draft.waits)
        return drafts

    def _to_report(self, draft: Draft) -> int | None:
        """When the scheduler is to report the match. While a command waits for overdue deadlines
        that lets them pass, there is nothing to report, unless that command were lost."""
        return self._clock.now() + RETRY if draft.waits else draft.deadline

    def _answer(self, committed: list[Draft]) -> None:
        """Tells every sender what became of its command."""
        for draft in committed:
            try:
                for pending in draft.judged:
                    pending.answer(draft.opened)
            except Exception as fault:  # noqa: BLE001  a fault in a board must not stop the others
                for pending in draft.judged:
                    pending.fail(fault)
                logs.failed("answering_failed", fault, match=draft.opened.name)
            draft.opened.trim()

    def _lost_race(self, drafts: list[Draft]) -> None:
        """Another writer was first: each match is read and judged again, by itself."""
        for draft in drafts:
            draft.opened.forget()
            again: list[Pending] = []
            for pending in draft.taken:
                pending.tries += 1
                if pending.beside and pending.tries > 1:
                    # Alone and too late again: what goes beside it must be decided anew.
                    pending.fail(Overtaken())
                elif isinstance(pending.command, Create) and pending.tries > 1:
                    pending.fail(AlreadyThere())
                elif pending.tries > MOST_TRIES:
                    pending.fail(StoreUnavailable())
                else:
                    again.append(pending)
            self._done(draft.opened, again)

    def _failed(self, drafts: list[Draft]) -> None:
        """Nobody knows what the store has: nothing is acknowledged, all is read again."""
        for draft in drafts:
            draft.opened.forget()
            for pending in draft.taken:
                pending.fail(StoreUnavailable())
            self._done(draft.opened, ())

    def _done(self, opened: OpenMatch, again: Sequence[Pending]) -> None:
        """Nothing is being committed for the match any more; `again` are to be judged next, before
        all that came later."""
        opened.judging = False
        opened.queue.extendleft(reversed(again))
        if opened.queue:
            self._let_in(opened)


def _judgeable(opened: OpenMatch) -> bool:
    """Whether all that it takes to judge the next command of the match is in memory."""
    pending = opened.queue[0]
    return isinstance(pending.command, Create) or opened.shows(pending.viewer)


def _heard_of(commit: asyncio.Future[None]) -> None:
    """Nobody waits for it any more."""
    if not commit.cancelled():
        commit.exception()
