"""The lead among instances on one PostgreSQL: an advisory lock that its session holds.

Whoever holds it says so every second. A session that is silent for longer, because its process
stands still or its machine is cut off, is ended by the server, and the lock with it.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.conninfo import make_conninfo

from service import logs

TRY_SECONDS = 0.5
BEAT_SECONDS = 1.0
SILENCE_SECONDS = 3
"""After so long without a word the server takes the lock back."""

Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class Address(Struct, frozen=True):
    """How the database is reached, as libpq reads it, and in which schema the log lies."""

    connect: str
    schema: str


class PostgresLead:
    """The lead of the instance that holds the lock of the log's schema."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = lock_of(address.schema)
        self._session: Connection | None = None
        self.elsewhere = False

    async def gained(self) -> None:
        """Returns when the lock is held; tries for ever, also while PostgreSQL is away."""
        failing = False
        while True:
            try:
                # Not `wait_for`, which can lose the word to stop when the answer comes with it.
                async with asyncio.timeout(SILENCE_SECONDS):
                    if await self._tried():
                        return
                failing = False
            except (psycopg.Error, OSError, TimeoutError) as error:
                await self.given_up()
                if not failing:
                    logs.failed("lead_not_tried", error)
                failing = True
            await asyncio.sleep(TRY_SECONDS)

    async def lost(self) -> None:
        """Returns when the session has broken, or the server has not answered in time."""
        assert self._session is not None
        beat: asyncio.Task[Any] | None = None
        try:
            while True:
                await asyncio.sleep(BEAT_SECONDS)
                beat = asyncio.create_task(self._session.execute("SELECT 1"))
                # A question that is taken back would wait for the server once more.
                if not (await asyncio.wait({beat}, timeout=BEAT_SECONDS))[0]:
                    raise TimeoutError("the session does not answer")
                beat.result()
        except (psycopg.Error, OSError, TimeoutError) as error:
            logs.failed("lead_lost", error)
        await self.given_up()
        if beat is not None:
            beat.cancel()

    async def given_up(self) -> None:
        """Ends the session, and with it the lock."""
        session, self._session = self._session, None
        self.elsewhere = False
        if session is not None:
            with suppress(psycopg.Error, OSError):
                await session.close()

    async def _tried(self) -> bool:
        """Whether the lock is held, after asking for it in a session that is ended by silence."""
        if self._session is None:
            self._session = await Connection.connect(
                self._address.connect,
                autocommit=True,
                options=f"-c idle_session_timeout={SILENCE_SECONDS * 1000}",
                application_name="arbiter lead",
            )
        found = await self._session.execute("SELECT pg_try_advisory_lock(%s)", (self._lock,))
        row = await found.fetchone()
        held = row is not None and bool(row[0])
        self.elsewhere = not held
        return held


def address(env: Mapping[str, str]) -> Address:
    """The address from the library's own settings."""
    names = {
        "dbname": "POSTGRES_DBNAME", "host": "POSTGRES_HOST", "port": "POSTGRES_PORT",
        "user": "POSTGRES_USER", "password": "POSTGRES_PASSWORD",
    }  # fmt: skip
    told = {name: env[variable] for name, variable in names.items() if env.get(variable)}
    return Address(make_conninfo(**told), env.get("POSTGRES_SCHEMA") or "public")


def lock_of(schema: str) -> int:
    """The number of the lock: 64 bits of the SHA-256 of what it is for."""
    return int.from_bytes(sha256(f"arbiter lead {schema}".encode()).digest()[:8], signed=True)
