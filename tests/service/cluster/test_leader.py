"""The leader lock: one instance has it, and another acquires it when that one fails."""

import asyncio
import gc
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from io import StringIO
from math import inf
from time import monotonic
from typing import Any

import pytest
import pytest_asyncio

from service.cluster import leader
from service.cluster.leader import Leader, SoleInstance
from service.cluster.postgres_leader_lock import PostgresLeaderLock
from service.event_store.postgres.connections import postgres_address
from service.event_store.postgres.leader_row import LEASE_SECONDS, TABLE, TABLES
from service.event_store.postgres.timelines import TIMELINE, Timeline, Timelines
from tests.support.servers.postgres_server import connect, fresh_database
from tests.support.waiting import until

TAKEOVER_SECONDS = 5.0
"""Maximum seconds until another instance leads, whatever happened to the previous leader."""

PATIENCE = 20.0

SUGGESTED_LOCK = int.from_bytes(sha256(b"arbiter lead public").digest()[:8], signed=True)
"""The number of an advisory lock that a name and the schema suggest."""


@pytest.fixture
def env() -> Iterator[Mapping[str, str]]:
    with fresh_database() as env:
        make_row(env)
        yield env


def make_row(env: Mapping[str, str]) -> None:
    with connect(env) as connection:
        for statement in TABLES:
            connection.execute(statement.format(text="TEXT").encode())


def lock_of(env: Mapping[str, str], timelines: Timelines | None = None) -> PostgresLeaderLock:
    return PostgresLeaderLock(postgres_address(env), timelines or Timelines())


@pytest_asyncio.fixture
async def locks(
    env: Mapping[str, str],
) -> AsyncIterator[tuple[PostgresLeaderLock, PostgresLeaderLock]]:
    """The locks of two instances on one database; the first has it."""
    one, two = lock_of(env), lock_of(env)
    async with asyncio.timeout(PATIENCE):
        await one.acquire()
    yield one, two
    await one.release()
    await two.release()


async def acquired_in_time(
    two: PostgresLeaderLock, start: float, seconds: float = TAKEOVER_SECONDS
) -> None:
    async with asyncio.timeout(PATIENCE):
        await two.acquire()
    assert monotonic() - start < seconds


def end_sessions(env: Mapping[str, str]) -> None:
    """The server ends the leaders' sessions, as when their machines fail."""
    with connect(env) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'arbiter lead'"
        )


async def test_an_instance_that_is_cut_off_loses_the_lock_and_another_acquires_it(
    locks: tuple[PostgresLeaderLock, PostgresLeaderLock], env: Mapping[str, str]
) -> None:
    one, two = locks
    start = monotonic()
    losing = asyncio.create_task(one.lost())
    await asyncio.to_thread(end_sessions, env)
    await acquired_in_time(two, start)
    async with asyncio.timeout(PATIENCE):
        await losing


async def test_an_instance_that_hangs_loses_the_lock(
    locks: tuple[PostgresLeaderLock, PostgresLeaderLock],
) -> None:
    """An instance that hangs and sends nothing, although its connection is still open."""
    one, two = locks
    await acquired_in_time(two, monotonic())
    async with asyncio.timeout(PATIENCE):
        await one.lost()


