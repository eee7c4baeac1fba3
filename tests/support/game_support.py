"""What the tests of all games need to know of each game, and their defaults.

A game provides it in `tests/support/games/<game>.py`, which offers one `SUPPORT`. The file is
optional, and so is each field: a game without one is played with options of every kind that its
JSON Schema allows, in every test that goes through all games.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from domain.chance.draws import Outcome
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.support.tables.match_table import MatchTable

Json = dict[str, Any]

NAMES = (
    "Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jo", "Kai", "Lu", "Mo", "Nan",
    "Ole", "Pia",
)  # fmt: skip


def names(count: int) -> list[str]:
    return [*NAMES, *(f"Seat {number}" for number in range(len(NAMES), count))][:count]


def invariants_hold(table: MatchTable) -> None:
    """The game's own invariants of every state."""
    for name, holds in table.game.invariants.items():
        assert holds(table.match.game), name


def nothing_is_hidden(table: MatchTable, viewer: Viewer, rng: Random) -> dict[str, Outcome]:
    """No outcome of a draw can be exchanged: everyone has seen every outcome."""
    return {}


@dataclass(frozen=True)
class Recording:
    """How the matches of `tests/recorded` are played. `seats` are by default the fewest; `lateness`
    is how often a phase ends by its deadline; `closed`: the match with seeds has a closed record;
    `luck` decides what else happens in them and in `tests/corpus`, by default the game's id."""

    options: Json = field(default_factory=dict)
    seats: int | None = None
    lateness: float = 0.1
    closed: bool = False
    luck: str | None = None


class Shown(NamedTuple):
    """The fields of a game's boards, with some options: the public ones, and those that a seat or a
    moderator has next to them."""

    options: Json
    public: str
    seat: str = ""
    moderator: str = ""

    def to(self, viewer: Viewer) -> tuple[str, ...]:
        own = {PUBLIC_VIEWER: "", MODERATOR: self.moderator}.get(str(viewer), self.seat)
        return (*self.public.split(), *own.split())


@dataclass(frozen=True)
class GameSupport:
    """What the tests know of one game.

    `options(seats)` gives options of every kind with which this many can play, where the JSON
    Schema does not say enough. `conserved(table)` asserts what must hold at every step.
    `other_outcomes(table, viewer, rng)` gives outcomes of draws, by their ids, that the viewer
    cannot distinguish from those that the match had. `seats` is how many sit at a table of the
    tests, by default the fewest. `short` are the luck and the options with which a simulated match
    is short; with `other_luck` it is another short one. `variety` are some sets of options as they
    may be given to the API, first the usual ones. `refused` are actions that are refused to a seat
    for which the match does not wait, `tried` actions of every kind, right and wrong. `sealed`: its
    phases have to be closed, by a deadline or a moderator. `draws`: something is drawn in its
    matches. `bundles` are numbers of seats and options of the matches in `tests/corpus`. `limits`
    are those of all options that are numbers, by the rules; without them any are right. `shown` are
    the fields of its boards, by default those that they begin with in each variant.
    """

    options: Callable[[int], st.SearchStrategy[Any]] | None = None
    conserved: Callable[[MatchTable], None] = invariants_hold
    other_outcomes: Callable[[MatchTable, Viewer, Random], dict[str, Outcome]] = nothing_is_hidden
    seats: int | None = None
    short: tuple[str, Json] = ("1", {})
    other_luck: str = "2"
    variety: Sequence[Json] = ()
    refused: Sequence[Json] = ()
    tried: Sequence[Json] = ()
    sealed: bool = False
    draws: bool = True
    recording: Recording = Recording()
    bundles: Sequence[tuple[int, Json]] = ()
    limits: Mapping[str, tuple[int, int]] | None = None
    shown: Sequence[Shown] = ()
