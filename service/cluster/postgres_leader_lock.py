"""The leader lock in PostgreSQL: a row that the leader writes every second.

An instance that has not written it for three seconds leads no more, whatever its sessions hold, and
another may write it. It takes rights on the table: a role that may only connect cannot lead.
"""

import asyncio
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any
from uuid import uuid4

import psycopg

from service.event_store.postgres.connections import PostgresAddress
from service.event_store.postgres.leader_row import LAPSED, NOW, TABLE
from service.event_store.postgres.timelines import (
    ReplacedPrimary,
    Timeline,
    Timelines,
    async_timeline_of,
)
from service.event_store.store_threads import StoreSilent
from service.observability import logs

TRY_SECONDS = 0.5
"""Seconds between two attempts to acquire the lock."""

BEAT_SECONDS = 1.0
"""Seconds between two writes of the row, and the maximum that one may take."""

SLACK_SECONDS = 1
"""Seconds that an attempt may take beyond what connecting takes."""

APPLICATION = "arbiter lead"
"""The name of the sessions that write the row."""

_OPTIONS = f"-c lock_timeout={int(BEAT_SECONDS * 500)} -c idle_session_timeout=5000 -c search_path="

_TAKE = (
    f"UPDATE {TABLE} SET holder = %s, pid = pg_backend_pid(), shown = {NOW}"  # noqa: S608
    f" WHERE holder = %s OR {LAPSED}"
)
_SHOW = f"UPDATE {TABLE} SET shown = {NOW} WHERE holder = %s"  # noqa: S608
_LEAVE = f"UPDATE {TABLE} SET shown = 0 WHERE holder = %s"  # noqa: S608
_IS_LED = f"SELECT count(*) FROM {TABLE} WHERE NOT {LAPSED}"  # noqa: S608

Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class PostgresLeaderLock:
    """The leader lock of the instances whose log is in one schema, on the server with the newest
    of the `timelines` that this instance has seen."""

    def __init__(self, address: PostgresAddress, timelines: Timelines) -> None:
        self._address = address
        self._timelines = timelines
        self._holder = uuid4().hex
        self._session: Connection | None = None
        self._timeline: Timeline | None = None
        self.last_seen = -inf

    async def acquire(self) -> None:
        """Returns when this instance has the lock. Tries forever, also without PostgreSQL."""
        failing = False
        while True:
            try:
                # Not `wait_for`, which can lose a cancellation that comes with the result.
                async with asyncio.timeout(self._address.seconds + SLACK_SECONDS):
                    if await self._try():
                        return
                failing = False
            except TimeoutError:
                failing = await self._give_up(StoreSilent("no session in time"), failing)
            except ReplacedPrimary as error:
                self._address = self._address.next_host_first()
                failing = await self._give_up(error, failing)
            except (psycopg.Error, OSError) as error:
                failing = await self._give_up(error, failing)
            await asyncio.sleep(TRY_SECONDS)

    async def _give_up(self, error: Exception, failing: bool) -> bool:
        """Ends the session that could not be used; logs the first of several failures."""
        await self._end_session()
        if not failing:
            logs.failure("lead_not_tried", error)
        return True

    async def lost(self) -> None:
        """Returns when the row could not be written in time, another instance has written it, or
        the server was replaced."""
        beat: asyncio.Task[int] | None = None
        try:
            while True:
                await asyncio.sleep(BEAT_SECONDS)
                beat = asyncio.create_task(self._execute(_SHOW, self._holder))
                beat.add_done_callback(_note_end)
                # A cancelled query would wait for the server again.
                if not (await asyncio.wait({beat}, timeout=BEAT_SECONDS))[0]:
                    raise StoreSilent("the session does not answer")
                if not beat.result():
                    raise StoreSilent("another instance leads, as this one was silent")
                self._timelines.see(self._timeline)
        except (psycopg.Error, OSError, StoreSilent) as error:
            logs.failure("lead_lost", error)
        await self._end_session()
        if beat is not None:
            beat.cancel()

    async def release(self) -> None:
        """Gives the row free, so that another instance can write it at once, and ends the
        session."""
        if self._session is not None:
            with suppress(psycopg.Error, OSError, TimeoutError):
                async with asyncio.timeout(BEAT_SECONDS):
                    await self._execute(_LEAVE, self._holder)
        await self._end_session()

    async def _end_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(psycopg.Error, OSError):
                await session.close()

    async def _try(self) -> bool:
        """Tries to write the row. Returns whether this instance has the lock."""
        if self._session is None:
            self._session = await Connection.connect(
                self._address.connect, autocommit=True, options=_OPTIONS + self._address.schema,
                application_name=APPLICATION,
            )  # fmt: skip
            self._timeline = await async_timeline_of(self._session)
        self._timelines.see(self._timeline)
        if await self._execute(_TAKE, self._holder, self._holder):
            return True
        cursor = await self._session.execute(_IS_LED.encode())
        if await cursor.fetchone() == (1,):
            self.last_seen = monotonic()
        return False

    async def _execute(self, statement: str, *holder: str) -> int:
        """The number of rows that a statement has written."""
        assert self._session is not None, "only called in a session"
        return (await self._session.execute(statement.encode(), holder)).rowcount


def _note_end(beat: asyncio.Task[int]) -> None:
    """Takes the error of a write for which no one may wait any more: the session was ended."""
    if not beat.cancelled():
        beat.exception()
