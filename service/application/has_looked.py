"""Whether somebody who is to be seated has looked at what is hidden from the others (RULINGS §6).

Whoever has read hidden things of a running match of a tournament is given no seat against its
players there, unless the organiser says why.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from domain.people import Actor, named_person
from domain.seat_holders import holders
from domain.tournament import Override
from domain.tournament_state import Tournament
from service.application.match_sessions import MatchSessions
from service.application.read_account import ReadAccount


class HasLooked(Exception):
    """Somebody who is to be seated has looked at this match of one of the others. It is None for
    those who may not be told which."""

    def __init__(self, name: str, match: str | None) -> None:
        super().__init__(match)
        self.name = name
        self.match = match


class Allowed(NamedTuple):
    """Why, and by whom, somebody may be seated who has looked."""

    reason: str
    actor: Actor


class Look(NamedTuple):
    """Somebody has looked at a match, first at this instant in microseconds."""

    name: str
    match: str
    first: int


async def looks_of_players(
    account: ReadAccount, sessions: MatchSessions, state: Tournament, seats: Sequence[str]
) -> list[Look]:
    """The looks of those who are to be seated, at running matches of the tournament in which
    another of them plays; `seats` are all their names. The earliest of each person at each match.
    Raises StoreUnavailable."""
    persons = {named_person(name): name for name in seats}
    found: dict[tuple[str, str], Look] = {}
    unsettled = [match for match, added in state.matches.items() if not added.settled]
    for read in await account.hidden(unsettled):
        name = None if read.name is None else persons.get(named_person(read.name))
        if name is None:
            continue
        look = found.get((read.match, name), Look(name, read.match, read.first))
        found[read.match, name] = look._replace(first=min(look.first, read.first))
    return [found[key] for key in sorted(found) if await _against(sessions, key[0], seats, key[1])]


def override_of(looks: Sequence[Look], allowed: Allowed | None) -> Override | None:
    """What is overridden by seating those who have looked; None if nobody has. Raises HasLooked if
    that is not allowed."""
    if not looks:
        return None
    if allowed is None:
        raise HasLooked(looks[0].name, looks[0].match)
    return Override(tuple({look.match: None for look in looks}), allowed.reason, allowed.actor)


async def _against(sessions: MatchSessions, match_id: str, seats: Sequence[str], name: str) -> bool:
    """Whether the match is running, and one of the others plays in it now."""
    match = (await sessions.current(UUID(match_id))).match
    others = {named_person(other) for other in seats} - {named_person(name)}
    playing = map(named_person, holders(match))
    return match.status != "created" and not match.over and not others.isdisjoint(playing)
