"""Records the pending corrections that have lapsed. The leader does this for all tournaments; a
tournament that is changed meanwhile records its own first."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from service.application.tournament_service import TournamentService
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.observability import logs
from service.read_models.index import Index

SECONDS = 5.0
"""Pause between two looks at what has lapsed."""


class CorrectionLapses:
    """Finds the tournaments in one store with a ruling that has lapsed."""

    def __init__(self, tournaments: TournamentService, index: Index, clock: Clock) -> None:
        self._tournaments = tournaments
        self._index = index
        self._clock = clock

    async def run(self) -> None:
        """Records what has lapsed, for as long as the instance leads."""
        while True:
            try:
                await self.follow()
            except Exception as error:  # noqa: BLE001  it is tried again
                if not isinstance(error, StoreUnavailable):
                    logs.failure("not_done", error, what="CorrectionLapses.follow")
            await asyncio.sleep(SECONDS)

    async def follow(self) -> None:
        """Records what has lapsed by now, each at its instant."""
        for tournament in await in_store_thread(self._due):
            await self._tournaments.lapse(tournament)

    def _due(self) -> Sequence[UUID]:
        self._index.follow()
        return self._index.lapsing(self._clock.now())
