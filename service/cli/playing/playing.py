"""Lets bots play matches over HTTP; each uses only its key and the examples of its menu."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from random import Random
from typing import Any
from uuid import UUID

from arbiter_client import AsyncArbiter, CreatedMatch, View
from domain.games import GAMES
from service.demo_matches import Begun

NAMES = (
    "Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ida", "Jon", "Kim", "Lou", "Mia",
    "Ned", "Olga", "Pete", "Quinn", "Rosa", "Sam", "Tess", "Uwe", "Vera", "Will", "Xenia", "Yann",
    "Zoe", "Abel", "Bea", "Carl", "Dora", "Emil", "Fay",
)  # fmt: skip

PAUSE = 1.5
"""Seconds between two turns."""

PHASE_PAUSE = 3.0
"""Seconds in which all who are awaited at once submit."""

Pause = Callable[[int], Awaitable[None]]
"""What comes before an action, by how many seats are awaited."""


class BotMatch:
    """A match on the server that bots play, with the keys to it. `actions` counts theirs; the
    `winners` are known at its end."""

    def __init__(self, service: AsyncArbiter, game: str, match: CreatedMatch) -> None:
        self.game, self.match = game, match
        self.names = [seat.name for seat in match.seats]
        self.actions = 0
        self.winners: list[str] = []
        self._moderator = service.match(match.id, match.moderator_key)
        self._seats = [service.match(match.id, seat.key) for seat in match.seats]

    async def play(self, rng: Random, pause: Pause | None = None) -> None:
        """Plays the match, which has just been started, to its end."""
        view = await self._moderator.view("public")
        while view.status == "running":
            awaited = view.awaiting.seats
            before = view.public_seq
            for seat in rng.sample(awaited, len(awaited)):
                if pause is not None:
                    await pause(len(awaited))
                view = await self._act(seat, rng)
                if view.status != "running":
                    break
            if len(awaited) > 1 and view.status == "running" and view.public_seq == before:
                view = (await self._moderator.close_phase()).view
        assert view.result is not None, "bots play to the end"
        self.winners = [self.names[seat] for seat in view.result.winners]

    async def _act(self, seat: int, rng: Random) -> View:
        """Lets the seat's bot choose an action from its menu; returns the seat's view after it."""
        match = self._seats[seat]
        menu = await match.menu()
        if not menu.actions:
            return await match.view()
        self.actions += 1
        return (await match.act(rng.choice(rng.choice(menu.actions).examples))).view


async def seat_bots(
    service: AsyncArbiter, game: str, names: Sequence[str], options: Mapping[str, Any]
) -> BotMatch:
    """Creates and starts a match, as an organiser."""
    match = await service.create_match(game, names, dict(options), clock="none")
    await service.match(match.id).start()
    return BotMatch(service, game, match)


async def begin(service: AsyncArbiter, game: str) -> Begun:
    """Starts a match of the game between bots, which say that they are bots, at a pace that people
    can follow."""
    names = [f"{name} (bot)" for name in NAMES[: GAMES[game].seats[0]]]
    match = await seat_bots(service, game, names, {})
    course = match.play(Random(), unhurried)  # noqa: S311  bots' tastes
    return Begun(UUID(match.match.id), course)


async def unhurried(awaited: int) -> None:
    """Lets people see what has happened before the next of those who are awaited acts."""
    await asyncio.sleep(PAUSE if awaited == 1 else PHASE_PAUSE / awaited)
