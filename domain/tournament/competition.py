"""The stages of a tournament as they stand, who takes part, and what formats read of a stage: its
history, as it counts now and as a round was closed with."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Instant
from domain.game import Result
from domain.tournament.formats import FORMATS
from domain.tournament.history import (
    Because,
    Bye,
    Entrant,
    History,
    Pairing,
    PastRound,
    PlayedMatch,
    Presence,
)
from domain.tournament.stage_events import ByHand, LotsCommitted, Meeting, PlayerState
from domain.tournament.stages import MAIN, Episode, Stage


class PlayerFacts(Struct, frozen=True):
    """What is known of a player besides the name; `was` is what a disqualified one was before,
    `because` the reason that was given for the status."""

    status: PlayerState = "entered"
    rating: int | None = None
    seed: int | None = None
    team: str | None = None
    annulled: bool = False
    was: PlayerState = "entered"
    because: str | None = None

    @property
    def out(self) -> bool:
        """Whether the player has left the tournament."""
        return self.status in ("withdrawn", "disqualified", "eliminated")

    def after(self, status: PlayerState, because: str | None, *, annulled: bool) -> "PlayerFacts":
        """The player with a new status."""
        was = self.status if status == "disqualified" else self.was
        return replace(self, status=status, annulled=annulled, was=was, because=because)

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
                tuple(sorted(place[winner] for winner in result.winners)),
                tuple(sorted(place[loser] for loser in result.losers)),
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
    """A round under its number, which is never used again, and how it was `closed`. `basis` are the
    matches of each table as they stood when the next round was published, or the stage closed.
    They decide who has gone on, until that round is withdrawn: corrections since do not."""

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
    basis: tuple[tuple[PlayedMatch, ...], ...] | None = None
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
        at_tables = (player for table in self.tables for player in table.players)
        return frozenset(at_tables).union(bye.player for bye in self.byes)


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
        return [round_ for round_ in self.rounds if round_.status != "withdrawn"]


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


def history_of(
    competition: Competition, number: int, results: Results, entrants: Sequence[int] | None = None
) -> History:
    """The history of a stage as it counts now. `entrants` are those with whom a planned stage would
    open."""
    stage = stage_of(competition, number)
    players = entrants_of(competition, stage) if entrants is None else entrants
    return History(
        stage.settings,
        entrants_now(competition, number, players),
        tuple(_round(past, results) for past in stage.standing),
        stage.lots,
        stage.penalties,
        seat_lots=stage.seat_lots,
    )


def as_closed(competition: Competition, number: int, round_: int, results: Results) -> AsClosed:
    """A stage as it stands when one of its rounds is closed; rounds that overlap with it are in
    later ones only."""
    stage = stage_of(competition, number)
    upto = replace(stage, rounds=stage.rounds[:round_])
    players = entrants_of(competition, stage)
    history = history_of(with_stage(competition, number, upto), number, results, players)
    return AsClosed(tuple(past.number for past in upto.standing), history)


def entrants_of(competition: Competition, stage: StageState) -> Sequence[int]:
    """The players of an open stage, in order of entry: those with whom it opened, and those who
    have entered since, where its format pairs them. Those who left before they had a table
    or a bye are not among them."""
    late = stage.settings.entrants == "all" and FORMATS[stage.settings.format].late_entry
    if not late or stage.status != "open":
        return stage.entrants
    at_tables = {player for past in stage.rounds for player in past.players}
    more = (
        player
        for player, person in competition.people.items()
        if player in at_tables or not person.out
    )
    return [*stage.entrants, *(player for player in more if player not in stage.entrants)]


def entrants_now(
    competition: Competition, number: int, players: Sequence[int]
) -> tuple[Entrant, ...]:
    """These players as the next round of a stage would find them."""
    byes, seeds = _asked_for_next(competition, number), stage_of(competition, number).seeds
    return tuple(_entrant(competition, player, byes, seeds) for player in players)


def _asked_for_next(competition: Competition, number: int) -> frozenset[int]:
    """The players who have asked for a bye in the next round of a stage, or in one just before it
    that was withdrawn."""
    rounds = stage_of(competition, number).rounds
    numbers = [len(rounds) + 1]
    for past in reversed(rounds):
        if past.status != "withdrawn":
            break
        numbers.append(past.number)
    return frozenset(
        player
        for player, requests in competition.byes_asked.items()
        if any(stage == number and round_ in numbers for stage, round_ in requests)
    )


def _entrant(
    competition: Competition, player: int, byes: frozenset[int], seeds: Mapping[int, int | None]
) -> Entrant:
    person = competition.people.get(player, PlayerFacts())
    presence = _presence(competition, player, byes)
    seed = seeds.get(player, person.seed)
    return Entrant(player, person.rating, seed, presence, person.annulled)


def _presence(competition: Competition, player: int, byes: frozenset[int]) -> Presence:
    person, check_in = competition.people.get(player, PlayerFacts()), competition.check_in
    if person.out:
        return "out"
    if player in byes:
        return "asked"
    absent = check_in is not None and check_in.closed and person.status != "checked_in"
    return "absent" if absent else "here"


def _round(published_round: PublishedRound, results: Results) -> PastRound:
    pairings = [pairing_of(table, results) for table in published_round.paired]
    if published_round.basis is not None:
        basis = zip(pairings, published_round.basis, strict=True)
        pairings = [replace(pairing, basis=matches) for pairing, matches in basis]
    return PastRound(tuple(pairings), published_round.byes)


def pairing_of(table: MatchTable, results: Results) -> Pairing:
    """A table as formats read it, while nothing that follows from it is published."""
    matches = matches_of(table, results)
    return Pairing(table.table, table.players, table.because, matches, table.lots)


def matches_of(table: MatchTable, results: Results) -> tuple[PlayedMatch, ...]:
    """The matches of a table, as they count now."""
    return tuple(
        results[match].at(table.players) if match in results else PlayedMatch()
        for match in table.matches
    )


def meetings(pairings: Sequence[Pairing]) -> tuple[Meeting, ...]:
    """Pairings as they are published."""
    return tuple(Meeting(pairing.table, pairing.players, pairing.because) for pairing in pairings)
