"""The stages of a tournament as they stand, and who takes part: what is known of a player besides
the name, and the check-in."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Instant
from domain.game import Result
from domain.tournament.history import Because, Bye, History, PlayedMatch
from domain.tournament.stage_events import ByHand, LotsCommitted, PlayerState
from domain.tournament.stages import MAIN, Episode, Stage


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


class Counted(NamedTuple):
    """How a settled match counts: its players seat by seat, and its result, None if it counts for
    nothing; whether that was decided by an absence."""

    players: tuple[int, ...]
    result: Result | None
    forfeit: bool = False

    def at(self, players: tuple[int, ...]) -> PlayedMatch:
        """The match as one of a pairing, its seats in the order of the pairing's players."""
        if self.result is None:
            return PlayedMatch(void=True)
        if players == self.players:
            return PlayedMatch(self.result, forfeit=self.forfeit)
        seat = [self.players.index(player) for player in players]
        place = {old: new for new, old in enumerate(seat)}
        result = self.result
        return PlayedMatch(
            Result(
                tuple(sorted(place[one] for one in result.winners)),
                tuple(sorted(place[one] for one in result.losers)),
                result.shared,
                tuple(result.scores[old] for old in seat),
            ),
            forfeit=self.forfeit,
        )


Results = Mapping[str, Counted]
"""How the settled matches of a tournament count, by their ids."""


class MatchTable(Struct, frozen=True):
    """A pairing of a published round, and its matches in the order of their creation. It may end
    later than its round."""

    table: int
    players: tuple[int, ...]
    because: tuple[Because, ...]
    matches: tuple[str, ...] = ()
    lots: int | None = None
    ends: Instant | None = None


class AsClosed(NamedTuple):
    """The numbers of the rounds that stood when a round was closed, up to this one, and what
    followed from them then: it stays, whatever is corrected, drawn or withdrawn since."""

    rounds: tuple[int, ...]
    history: History


class PublishedRound(Struct, frozen=True):
    """A round under its number, which is never used again, and how it was `closed`."""

    number: int
    method: str
    version: str
    inputs: str
    by_hand: ByHand | None
    tables: tuple[MatchTable, ...]
    byes: tuple[Bye, ...]
    starts: Instant
    ends: Instant | None
    status: Literal["published", "closed", "withdrawn"] = "published"
    closed: AsClosed | None = None
    show: Episode | None = None

    def end_of(self, table: MatchTable) -> Instant | None:
        """When a table is to be over, if the round has an end."""
        return max(self.ends, table.ends or 0) if self.ends else None

    @property
    def paired(self) -> Sequence[MatchTable]:
        """The tables as they were published: a death match of a show follows later."""
        return self.tables if self.show is None else self.tables[:MAIN]

    @property
    def players(self) -> frozenset[int]:
        """Those who have a table or a bye."""
        seated = (player for table in self.tables for player in table.players)
        return frozenset(seated).union(bye.player for bye in self.byes)


class StageState(Struct, frozen=True):
    """A stage: its settings, whether it is open, its players once they are known, with the seeds
    that they had then, its rounds, its order of lots once it is drawn, that of the seats of the
    next round of a show, the places at its close, and the points that penalties have taken, by
    player number."""

    settings: Stage
    status: Literal["planned", "open", "closed"] = "planned"
    entrants: tuple[int, ...] = ()
    rounds: tuple[PublishedRound, ...] = ()
    lots: tuple[int, ...] | None = None
    seat_lots: tuple[int, ...] | UnsetType = UNSET
    places: tuple[int, ...] = ()
    seeds: Mapping[int, int | None] = {}
    penalties: Mapping[str, int] = {}

    @property
    def standing(self) -> Sequence[PublishedRound]:
        """The rounds that were not withdrawn."""
        return [one for one in self.rounds if one.status != "withdrawn"]


class Competition(Struct, frozen=True):
    """The stages of a tournament, what is known of its players by number, the byes that were asked
    for as (stage, round), the last check-in, the commitment to its next draw of lots with what
    players have added, who is ready for which match, and the champions once it is closed."""

    stages: tuple[StageState, ...] = ()
    people: Mapping[int, PlayerFacts] = {}
    byes_asked: Mapping[int, tuple[tuple[int, int], ...]] = {}
    check_in: CheckIn | None = None
    lots: LotsCommitted | None = None
    seeds: Mapping[int, str] = {}
    ready: Mapping[str, frozenset[int]] = {}
    champions: tuple[int, ...] | None = None


def stage_of(competition: Competition, number: int) -> StageState:
    """A stage by its number, from 1."""
    return competition.stages[number - 1]


def with_stage(before: Competition, number: int, stage: StageState) -> Competition:
    stages = (*before.stages[: number - 1], stage, *before.stages[number:])
    return replace(before, stages=stages)
