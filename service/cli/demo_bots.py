"""Bots for the matches that readers of the pages start, at a pace that people can follow."""

import asyncio
from random import Random
from uuid import UUID

from arbiter_client import AsyncArbiter
from domain.games import GAMES
from service.cli.playing import Table, seated
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


async def begin(service: AsyncArbiter, game: str) -> Begun:
    """Starts a match of the game between bots, which say that they are bots."""
    names = tuple(f"{name} (bot)" for name in NAMES[: GAMES[game].seats[0]])
    match = await seated(service, Table(game, names))
    course = match.play(Random(), unhurried)  # noqa: S311  bots' tastes
    return Begun(UUID(match.id), course)


async def unhurried(awaited: int) -> None:
    """Lets people see what has happened before the next of those who are awaited acts."""
    await asyncio.sleep(PAUSE if awaited == 1 else PHASE_PAUSE / awaited)
