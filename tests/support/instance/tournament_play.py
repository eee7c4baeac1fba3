"""Tournaments on an instance of the service, without HTTP."""

from collections.abc import Sequence
from uuid import UUID

from domain.tournament.commands import NewTournament
from domain.tournament.events import MatchSettled
from domain.tournament.ledger import Account
from service.application.matches.creation import NewMatch
from service.instance import Instance
from tests.support.instance.service_instance import recorded, someone_acts
from tests.support.tables.directing import START
from tests.support.waiting import until

CUP = NewTournament("Cup", ("Ann", "Ben", "Cy"), ("Mo",), {"Ann": 5, "Ben": 1})
CHIPS = "twelve-chips"
BROUGHT, KEPT, EARNED = (1, 2), (1, 1), (3, 0)
"""Garnets that the two seats bring into a match, what of them they have left, and what they are
awarded."""


async def added(instance: Instance, cup: UUID, seats: Sequence[str] = ("Ben", "Ann")) -> UUID:
    """A match of the tournament that has not been started."""
    options = {"tokens_to_win": 1}
    match = await instance.creation.match(
        NewMatch(CHIPS, tuple(seats), options, tournament=str(cup))
    )
    return match.id


async def played(instance: Instance, cup: UUID) -> UUID:
    """A match of the tournament that has been played to its end."""
    match_id = await added(instance, cup)
    await instance.matches.execute(match_id, START, "moderator")
    while await someone_acts(instance, match_id):
        pass
    return match_id


async def balances(instance: Instance, cup: UUID) -> dict[Account, int]:
    return dict((await instance.tournaments.current(cup)).state.balances)


async def settled(instance: Instance, cup: UUID, count: int = 1) -> None:
    """Returns when this many matches have been settled, on disk and in memory."""
    await until(lambda: len(recorded(instance, cup, MatchSettled)) >= count)

    async def known() -> bool:
        # Looked up each time: the tournament leaves memory whenever something fails.
        return await _in_memory(instance, cup) >= count

    await until(known)


async def _in_memory(instance: Instance, cup: UUID) -> int:
    """How many matches have been settled according to the instance."""
    matches = (await instance.tournaments.current(cup)).state.matches
    return sum(match.settled for match in matches.values())
