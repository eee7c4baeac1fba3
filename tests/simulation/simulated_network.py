"""What simulated clients and instances send to one another, which is on its way, or lost."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from tests.simulation.fault_kinds import ActiveFaults
from tests.simulation.simulated_process import ConnectionLost, SimulatedProcess
from tests.simulation.virtual_loop import VirtualLoop

T = TypeVar("T")

NETWORK_SECONDS = 0.0002, 0.01
SLOW_SECONDS = 0.2, 4.0
NOTIFICATION_SECONDS = 0.0005, 0.02
"""How long a message is on its way, usually and in a slow network."""


class Network:
    """Leads to `processes`, by the numbers of their instances."""

    def __init__(
        self,
        loop: VirtualLoop,
        chance: Random,
        faults: ActiveFaults,
        processes: Sequence[SimulatedProcess | None],
    ) -> None:
        self._loop, self._chance, self._faults, self._processes = loop, chance, faults, processes

    def notify(self, sender: SimulatedProcess, stream: UUID) -> None:
        """Tells the other instances that a stream has grown."""
        for other in self._processes:
            if other is None or other is sender or other.dead or sender.dead:
                continue
            if self._faults.hits("lost notification", other.number):
                other.note("lost notification")
                continue
            self._loop.call_later(
                self._chance.uniform(*NOTIFICATION_SECONDS),
                other.instance.outside_news.grown,
                stream,
                context=other.context,
            )

    async def request(self, number: int, handle: Callable[[SimulatedProcess], Awaitable[T]]) -> T:
        """Sends a request to an instance; returns what `handle` returns there.

        Raises what it raises, or ConnectionLost.
        """
        await self.on_its_way(number)
        process = self._processes[number]
        if process is None or not process.up:
            raise ConnectionLost
        if self._faults.hits("lost request", number):
            process.note("lost request")
            raise ConnectionLost
        reply: asyncio.Future[T] = self._loop.create_future()
        process.replies[reply] = None
        process.spawn(_handled(process, handle, reply))
        result = await reply
        await self.on_its_way(number)
        if self._faults.hits("lost reply", number):
            process.note("lost reply")
            raise ConnectionLost
        return result

    async def on_its_way(self, number: int) -> None:
        """Waits for as long as a message between an instance and others is on its way."""
        seconds = self._chance.uniform(*NETWORK_SECONDS)
        if self._faults.hits("slow network", number):
            seconds = self._chance.uniform(*SLOW_SECONDS)
            process = self._processes[number]
            if process is not None and not process.dead:
                process.note("slow network")
        await asyncio.sleep(seconds)


async def _handled(
    process: SimulatedProcess,
    handle: Callable[[SimulatedProcess], Awaitable[Any]],
    reply: "asyncio.Future[Any]",
) -> None:
    """Handles a request in the process that got it."""
    result, failure = None, None
    try:
        result = await handle(process)
    except Exception as error:  # noqa: BLE001  the client gets it
        failure = error
    process.replies.pop(reply, None)
    if reply.done():
        return
    if failure is None:
        reply.set_result(result)
    else:
        reply.set_exception(failure)
