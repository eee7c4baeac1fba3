"""Succession: who may take over a seat, and what follows for the keys of the match
(/docs/rulings#a-new-player)."""

from typing import NamedTuple
from uuid import UUID

from domain.people import Actor
from domain.ruling_kinds import ReplaceSeat
from domain.seat_holders import holders
from domain.tournament import OverrideLook
from service.application.match_keys import MatchKeys
from service.application.match_sessions import MatchSessions
from service.application.reads import Allowed, HasLooked, Looks, override_of
from service.application.tournament_service import TournamentService


class Sender(NamedTuple):
    """Who sends a ruling. Only organisers are told at which match somebody has looked, and may
    allow it, for a reason."""

    organiser: bool = False
    has_looked_reason: str | None = None


class Succession:
    """Checks successors, and issues their keys."""

    def __init__(
        self,
        keys: MatchKeys,
        sessions: MatchSessions,
        tournaments: TournamentService,
        looks: Looks,
    ) -> None:
        self._keys = keys
        self._sessions = sessions
        self._tournaments = tournaments
        self._looks = looks

    async def check(
        self, match_id: UUID, ruling: ReplaceSeat, sender: Sender, actor: Actor, since: int = 0
    ) -> OverrideLook | None:
        """What has to be recorded before the seat is given, if anything. Looks up to `since`, in
        microseconds, were allowed or not there when the ruling was proposed.

        Raises Refused (`moderator_plays`), HasLooked, UnknownMatch and StoreUnavailable.
        """
        await self._keys.check_person(match_id, f"s{ruling.seat}", ruling.name)
        match = (await self._sessions.current(match_id)).match
        if match.created.tournament is None:
            return None
        tournament = await self._tournaments.current(UUID(match.created.tournament))
        others = [name for seat, name in enumerate(holders(match)) if seat != ruling.seat]
        found = await self._looks.of_players(tournament.state, [*others, ruling.name])
        looks = [each for each in found if each.name == ruling.name and each.first > since]
        reason = sender.has_looked_reason if sender.organiser else None
        try:
            override = override_of(looks, None if reason is None else Allowed(reason, actor))
        except HasLooked as looked:
            raise HasLooked(looked.name, looked.match if sender.organiser else None) from None
        return None if override is None else OverrideLook(str(match_id), override)

    async def record(self, match_id: UUID, override: OverrideLook | None) -> None:
        """Records what is overridden on the tournament of the match."""
        tournament = (await self._sessions.current(match_id)).match.created.tournament
        if override is not None and tournament is not None:
            await self._tournaments.execute(UUID(tournament), override)

    async def key(
        self, match_id: UUID, ruling_id: UUID, ruling: ReplaceSeat, actor: Actor | None
    ) -> str | None:
        """Ends the keys of the one who was replaced, and issues one to the successor, which is
        shown to `actor`, who carried the ruling out; None for a repeat, or if all seats did."""
        await self._keys.end_of_predecessors(match_id)
        if actor is None:
            return None
        return await self._keys.give_to_successor(
            match_id, ruling_id, ruling.seat, ruling.name, actor
        )
