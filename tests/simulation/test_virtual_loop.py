"""The event loop of the simulation: virtual time, and processes that stand still."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.simulation.virtual_loop import PROCESS, NothingLeft, VirtualLoop


class StandingStill:
    """A process without threads."""

    def __init__(self) -> None:
        self.frozen = False
        self.suspended: list[asyncio.Handle] = []

    def in_thread(self, call: Callable[[], Any], done: Callable[..., None]) -> None:
        done(call(), None)

    def adopt(self, task: asyncio.Task[Any]) -> None:
        """Nothing dies here."""


@pytest.fixture(name="loop")
def a_loop() -> Iterator[VirtualLoop]:
    loop = VirtualLoop()
    yield loop
    loop.close()


def test_a_day_passes_in_a_few_turns(loop: VirtualLoop) -> None:
    loop.run_until_complete(asyncio.sleep(86_400))
    assert 86_400 <= loop.time() < 86_401
    assert loop.turns < 10


def test_timers_come_in_the_order_of_their_times(loop: VirtualLoop) -> None:
    came: list[float] = []

    async def waits(seconds: float) -> None:
        await asyncio.sleep(seconds)
        came.append(seconds)

    async def all_wait() -> None:
        await asyncio.gather(*map(waits, (3.0, 0.001, 2.0, 0.0)))

    loop.run_until_complete(all_wait())
    assert came == [0.0, 0.001, 2.0, 3.0]


def test_who_waits_for_nothing_is_found_out(loop: VirtualLoop) -> None:
    with pytest.raises(NothingLeft):
        loop.run_until_complete(asyncio.Event().wait())


def test_a_frozen_process_goes_on_later_and_others_meanwhile(loop: VirtualLoop) -> None:
    process, came = StandingStill(), list[tuple[str, int]]()

    async def ticks(name: str) -> None:
        for _ in range(3):
            await asyncio.sleep(1)
            came.append((name, round(loop.time())))

    async def both() -> None:
        PROCESS.set(process)
        inside = asyncio.create_task(ticks("inside"))
        PROCESS.set(None)
        outside = asyncio.create_task(ticks("outside"))
        await asyncio.sleep(1.5)
        loop.freeze(process)
        await asyncio.sleep(10)
        loop.thaw(process)
        await asyncio.gather(inside, outside)

    loop.run_until_complete(both())
    assert [at for name, at in came if name == "outside"] == [1, 2, 3]
    inside = [at for name, at in came if name == "inside"]
    assert inside[0] == 1 and inside[1] >= 11


def test_blocking_functions_run_in_the_process(loop: VirtualLoop) -> None:
    async def called() -> int:
        PROCESS.set(StandingStill())
        return await asyncio.to_thread(lambda: 42)

    assert loop.run_until_complete(called()) == 42
