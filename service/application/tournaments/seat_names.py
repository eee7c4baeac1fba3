"""The names of seats: a player's new name is that of their seats in all matches that are not over
(/docs/tournaments#names)."""

from collections import Counter
from contextlib import suppress
from uuid import UUID

from domain.match.commands import Conflict, RenameSeat
from domain.match.seat_holders import holders, tenure
from domain.match.state import Match
from domain.names import is_of
from domain.tournament.state import Added, Tournament
from service.application.matches.match_service import MatchService


class SeatNames:
    """Gives seats the names that their players have now. `follow` may be called again at any time:
    nothing is done twice."""

    def __init__(self, matches: MatchService) -> None:
        self._matches = matches
        self._followed: dict[UUID, int] = {}

    async def follow(self, tournament: UUID, state: Tournament) -> None:
        """Names the seats of the tournament's matches as its record says, once after each new
        name. Matches that are created later have the new names. Raises StoreUnavailable."""
        if self._followed.get(tournament, len(state.players)) == len(state.named):
            return
        names = Counter(player for player, _ in state.named)
        renamed = {player for player, had in names.items() if had > 1}
        for match, added in state.matches.items():
            if not added.settled and not renamed.isdisjoint(added.players):
                await self._name(UUID(match), state, added)
        self._followed[tournament] = len(state.named)

    async def _name(self, match_id: UUID, state: Tournament, added: Added) -> None:
        match = (await self._matches.sessions.current(match_id)).match
        for seat, player in enumerate(added.players):
            name = state.players[player]
            if tenure(match, seat) or holders(match)[seat] == name or _taken(match, seat, name):
                continue
            with suppress(Conflict):  # The match is over, or someone else has the seat.
                await self._matches.execute(match_id, RenameSeat(seat, name), "public")


def _taken(match: Match, seat: int, name: str) -> bool:
    """Whether someone else in the match has or had the name: who has taken over another seat, or
    moderates by a key of the match. Then the seat keeps the old one."""
    others = (other for number, other in match.names if number != seat)
    return is_of(name, (*others, *match.keys.moderators))
