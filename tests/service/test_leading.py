"""The lead: one instance has it, and another takes over from whoever cannot do its duties."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from time import monotonic
from typing import Any

import pytest
import pytest_asyncio

from service.instances import leading
from service.instances.leading import Alone, Leader, Punctual
from service.storage.lead import PostgresLead, address, lock_of
from tests.postgres import PostgresServer, connect, fresh_database

TAKEN_OVER = 5.0
"""Within so many seconds another instance leads, whatever has become of the one before."""

PATIENCE = 20.0


@pytest.fixture
def env() -> Iterator[Mapping[str, str]]:
    with fresh_database() as env:
        yield env


@pytest_asyncio.fixture
async def leads(env: Mapping[str, str]) -> AsyncIterator[tuple[PostgresLead, PostgresLead]]:
    """Two instances on one database, of which the first leads."""
    one, two = PostgresLead(address(env)), PostgresLead(address(env))
    async with asyncio.timeout(PATIENCE):
        await one.gained()
    yield one, two
    await one.given_up()
    await two.given_up()


async def taken_over(two: PostgresLead, began: float) -> None:
    async with asyncio.timeout(PATIENCE):
        await two.gained()
    assert monotonic() - began < TAKEN_OVER


def end_sessions(env: Mapping[str, str]) -> None:
    """The server ends the leaders' sessions, as it does when their machines are gone."""
    with connect(env) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'arbiter lead'"
        )


async def test_only_one_has_the_lead(leads: tuple[PostgresLead, PostgresLead]) -> None:
    one, two = leads
    gaining = asyncio.create_task(two.gained())
    done, _ = await asyncio.wait({gaining}, timeout=1.5)
    assert not done
    assert two.elsewhere and not one.elsewhere
    gaining.cancel()


async def test_who_gives_up_is_followed_at_once(
    leads: tuple[PostgresLead, PostgresLead],
) -> None:
    one, two = leads
    gaining = asyncio.create_task(two.gained())
    began = monotonic()
    await one.given_up()
    async with asyncio.timeout(PATIENCE):
        await gaining
    assert monotonic() - began < 2.0


async def test_who_is_cut_off_has_lost_the_lead_and_another_takes_over(
    leads: tuple[PostgresLead, PostgresLead], env: Mapping[str, str]
) -> None:
    one, two = leads
    began = monotonic()
    losing = asyncio.create_task(one.lost())
    await asyncio.to_thread(end_sessions, env)
    await taken_over(two, began)
    async with asyncio.timeout(PATIENCE):
        await losing


async def test_who_stands_still_loses_the_lead(leads: tuple[PostgresLead, PostgresLead]) -> None:
    """An instance that does not run, and so says nothing, whose connection still stands."""
    one, two = leads
    await taken_over(two, monotonic())
    async with asyncio.timeout(PATIENCE):
        await one.lost()


async def test_who_says_something_keeps_the_lead(
    leads: tuple[PostgresLead, PostgresLead],
) -> None:
    one, two = leads
    losing = asyncio.create_task(one.lost())
    gaining = asyncio.create_task(two.gained())
    done, _ = await asyncio.wait({losing, gaining}, timeout=TAKEN_OVER)
    assert not done
    for task in (losing, gaining):
        task.cancel()


async def test_the_lead_comes_back_with_the_database() -> None:
    with PostgresServer() as server, server.database() as env:
        lead = PostgresLead(address(env))
        async with asyncio.timeout(PATIENCE):
            await lead.gained()
        losing = asyncio.create_task(lead.lost())
        await asyncio.to_thread(server.stop)
        async with asyncio.timeout(PATIENCE):
            await losing
        gaining = asyncio.create_task(lead.gained())
        await asyncio.to_thread(server.start)
        async with asyncio.timeout(PATIENCE):
            await gaining
        await lead.given_up()


