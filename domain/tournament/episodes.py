"""A round of an elimination show: its games, who is safe, and who goes home."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from domain.events import Instant
from domain.game import Result
from domain.tournament.stages import BestOf

Seats = tuple[int, ...]
Groups = tuple[tuple[int, ...], ...]
ChosenBy = Literal["player", "lots"]

MAIN, DEATH = 1, 2
"""The tables of an episode: that of the main match is published with the round."""

TWO = 2
"""Players of a death match."""


class MainMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """The main match of a round of a show, which all who are left play."""

    game: Annotated[str, Meta(description="The id of a game")]
    options: Annotated[dict[str, Any], Meta(description="The game's own options")] = {}


class DeathMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """The match after which one of two goes home, or as many as `best_of` takes. The second seat
    of the first is the opponent's who was chosen."""

    game: Annotated[str, Meta(description="The id of a game for two")]
    options: Annotated[dict[str, Any], Meta(description="The game's own options")] = {}
    best_of: Annotated[BestOf, Meta(description="Out of how many matches it is decided")] = 1


class EpisodePlan(Struct, frozen=True):
    """What is played in a round of a show. The seats of the main match go to the players of the
    first of the `groups`, then to those of the second, and so on; without groups by lots."""

    main: MainMatch
    death: DeathMatch
    groups: Groups | None = None


class Named(Struct, frozen=True):
    """The seats that a game has named at the end of a match; None where it names none."""

    immune: Seats | None = None
    candidates: Seats | None = None


class Episode(Struct, frozen=True):
    """A round of a show as it stands. `counted` is the result of the main match by which `immune`
    and `candidates` were named, both None until then. A sole candidate has until `choice_until` to
    choose the `opponent`."""

    plan: EpisodePlan
    counted: Result | None = None
    immune: tuple[int, ...] | None = None
    candidates: tuple[int, ...] | None = None
    choice_until: Instant | None = None
    opponent: int | None = None
    chosen_by: ChosenBy | None = None
    eliminated: int | None = None

    @property
    def chooser(self) -> int | None:
        """The candidate who chooses an opponent, if there is but one."""
        return self.candidates[0] if self.candidates and len(self.candidates) == 1 else None
