"""The seeds of a tournament's draws of lots."""

from collections.abc import Sequence
from uuid import UUID

from domain.tournament.lots import commitment
from domain.tournament.stage_events import LotsCommitted
from domain.tournament.state import Tournament
from service.event_store.secret_store import SecretStore


class LotsSeeds:
    """The seeds, one an epoch. Everything here blocks."""

    def __init__(self, secret_store: SecretStore) -> None:
        self._secrets = secret_store

    def seed(self, tournament: UUID, epoch: int) -> bytes:
        """The seed of an epoch; it is drawn and stored when it is first asked for."""
        secrets = (
            self._secrets.begin_epoch(tournament, epoch)
            if epoch
            else self._secrets.create(tournament, 0, "server")
        )
        return next(seed_row.seed for seed_row in secrets.seeds if seed_row.epoch == epoch)

    def commit(self, tournament: UUID, epoch: int, state: Tournament) -> LotsCommitted:
        """The commitment to the seed of an epoch, with the roster as it is."""
        roster: Sequence[tuple[bytes, str]] = [
            (state.blinds[player], name) for player, name in enumerate(state.players)
        ]
        return commitment(str(tournament), epoch, self.seed(tournament, epoch), roster)
