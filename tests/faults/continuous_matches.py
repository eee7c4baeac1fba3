"""Matches of every game played one after another, with draws of both kinds."""

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from domain.games import GAMES
from tests.faults.http_writers import (
    Ledger,
    Service,
    Table,
    close_phase,
    enter_draw,
    plays,
    rule,
    table,
)
from tests.support.games import SUPPORT

KINDS = [(game, chance) for game in GAMES for chance in ("server", "manual")]
IMPATIENCE = 0.1
DOUBT = 0.1
"""How often a moderator ends a phase, and rules, when they look."""

WRITERS = 3
"""Preferred number of seats of a match, if the game allows it."""
MODERATOR_PACE = 0.03


class MatchSeries:
    """Plays one match after another, with its seats and a moderator where one is needed."""

    def __init__(self, service: Service, ledger: Ledger, game: str, chance: str) -> None:
        self._service, self._ledger = service, ledger
        self._kind = game, chance
        self.table: Table

    async def begin(self) -> None:
        self.table = await table(self._service, self._ledger, *self._kind)

    def tasks(self, chance: random.Random) -> list[Coroutine[Any, Any, None]]:
        def present() -> Table:
            return self.table

        seats = [
            plays(self._service, self._ledger, seat, present, random.Random(chance.random()))
            for seat in range(min(WRITERS, len(self.table.seat_keys)))
        ]
        return [*seats, self._goes_on(random.Random(chance.random()))]

    async def _goes_on(self, chance: random.Random) -> None:
        """Enters draws by hand where one is due, and begins a new match when one is over."""
        while not self._service.closing:
            if self.table.chance == "manual":
                await enter_draw(self._service, self._ledger, self.table, chance)
            if SUPPORT[self.table.game].sealed and chance.random() < IMPATIENCE:
                await close_phase(self._service, self.table)
            if chance.random() < DOUBT:
                await rule(self._service, self._ledger, self.table, chance)
            path = f"/v1/matches/{self.table.id}/view"
            view = await self._service.request("GET", path, self.table.moderator_key)
            if view.json()["status"] == "ended":
                await self.begin()
            await asyncio.sleep(MODERATOR_PACE)


@asynccontextmanager
async def writing(
    service: Service, ledger: Ledger, chance: random.Random
) -> AsyncIterator[asyncio.TaskGroup]:
    """While inside, clients write to the service: a series of matches for every game and both ways
    of making draws. What they do ends with the block."""
    places = await begun(service, ledger)
    service.closing = False
    async with asyncio.TaskGroup() as writers:
        for task in (task for place in places for task in place.tasks(chance)):
            writers.create_task(task)
        yield writers
        service.closing = True


async def begun(service: Service, ledger: Ledger) -> list[MatchSeries]:
    """A series of matches for every game and both ways of making draws."""
    places = [MatchSeries(service, ledger, *kind) for kind in KINDS]
    for place in places:
        await place.begin()
    return places
