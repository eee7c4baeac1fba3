"""Tournaments on an instance of the service, without HTTP."""

import asyncio
from collections.abc import Callable, Sequence
from uuid import UUID

from domain.commands import Start
from domain.events import Event
from domain.ledger import Account
from domain.tournament import (
    CreateTournament,
)
from domain.tournament_events import MatchSettled
from service.arbiter import Arbiter
from tests.service.instance import PATIENCE, on_record, someone_acts

CUP = CreateTournament("Cup", ("Ann", "Ben", "Cy"), ("Mo",), {"Ann": 5, "Ben": 1})
CHIPS = "twelve-chips"
BROUGHT, KEPT, EARNED = (1, 2), (1, 1), (3, 0)
"""What the two seats of a match bring, what of it they have left, and what they are awarded."""


async def added(arbiter: Arbiter, cup: UUID, seats: Sequence[str] = ("Ben", "Ann")) -> UUID:
    """A match of the tournament that has not been started."""
    options = {"tokens_to_win": 1}
    made = await arbiter.creation.match(CHIPS, tuple(seats), options, "server", "none", None, cup)
    return made.id


async def played(arbiter: Arbiter, cup: UUID) -> UUID:
    """A match of the tournament that has been played to its end."""
    match_id = await added(arbiter, cup)
    await arbiter.matches.enter(match_id, Start(), "moderator")
    while await someone_acts(arbiter, match_id):
        pass
    return match_id


def recorded(arbiter: Arbiter, cup: UUID, kind: type[Event] = Event) -> list[Event]:
    """The tournament's events of a kind, as they lie in the store."""
    return [r.event for r in on_record(arbiter, cup) if isinstance(r.event, kind)]


async def balances(arbiter: Arbiter, cup: UUID) -> dict[Account, int]:
    return dict((await arbiter.tournaments.opened(cup)).state.balances)


async def until(true: Callable[[], bool]) -> None:
    """Returns when something has come true."""
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110  the store tells nobody
            await asyncio.sleep(0.005)


async def settled(arbiter: Arbiter, cup: UUID, count: int = 1) -> None:
    """Returns when so many matches have been settled, on disk and in memory."""
    await until(lambda: len(recorded(arbiter, cup, MatchSettled)) >= count)
    async with asyncio.timeout(PATIENCE):
        # Asked anew each time: whenever something goes wrong the tournament is forgotten.
        while await _in_memory(arbiter, cup) < count:  # noqa: ASYNC110  as above
            await asyncio.sleep(0.005)


async def _in_memory(arbiter: Arbiter, cup: UUID) -> int:
    """How many matches have been settled for whoever asks now."""
    matches = (await arbiter.tournaments.opened(cup)).state.matches
    return sum(match.settled for match in matches.values())
