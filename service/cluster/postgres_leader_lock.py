"""The leader lock in PostgreSQL: an advisory lock that belongs to the leader's session.

The leader sends a heartbeat every second. If its process hangs or its machine is cut off, the
server ends the silent session, which releases the lock.
"""

import asyncio
from contextlib import suppress
from typing import Any

import psycopg

from service.event_store.postgres_address import PostgresAddress, leader_lock_id
from service.event_store.store_threads import StoreSilent
from service.observability import logs

TRY_SECONDS = 0.5
"""Seconds between two attempts to acquire the lock."""

BEAT_SECONDS = 1.0
"""Seconds between two heartbeats, and the maximum that one may take."""

SESSION_TIMEOUT_SECONDS = 3
"""Seconds of silence after which the server ends the session and releases the lock."""

Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class PostgresLeaderLock:
    """The leader lock of the instances whose log is in one schema."""

    def __init__(self, address: PostgresAddress) -> None:
        self._address = address
        self._lock = leader_lock_id(address.schema)
        self._session: Connection | None = None
        self.elsewhere = False

    async def acquire(self) -> None:
        """Returns when this instance has the lock. Tries for ever, also without PostgreSQL."""
        failing = False
        while True:
            try:
                # Not `wait_for`, which can lose a cancellation that comes with the result.
                async with asyncio.timeout(SESSION_TIMEOUT_SECONDS):
                    if await self._try():
                        return
                failing = False
            except TimeoutError:
                failing = await self._give_up(StoreSilent("no session in time"), failing)
            except (psycopg.Error, OSError) as error:
                failing = await self._give_up(error, failing)
            await asyncio.sleep(TRY_SECONDS)

    async def _give_up(self, error: Exception, failing: bool) -> bool:
        """Ends the session that could not be used; logs the first of several failures."""
        await self.release()
        if not failing:
            logs.failure("lead_not_tried", error)
        return True

    async def lost(self) -> None:
        """Returns when the session is broken, or the server has not answered in time."""
        assert self._session is not None, "only called after the lock was acquired"
        beat: asyncio.Task[Any] | None = None
        try:
            while True:
                await asyncio.sleep(BEAT_SECONDS)
                beat = asyncio.create_task(self._session.execute("SELECT 1"))
                # A cancelled query would wait for the server again.
                if not (await asyncio.wait({beat}, timeout=BEAT_SECONDS))[0]:
                    raise StoreSilent("the session does not answer")
                beat.result()
        except (psycopg.Error, OSError, StoreSilent) as error:
            logs.failure("lead_lost", error)
        await self.release()
        if beat is not None:
            beat.cancel()

    async def release(self) -> None:
        """Ends the session, which releases the lock."""
        session, self._session = self._session, None
        self.elsewhere = False
        if session is not None:
            with suppress(psycopg.Error, OSError):
                await session.close()

    async def _try(self) -> bool:
        """Tries to acquire the lock, in a session that the server ends when it is silent. Returns
        whether this instance has the lock."""
        if self._session is None:
            self._session = await Connection.connect(
                self._address.connect,
                autocommit=True,
                options=f"-c idle_session_timeout={SESSION_TIMEOUT_SECONDS * 1000}",
                application_name="arbiter lead",
            )
        cursor = await self._session.execute("SELECT pg_try_advisory_lock(%s)", (self._lock,))
        row = await cursor.fetchone()
        acquired = row is not None and bool(row[0])
        self.elsewhere = not acquired
        return acquired
