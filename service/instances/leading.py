"""Who leads: of all instances on one store one reports deadlines, settles and signs.

Leading is a matter of doing things once, never of being right: whatever two leaders did at the
same moment, the door would let in one of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol

from service import logs

CLOCK_SECONDS = 1.0
"""How often it is looked whether the leader's clock is right."""

OFF = "this machine's clock is not the database's: set it right, or that one"


class ClockOff(logs.Plain):
    """The clock is not right enough to lead."""


class Lead(Protocol):
    """What at most one instance has at a time; `elsewhere` if another one had it when that was last
    asked."""

    @property
    def elsewhere(self) -> bool: ...

    async def gained(self) -> None:
        """Returns when this instance has it."""

    async def lost(self) -> None:
        """Returns when this instance has it no more."""

    async def given_up(self) -> None:
        """Lets another instance have it at once."""


class Alone:
    """The lead of the only instance on a store."""

    elsewhere = False

    async def gained(self) -> None:
        return

    async def lost(self) -> None:
        await asyncio.Event().wait()

    async def given_up(self) -> None:
        return


class Punctual:
    """The lead of an instance whose clock is right: while it is not, the instance does not take the
    lead, and gives it up. A leader's clock ends everybody's turns."""

    def __init__(self, lead: Lead, right: Callable[[], Awaitable[bool]]) -> None:
        self._lead = lead
        self._right = right

    @property
    def elsewhere(self) -> bool:
        return self._lead.elsewhere

    async def gained(self) -> None:
        while True:
            if not await self._right():
                logs.failed("lead_not_taken", ClockOff(OFF))
                await self._becomes(right=True)
            await self._lead.gained()
            # It may have been waited for long.
            if await self._right():
                return
            await self._lead.given_up()

    async def lost(self) -> None:
        lost = asyncio.create_task(self._lead.lost())
        wrong = asyncio.create_task(self._becomes(right=False))
        try:
            await asyncio.wait({lost, wrong}, return_when=asyncio.FIRST_COMPLETED)
            if lost.done():
                lost.result()
            else:
                wrong.result()
                logs.failed("lead_given_up", ClockOff(OFF))
                await self._lead.given_up()
        finally:
            lost.cancel()
            wrong.cancel()
            await asyncio.gather(lost, wrong, return_exceptions=True)

    async def given_up(self) -> None:
        await self._lead.given_up()

    async def _becomes(self, *, right: bool) -> None:
        while await self._right() != right:  # noqa: ASYNC110  it has to be asked
            await asyncio.sleep(CLOCK_SECONDS)


class Leader:
    """Does what only one instance does, for as long as it has the lead."""

    def __init__(
        self, lead: Lead, duties: Callable[[], Sequence[Coroutine[Any, Any, None]]]
    ) -> None:
        self._lead = lead
        self._duties = duties
        self.leads = False

    @property
    def somebody_leads(self) -> bool:
        """Whether the duties are done, here or elsewhere."""
        return self.leads or self._lead.elsewhere

    async def run(self) -> None:
        """Waits for the lead and does its duties, again and again. Raises what one of them raises;
        RuntimeError if one ends."""
        try:
            while True:
                await self._lead.gained()
                await self._led()
        finally:
            await asyncio.shield(self._lead.given_up())

    async def _led(self) -> None:
        """Does the duties until the lead is lost."""
        self.leads = True
        lost = asyncio.create_task(self._lead.lost())
        duties = [asyncio.create_task(duty) for duty in self._duties()]
        try:
            done, _ = await asyncio.wait([lost, *duties], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {lost}:
                task.result()
                raise RuntimeError("a duty ended")
            lost.result()
        finally:
            self.leads = False
            for task in (lost, *duties):
                task.cancel()
            await asyncio.gather(lost, *duties, return_exceptions=True)