def test_logs_of_one_database_have_leaders_of_their_own() -> None:
    assert lock_of("public") != lock_of("other")
    assert -(2**63) <= lock_of("public") < 2**63


# Duties.


class Borrowed:
    """A lead that comes and goes as it is told."""

    elsewhere = False

    def __init__(self) -> None:
        self.has, self.has_not = asyncio.Event(), asyncio.Event()
        self.back = False

    async def gained(self) -> None:
        await self.has.wait()

    async def lost(self) -> None:
        await self.has_not.wait()

    async def given_up(self) -> None:
        self.back = True


async def test_duties_are_done_while_one_leads_and_begun_anew() -> None:
    begun, ended = asyncio.Queue[int](), asyncio.Queue[int]()

    async def duty(number: int) -> None:
        begun.put_nowait(number)
        try:
            await asyncio.Event().wait()
        finally:
            ended.put_nowait(number)

    lead = Borrowed()
    leader = Leader(lead, lambda: [duty(1), duty(2)])
    running = asyncio.create_task(leader.run())
    async with asyncio.timeout(PATIENCE):
        for _ in range(2):
            lead.has_not.clear()
            lead.has.set()
            assert {await begun.get(), await begun.get()} == {1, 2}
            assert leader.leads
            lead.has.clear()
            lead.has_not.set()
            assert {await ended.get(), await ended.get()} == {1, 2}
            assert not leader.leads
    running.cancel()
    await asyncio.wait({running})
    assert lead.back


@pytest.mark.parametrize("error", [None, ValueError("broken")])
async def test_a_duty_that_ends_is_not_passed_over(error: Exception | None) -> None:
    others: list[str] = []

    async def ends() -> None:
        if error is not None:
            raise error

    async def goes_on() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            others.append("ended")

    def duties() -> list[Coroutine[Any, Any, None]]:
        return [goes_on(), ends()]

    with pytest.raises(type(error or RuntimeError())):
        await Leader(Alone(), duties).run()
    assert others == ["ended"]


# The clock.


class Watch:
    """A clock that is right or not, as the test says."""

    def __init__(self) -> None:
        self.right = True

    async def is_right(self) -> bool:
        return self.right


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    monkeypatch.setattr(leading, "CLOCK_SECONDS", 0.01)
    return Watch()


async def comes(what: Coroutine[Any, Any, None]) -> bool:
    """Whether it has come within some looks at the clock."""
    done, waiting = await asyncio.wait({asyncio.create_task(what)}, timeout=0.3)
    for task in waiting:
        task.cancel()
    return bool(done)


async def test_whose_clock_is_wrong_does_not_take_the_lead(watch: Watch) -> None:
    lead = Borrowed()
    lead.has.set()
    watch.right = False
    assert not await comes(Punctual(lead, watch.is_right).gained())
    watch.right = True
    assert await comes(Punctual(lead, watch.is_right).gained())
    assert not lead.back


async def test_whose_clock_went_wrong_while_it_waited_gives_the_lead_back(watch: Watch) -> None:
    lead = Borrowed()
    gaining = asyncio.create_task(Punctual(lead, watch.is_right).gained())
    await asyncio.sleep(0.05)
    watch.right = False
    lead.has.set()
    assert not (await asyncio.wait({gaining}, timeout=0.3))[0]
    assert lead.back
    gaining.cancel()


async def test_a_leader_whose_clock_is_found_wrong_gives_the_lead_up(watch: Watch) -> None:
    lead = Borrowed()
    punctual = Punctual(lead, watch.is_right)
    assert not await comes(punctual.lost())
    assert not lead.back
    watch.right = False
    assert await comes(punctual.lost())
    assert lead.back


async def test_a_lead_that_is_lost_by_itself_is_lost_whatever_the_clock_says(watch: Watch) -> None:
    lead = Borrowed()
    lead.has_not.set()
    assert await comes(Punctual(lead, watch.is_right).lost())
