"""Who takes part in a tournament: what is known of a player besides the name, and the check-in."""

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Instant
from domain.tournament.stage_events import PlayerState


class PlayerFacts(Struct, frozen=True):
    """What is known of a player besides the name; `was` is what a disqualified one was before."""

    status: PlayerState = "entered"
    rating: int | None = None
    seed: int | None = None
    team: str | None = None
    annulled: bool = False
    was: PlayerState = "entered"

    @property
    def out(self) -> bool:
        """Whether the player has left the tournament."""
        return self.status in ("withdrawn", "disqualified", "eliminated")

    def after(self, status: PlayerState, *, annulled: bool) -> "PlayerFacts":
        """The player with a new status."""
        was = self.status if status == "disqualified" else self.was
        return replace(self, status=status, annulled=annulled, was=was)

    def asked_in(self) -> "PlayerFacts":
        """The player when a check-in opens: an earlier one counts no more."""
        return replace(self, status="entered") if self.status == "checked_in" else self


class CheckIn(Struct, frozen=True):
    """A check-in, in which players say until it `closes` that they are there; once it is `closed`,
    only those who have are paired."""

    closes: Instant
    closed: bool = False
