"""The account of reads: which person has read what of a match, next to the log and never in it
(/docs/api#who-has-looked).

A read of what is hidden is on disk before it is answered; what many such reads wait for at the same
time is one transaction. All other reads are written together at intervals, one row a reader.
A person who has read hidden things of a running match of a tournament is given no seat against its
players there, unless the organiser says why; and once the result of a match is final its players
are told who has looked.
"""

import asyncio
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from domain.match.seat_holders import holders
from domain.people import Actor, named_person
from domain.tournament.commands import Override
from domain.tournament.state import Tournament
from projections.audience.disclosure import PUBLIC_VIEWER, name_audience
from service.application.evidence.evidence import is_open
from service.application.matches.match_sessions import MatchSessions
from service.event_store.errors import StoreUnavailable
from service.event_store.reads import EVERYTHING, Read, ReadTable
from service.event_store.store_threads import READ_SECONDS, in_store_thread
from service.observability import logs

SEAT = "seat"

BATCH_SECONDS = 1.0
"""Seconds between two writes of what need not be on disk at once: what a crash may lose, as long as
the store can be written."""


class ReadAccount:
    """The account of one instance. `run` writes it, but not while the store `is_down`: each attempt
    would leave a session there that waits."""

    def __init__(self, table: ReadTable, is_down: Callable[[], bool] = lambda: False) -> None:
        self._table = table
        self._is_down = is_down
        self._noted: dict[Hashable, Read] = {}
        self._going_on: list[Callable[[], Read]] = []
        self._urgent: list[tuple[Read, asyncio.Future[None]]] = []
        self._work = asyncio.Event()
        self._batch_due = False
        self._writing = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """The number of rows that are not written yet."""
        return len(self._noted) + len(self._going_on) + len(self._urgent) + self._writing

    def rename(self, match: UUID, names: Collection[str], placeholder: str) -> None:
        """Has `placeholder` in place of these names of readers of a match. Blocks."""
        for key, read in list(self._noted.items()):
            if read.match == str(match) and read.name in names:
                self._noted[key] = replace(read, name=placeholder)
        self._table.rename(match, names, placeholder)

    async def add(self, read: Read) -> None:
        """Accounts for a read: it is on disk when this returns if it is one of hidden things, and
        soon otherwise. Raises StoreUnavailable if it cannot be written: then it must not be
        answered."""
        if not read.hidden:
            self.note(read)
            return
        if self._is_down():
            raise StoreUnavailable
        completion: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._urgent.append((read, completion))
        self._work.set()
        try:
            async with asyncio.timeout(READ_SECONDS):
                await completion
        except TimeoutError:
            raise StoreUnavailable from None

    def note(self, read: Read) -> None:
        """Accounts for a read that is written with the next batch."""
        before = self._noted.get(read.key)
        self._noted[read.key] = read if before is None else before.joined(read)
        self._write_soon()

    def note_later(self, read: Callable[[], Read]) -> None:
        """Accounts for a read that goes on: what it is by then is asked for when the next batch is
        written."""
        self._going_on.append(read)
        self._write_soon()

    def _write_soon(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(BATCH_SECONDS, self._plan_batch)

    async def of_match(self, match_id: UUID, after: int = 0, limit: int = EVERYTHING) -> list[Read]:
        """The reads of a match in the order in which they began, those of this instance up to now.
        Raises StoreUnavailable."""
        await self._write_noted()
        return await in_store_thread(self._table.of_match, match_id, after, limit)

    async def hidden(self, matches: Sequence[str]) -> list[Read]:
        """The reads of what was hidden, of these matches. Raises StoreUnavailable."""
        return await in_store_thread(self._table.hidden, matches) if matches else []

    async def run(self) -> None:
        """Writes for as long as the service runs."""
        try:
            while True:
                await self._work.wait()
                self._work.clear()
                await self._write_urgent()
                if self._batch_due:
                    await self._try_to_write_noted()
        finally:
            _fail(self._urgent, StoreUnavailable())

    def close(self) -> None:
        """Writes what was noted, if the store accepts it, and closes the table. Blocks."""
        if self._timer is not None:
            self._timer.cancel()
        try:
            if noted := self._take_noted():
                self._table.add(noted)
        except Exception as error:  # noqa: BLE001  the account lacks them, and nothing else fails
            logs.failure("reads_not_written", error)
        self._table.close()

    def _plan_batch(self) -> None:
        self._timer, self._batch_due = None, True
        self._work.set()

    async def _write_urgent(self) -> None:
        """Writes what requests wait for, all in one transaction."""
        waiting, self._urgent = self._urgent, []
        if not waiting:
            return
        try:
            await in_store_thread(self._table.add, join_reads((read for read, _ in waiting), ROW))
        except asyncio.CancelledError:
            _fail(waiting, StoreUnavailable())
            raise
        except Exception as error:  # noqa: BLE001  the waiting request is answered
            _fail(waiting, error)
            return
        for _, completion in waiting:
            if not completion.done():
                completion.set_result(None)

    async def _try_to_write_noted(self) -> None:
        self._batch_due = False
        if self._is_down():
            self._write_soon()
            return
        try:
            await self._write_noted()
        except StoreUnavailable:
            # The failure has been logged; it is tried again with the next batch.
            return
        except Exception as error:  # noqa: BLE001  the reader is served all the same
            logs.failure("reads_not_written", error)

    def _take_noted(self) -> list[Read]:
        """What was noted and is not written yet, one read for each row."""
        going_on, self._going_on = self._going_on, []
        noted, self._noted = self._noted, {}
        return join_reads([*noted.values(), *(read() for read in going_on)], ROW)

    async def _write_noted(self) -> None:
        """Writes what was noted until now; after an error it is noted again."""
        noted = self._take_noted()
        if not noted:
            return
        self._writing += len(noted)
        try:
            await in_store_thread(self._table.add, noted)
        except BaseException:
            for read in noted:
                self.note(read)
            raise
        finally:
            self._writing -= len(noted)


class KeyReading:
    """Accounts for what a key is handed of a match as an audience: `read` says of which key, match
    and audience. `now` is the time in microseconds."""

    def __init__(
        self, account: ReadAccount, sessions: MatchSessions, now: Callable[[], int], read: Read
    ) -> None:
        self._account = account
        self._sessions = sessions
        self._now = now
        self._read = read
        self._seq = 0
        self._noted_at: int | None = None

    @property
    def hidden(self) -> bool:
        """Whether the reader is handed what is hidden but for their role. A seat sees its own, and
        what everyone may read; a match that is not in memory counts as hidden."""
        if self._read.role == SEAT or self._read.audience == name_audience(PUBLIC_VIEWER):
            return False
        loaded = self._sessions.loaded(UUID(self._read.match))
        return loaded is None or not is_open(loaded.match)

    async def add(self, seq: int) -> None:
        """Accounts for what is handed out up to the audience's number `seq`; before that is done,
        if it is hidden. Raises StoreUnavailable: then it must not be handed out."""
        now = self._now()
        read = replace(self._read, seq=seq, first=now, last=now, hidden=self.hidden)
        await self._account.add(read)

    def note(self, seq: int) -> None:
        """Accounts for what is not hidden, line by line: at little cost, as one read from the first
        line to when the account is next written."""
        # A repeated answer may have an earlier view than the lines before it.
        self._seq = max(self._seq, seq)
        if self._noted_at is None:
            self._noted_at = self._now()
            self._account.note_later(self._take_noted)

    def _take_noted(self) -> Read:
        """What was noted since it was last taken."""
        now = self._now()
        first, self._noted_at = self._noted_at, None
        return replace(self._read, seq=self._seq, first=now if first is None else first, last=now)


class HasLooked(Exception):
    """Someone who is to be seated has looked at this match of one of the others. It is None for
    those who may not be told which."""

    def __init__(self, name: str, match: str | None) -> None:
        super().__init__(match)
        self.name = name
        self.match = match


class Allowed(NamedTuple):
    """Why, and by whom, someone may be seated who has looked."""

    reason: str
    actor: Actor


class Looks(NamedTuple):
    """Finds who of those that are to be seated has looked at what is hidden from the others."""

    account: ReadAccount
    sessions: MatchSessions

    async def of_players(self, state: Tournament, seats: Sequence[str]) -> list[Read]:
        """The looks of those who are to be seated, at running matches of the tournament in which
        another of them plays; `seats` are all their names. One for each person and match, under the
        name of the seat. Raises StoreUnavailable."""
        unsettled = [match for match, entry in state.matches.items() if not entry.settled]
        names = {named_person(name): name for name in seats}
        reads = (
            replace(read, name=names[named_person(read.name)])
            for read in await self.account.hidden(unsettled)
            if read.name is not None and named_person(read.name) in names
        )
        by_player = attrgetter("match", "name")
        looks = sorted(join_reads(reads, by_player), key=by_player)
        return [look for look in looks if await self._is_against(look, seats)]

    async def _is_against(self, look: Read, seats: Sequence[str]) -> bool:
        """Whether the match is running, and one of the others plays in it now."""
        match = (await self.sessions.current(UUID(look.match))).match
        others = set(map(named_person, seats)) - {named_person(look.name or "")}
        playing = map(named_person, holders(match))
        return match.status != "created" and not match.over and not others.isdisjoint(playing)


def override_of(looks: Sequence[Read], permission: Allowed | None) -> Override | None:
    """What is overridden by seating those who have looked; None if no one has. Raises HasLooked if
    that is not allowed."""
    if not looks:
        return None
    if permission is None:
        raise HasLooked(looks[0].name or "", looks[0].match)
    return Override(
        tuple({look.match: None for look in looks}), permission.reason, permission.actor
    )


ROW: Callable[[Read], Hashable] = attrgetter("key")
"""What is equal for all reads that share a row."""


def join_reads(reads: Iterable[Read], by: Callable[[Read], Hashable]) -> list[Read]:
    """The reads with those that are equal in this as one."""
    by_key: dict[Hashable, Read] = {}
    for read in reads:
        before = by_key.get(by(read))
        by_key[by(read)] = read if before is None else before.joined(read)
    return list(by_key.values())


def looks(reads: Iterable[Read]) -> list[Read]:
    """The looks at hidden things among the reads of a match: one for each person and role, the
    earliest first. What they have read, and with which keys, is not to be told."""
    hidden_reads = (read for read in reads if read.hidden)
    joined_reads = join_reads(
        hidden_reads, lambda read: (Actor(read.name, read.key_id).person, read.role)
    )
    return sorted(joined_reads, key=attrgetter("first", "last"))


def _fail(waiting: Iterable[tuple[Read, "asyncio.Future[None]"]], error: Exception) -> None:
    for _, completion in waiting:
        if not completion.done():
            completion.set_exception(error)