async def test_a_heartbeat_that_fails_when_nobody_waits_for_it_any_more_is_no_error(
    env: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The instance stops while its row is being written, and then the server goes away."""
    lock, begun, go_on = lock_of(env), asyncio.Event(), asyncio.Event()

    async def fails(*_: object) -> int:
        begun.set()
        await go_on.wait()
        raise OSError

    monkeypatch.setattr(lock, "_execute", fails)
    unhandled: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
    losing = asyncio.create_task(lock.lost())
    await begun.wait()
    losing.cancel()
    await asyncio.wait({losing})
    del losing
    go_on.set()
    for _ in range(3):
        await asyncio.sleep(0)
    gc.collect()
    assert unhandled == []


async def test_the_leader_of_a_replaced_server_leads_no_more(env: Mapping[str, str]) -> None:
    """Its session is open, and the old primary takes its writes for a moment."""
    lock = lock_of(env, timelines := Timelines())
    async with asyncio.timeout(PATIENCE):
        await lock.acquire()
        with connect(env) as connection:
            (here,) = connection.execute(TIMELINE)
        timelines.see(Timeline(here[0], "FFFFFFFF"))
        await lock.lost()


async def test_an_instance_with_a_heartbeat_keeps_the_lock(
    locks: tuple[PostgresLeaderLock, PostgresLeaderLock],
) -> None:
    one, two = locks
    losing = asyncio.create_task(one.lost())
    acquiring = asyncio.create_task(two.acquire())
    done, _ = await asyncio.wait({losing, acquiring}, timeout=LEASE_SECONDS + 0.5)
    assert not done
    assert 0 <= monotonic() - two.last_seen < 1.0 and one.last_seen == -inf
    for task in (losing, acquiring):
        task.cancel()


async def test_logs_of_one_database_have_leaders_of_their_own(
    locks: tuple[PostgresLeaderLock, PostgresLeaderLock], env: Mapping[str, str]
) -> None:
    with connect(env) as connection:
        connection.execute("CREATE SCHEMA other")
        for statement in TABLES:
            qualified = statement.replace(TABLE, f"other.{TABLE}")
            connection.execute(qualified.format(text="TEXT").encode())
    other = lock_of({**env, "POSTGRES_SCHEMA": "other"})
    await acquired_in_time(other, monotonic())
    await other.release()


async def test_a_released_lock_is_acquired_at_once_whatever_strangers_have_locked(
    locks: tuple[PostgresLeaderLock, PostgresLeaderLock], env: Mapping[str, str]
) -> None:
    """Anyone who may connect can take an advisory lock."""
    one, two = locks
    with connect(env) as stranger:
        stranger.execute("SELECT pg_advisory_lock(n) FROM generate_series(-1000, 1000) AS n")
        stranger.execute("SELECT pg_advisory_lock(%s)", (SUGGESTED_LOCK,))
        await one.release()
        await acquired_in_time(two, monotonic(), 2.0)


async def test_a_leader_that_cannot_write_its_row_says_so_once(
    locks: tuple[PostgresLeaderLock, PostgresLeaderLock], env: Mapping[str, str], logged: StringIO
) -> None:
    one, two = locks
    await one.release()
    with connect(env) as stranger, stranger.transaction():
        stranger.execute(f"LOCK TABLE {TABLE} IN SHARE MODE".encode())
        acquiring = asyncio.create_task(two.acquire())
        async with asyncio.timeout(PATIENCE):
            while not logged.getvalue():  # noqa: ASYNC110  it has to be asked
                await asyncio.sleep(0.05)
    [line] = logged.getvalue().splitlines()
    assert "lead_not_tried" in line
    assert "lock timeout" in line
    async with asyncio.timeout(PATIENCE):
        await acquiring


async def test_nobody_leads_when_nobody_has_shown_it_for_ten_seconds() -> None:
    seconds = [100.0]
    lock = SwitchedLock()
    leader = Leader(lock, lambda: [asyncio.Event().wait()], None, lambda: seconds[0])  # type: ignore[list-item]
    for seen in (100.0, 115.0):
        lock.last_seen = seen
        seconds[0] = seen + 9.9
        assert leader.somebody_leads
        seconds[0] = seen + 10.0
        assert not leader.somebody_leads


# The tasks of the leader.


class SwitchedLock:
    """A leader lock that the test grants and takes away."""

    last_seen = -inf

    def __init__(self) -> None:
        self.is_free, self.is_lost = asyncio.Event(), asyncio.Event()
        self.released = False

    async def acquire(self) -> None:
        await self.is_free.wait()

    async def lost(self) -> None:
        await self.is_lost.wait()

    async def release(self) -> None:
        self.released = True


async def test_tasks_run_while_an_instance_leads_and_are_started_anew() -> None:
    started, ended = asyncio.Queue[int](), asyncio.Queue[int]()

    async def task(number: int) -> None:
        started.put_nowait(number)
        try:
            await asyncio.Event().wait()
        finally:
            ended.put_nowait(number)

    lock = SwitchedLock()
    leader = Leader(lock, lambda: [task(1), task(2)])
    running = asyncio.create_task(leader.run())
    async with asyncio.timeout(PATIENCE):
        for _ in range(2):
            lock.is_lost.clear()
            lock.is_free.set()
            assert {await started.get(), await started.get()} == {1, 2}
            assert leader.leads
            lock.is_free.clear()
            lock.is_lost.set()
            assert {await ended.get(), await ended.get()} == {1, 2}
            assert not leader.leads
    running.cancel()
    await asyncio.wait({running})
    assert lock.released


@pytest.mark.parametrize("error", [None, ValueError("broken")])
async def test_a_task_that_ends_is_not_ignored(error: Exception | None) -> None:
    others: list[str] = []

    async def ends() -> None:
        if error is not None:
            raise error

    async def goes_on() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            others.append("ended")

    def tasks() -> list[Coroutine[Any, Any, None]]:
        return [goes_on(), ends()]

    with pytest.raises(type(error or RuntimeError())):
        await Leader(SoleInstance(), tasks).run()
    assert others == ["ended"]


# The clock.


class SwitchedClock:
    """A clock that the test sets right or wrong."""

    def __init__(self) -> None:
        self.right = True

    async def is_right(self) -> bool:
        return self.right


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SwitchedClock:
    monkeypatch.setattr(leader, "CLOCK_SECONDS", 0.01)
    return SwitchedClock()


@asynccontextmanager
async def running(lock: SwitchedLock, clock: SwitchedClock) -> AsyncIterator[Leader]:
    """A leader with this clock."""
    leader = Leader(lock, lambda: [asyncio.Event().wait()], clock.is_right)  # type: ignore[list-item]
    run = asyncio.create_task(leader.run())
    try:
        yield leader
    finally:
        run.cancel()
        await asyncio.wait({run})


async def test_an_instance_leads_while_its_clock_is_right(clock: SwitchedClock) -> None:
    lock = SwitchedLock()
    lock.is_free.set()
    clock.right = False
    async with running(lock, clock) as leader:
        await asyncio.sleep(0.1)
        assert not leader.leads
        clock.right = True
        await until(lambda: leader.leads)
        assert not lock.released
        clock.right = False
        await until(lambda: not leader.leads)
        assert lock.released


async def test_an_instance_whose_clock_became_wrong_while_it_waited_releases_the_lock(
    clock: SwitchedClock,
) -> None:
    lock = SwitchedLock()
    async with running(lock, clock) as leader:
        await asyncio.sleep(0.05)
        clock.right = False
        lock.is_free.set()
        await until(lambda: lock.released)
        assert not leader.leads


async def test_a_lock_that_is_lost_by_itself_is_lost_whatever_the_clock_says(
    clock: SwitchedClock,
) -> None:
    lock = SwitchedLock()
    lock.is_free.set()
    async with running(lock, clock) as leader:
        await until(lambda: leader.leads)
        lock.is_free.clear()
        lock.is_lost.set()
        await until(lambda: not leader.leads)
        assert not lock.released
