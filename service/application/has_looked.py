"""Whether somebody who is to be seated has looked at what is hidden from the others (RULINGS §6).

Whoever has read hidden things of a running match of a tournament is given no seat against its
players there, unless the organiser says why.
"""

from collections.abc import Sequence
from uuid import UUID

from domain.people import named_person
from domain.tournament_state import Tournament
from service.application.evidence import OVER
from service.application.match_sessions import MatchSessions
from service.application.read_account import ReadAccount


class HasLooked(Exception):
    """Somebody who is to be seated has looked at this match of one of the others."""

    def __init__(self, name: str, match: str) -> None:
        super().__init__(match)
        self.name = name
        self.match = match


async def looks_of_players(
    account: ReadAccount, sessions: MatchSessions, state: Tournament, seats: Sequence[str]
) -> list[HasLooked]:
    """The looks of those who are to be seated, at running matches of the tournament in which
    another of them plays; `seats` are names of the roster. Raises StoreUnavailable."""
    persons = {named_person(name): name for name in seats}
    found: dict[str, HasLooked] = {}
    for read in await account.hidden(_open_matches(state)):
        name = None if read.name is None else persons.get(named_person(read.name))
        if name is not None and _others(seats, name) & _playing(state, read.match):
            found.setdefault(read.match, HasLooked(name, read.match))
    return [found[match] for match in sorted(found) if await _running(sessions, match)]


def _open_matches(state: Tournament) -> list[str]:
    return [match for match, added in state.matches.items() if not added.settled]


def _others(seats: Sequence[str], name: str) -> set[str]:
    return {other for other in seats if other != name}


def _playing(state: Tournament, match: str) -> set[str]:
    return {state.players[player] for player in state.matches[match].players}


async def _running(sessions: MatchSessions, match: str) -> bool:
    return (await sessions.current(UUID(match))).match.status not in ("created", *OVER)
