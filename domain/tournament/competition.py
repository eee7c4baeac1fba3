"""The stages of a tournament as they stand, folded from its public events."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Instant
from domain.game import Result
from domain.tournament.events import PlayerEntered
from domain.tournament.formats import FORMATS
from domain.tournament.history import (
    Because,
    Bye,
    Entrant,
    History,
    Pairing,
    PastRound,
    PlayedMatch,
)
from domain.tournament.stage_events import (
    ByeAsked,
    ByHand,
    LotsCommitted,
    LotsDrawn,
    LotsSeedGiven,
    Meeting,
    PlayerState,
    PlayerStatus,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    StageAdded,
    StageChanged,
    StageClosed,
    StageEvent,
    StageOpened,
    TournamentClosed,
)
from domain.tournament.stages import Stage

OfStage = (
    StageChanged
    | StageOpened
    | RoundPublished
    | RoundMatchCreated
    | RoundWithdrawn
    | RoundClosed
    | StageClosed
)


class Counted(NamedTuple):
    """How a settled match counts: its players seat by seat, and its result; None if it counts for
    nothing."""

    players: tuple[int, ...]
    result: Result | None

    def at(self, players: tuple[int, ...]) -> PlayedMatch:
        """The match as one of a pairing, its seats in the order of the pairing's players."""
        if self.result is None:
            return PlayedMatch(void=True)
        if players == self.players:
            return PlayedMatch(self.result)
        seat = [self.players.index(player) for player in players]
        place = {old: new for new, old in enumerate(seat)}
        result = self.result
        return PlayedMatch(
            Result(
                tuple(sorted(place[one] for one in result.winners)),
                tuple(sorted(place[one] for one in result.losers)),
                result.shared,
                tuple(result.scores[old] for old in seat),
            )
        )


Results = Mapping[str, Counted]
"""How the settled matches of a tournament count, by their ids."""


class MatchTable(Struct, frozen=True):
    """A pairing of a published round, and its matches in the order of their creation."""

    table: int
    players: tuple[int, ...]
    because: tuple[Because, ...]
    matches: tuple[str, ...] = ()
    lots: int | None = None


class PublishedRound(Struct, frozen=True):
    """A round under its number, which is never used again. `final` has the results with which
    it was closed, `entrants` the players as they were then: what was played since and what stood
    do not change when a result is corrected or a player leaves."""

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
    final: Results | None = None
    entrants: tuple[Entrant, ...] = ()


class StageState(Struct, frozen=True):
    """A stage: its settings, whether it is open, its players once they are known, its rounds, its
    order of lots once it is drawn, and the places at its close."""

    settings: Stage
    status: Literal["planned", "open", "closed"] = "planned"
    entrants: tuple[int, ...] = ()
    rounds: tuple[PublishedRound, ...] = ()
    lots: tuple[int, ...] | None = None
    places: tuple[int, ...] = ()

    @property
    def standing(self) -> Sequence[PublishedRound]:
        """The rounds that were not withdrawn."""
        return [one for one in self.rounds if one.status != "withdrawn"]


class PlayerFacts(Struct, frozen=True):
    """What is known of a player besides the name."""

    status: PlayerState = "entered"
    rating: int | None = None
    seed: int | None = None
    team: str | None = None


class Competition(Struct, frozen=True):
    """The stages of a tournament, what is known of its players by number, the byes that were asked
    for as (stage, round), the commitment to its next draw of lots with what players have added, and
    the champions once it is closed."""

    stages: tuple[StageState, ...] = ()
    people: Mapping[int, PlayerFacts] = {}
    byes_asked: Mapping[int, tuple[tuple[int, int], ...]] = {}
    lots: LotsCommitted | None = None
    seeds: Mapping[int, str] = {}
    champions: tuple[int, ...] | None = None


def competition_after(
    before: Competition, event: StageEvent | PlayerEntered, results: Results
) -> Competition:
    """The stages after an event; `results` are those that count at that moment."""
    match event:
        case PlayerEntered(player, rating, seed, team):
            people = {**before.people, player: PlayerFacts("entered", rating, seed, team)}
            return replace(before, people=people)
        case PlayerStatus(player, status):
            person = replace(before.people[player], status=status)
            return replace(before, people={**before.people, player: person})
        case ByeAsked(player, stage, number):
            asked = (*before.byes_asked.get(player, ()), (stage, number))
            return replace(before, byes_asked={**before.byes_asked, player: asked})
        case LotsCommitted():
            return replace(before, lots=event, seeds={})
        case LotsSeedGiven(player, seed):
            return replace(before, seeds={**before.seeds, player: seed})
        case LotsDrawn(purpose=purpose, outcome=outcome):
            return _drawn(before, purpose, outcome)
        case TournamentClosed(champions):
            return replace(before, champions=champions)
        case StageAdded():
            return replace(before, stages=(*before.stages, StageState(_settings(event))))
    return _with_stage(before, event.stage, _stage_then(before, event, results))


def _stage_then(before: Competition, event: OfStage, results: Results) -> StageState:
    """A stage after an event of it. Who enters after its close is in later stages only."""
    stage = stage_of(before, event.stage)
    match event:
        case RoundClosed(round=number):
            then = _entrants(before, event.stage, entrants_of(before, stage))
            return _with_round(stage, number, status="closed", final=results, entrants=then)
        case StageClosed(places=places):
            players = tuple(entrants_of(before, stage))
            return replace(stage, status="closed", entrants=players, places=places)
    return _stage_after(stage, event)


def stage_of(competition: Competition, number: int) -> StageState:
    """A stage by its number, from 1."""
    return competition.stages[number - 1]


def _with_stage(before: Competition, number: int, stage: StageState) -> Competition:
    stages = (*before.stages[: number - 1], stage, *before.stages[number:])
    return replace(before, stages=stages)


def _settings(event: StageAdded | StageChanged) -> Stage:
    return Stage(**{field: getattr(event, field) for field in Stage.__struct_fields__})


def _drawn(before: Competition, purpose: str, outcome: Sequence[object]) -> Competition:
    """After a draw of lots: `stage 2` orders the players of a stage, `replay 2 3 1` says who goes
    on at a table of a round of it."""
    kind, *numbers = purpose.split()
    of_stage, *rest = map(int, numbers)
    stage = stage_of(before, of_stage)
    order = tuple(item for item in outcome if isinstance(item, int))
    if kind == "stage":
        return _with_stage(before, of_stage, replace(stage, lots=order))
    number, table = rest
    return _with_stage(before, of_stage, _with_table(stage, number, table, lots=order[0]))


def _stage_after(stage: StageState, event: object) -> StageState:
    match event:
        case StageChanged():
            return replace(stage, settings=_settings(event))
        case StageOpened(entrants=entrants):
            return replace(stage, status="open", entrants=entrants)
        case RoundPublished():
            return replace(stage, rounds=(*stage.rounds, _published(event)))
        case RoundMatchCreated(round=number, table=table, match=match):
            past = stage.rounds[number - 1].tables[table - 1].matches
            return _with_table(stage, number, table, matches=(*past, match))
        case RoundWithdrawn(round=number):
            return _with_round(stage, number, status="withdrawn")
    return stage


def _published(event: RoundPublished) -> PublishedRound:
    return PublishedRound(
        number=event.round,
        method=event.method,
        version=event.version,
        inputs=event.inputs,
        by_hand=event.by_hand,
        tables=tuple(MatchTable(one.table, one.players, one.because) for one in event.pairings),
        byes=event.byes,
        starts=event.starts,
        ends=event.ends,
    )


def _with_round(stage: StageState, number: int, **parts: object) -> StageState:
    changed = replace(stage.rounds[number - 1], **parts)
    return replace(stage, rounds=(*stage.rounds[: number - 1], changed, *stage.rounds[number:]))


def _with_table(stage: StageState, number: int, table: int, **parts: object) -> StageState:
    tables = stage.rounds[number - 1].tables
    changed = replace(tables[table - 1], **parts)
    return _with_round(stage, number, tables=(*tables[: table - 1], changed, *tables[table:]))


# What formats read.


def history_of(
    competition: Competition, number: int, results: Results, entrants: Sequence[int] | None = None
) -> History:
    """The history of a stage as it counts now. `entrants` are those with whom a planned stage would
    open."""
    stage = stage_of(competition, number)
    players = entrants_of(competition, stage) if entrants is None else entrants
    return History(
        stage.settings,
        _entrants(competition, number, players),
        tuple(_round(one, results) for one in stage.standing),
        stage.lots,
    )


def history_at(competition: Competition, number: int, round_: int) -> History:
    """The history of a stage when one of its rounds was closed."""
    stage = stage_of(competition, number)
    closed = stage.rounds[round_ - 1]
    upto = replace(stage, rounds=stage.rounds[:round_])
    then = history_of(_with_stage(competition, number, upto), number, closed.final or {})
    return replace(then, entrants=closed.entrants)


def entrants_of(competition: Competition, stage: StageState) -> Sequence[int]:
    """The players of an open stage, in order of entry: those with whom it opened, and those who
    have entered since, where its format pairs them."""
    late = stage.settings.entrants == "all" and FORMATS[stage.settings.format].late_entry
    if not late or stage.status != "open":
        return stage.entrants
    return [*stage.entrants, *(one for one in competition.people if one not in stage.entrants)]


def _entrants(competition: Competition, number: int, players: Sequence[int]) -> tuple[Entrant, ...]:
    following = len(stage_of(competition, number).rounds) + 1
    return tuple(_entrant(competition, player, number, following) for player in players)


def _entrant(competition: Competition, player: int, stage: int, number: int) -> Entrant:
    person = competition.people.get(player, PlayerFacts())
    asked = (stage, number) in competition.byes_asked.get(player, ())
    out = person.status in ("withdrawn", "disqualified", "eliminated")
    return Entrant(
        player, person.rating, person.seed, "out" if out else "asked" if asked else "here"
    )


def _round(one: PublishedRound, results: Results) -> PastRound:
    return PastRound(tuple(pairing_of(table, results, one.final) for table in one.tables), one.byes)


def pairing_of(table: MatchTable, results: Results, final: Results | None) -> Pairing:
    """A table as formats read it; `final` are the results with which its round was closed."""
    closed = None if final is None else _played(table, final)
    played = _played(table, results)
    return Pairing(table.table, table.players, table.because, played, table.lots, closed)


def _played(table: MatchTable, results: Results) -> tuple[PlayedMatch, ...]:
    return tuple(
        results[match].at(table.players) if match in results else PlayedMatch()
        for match in table.matches
    )


def meetings(pairings: Sequence[Pairing]) -> tuple[Meeting, ...]:
    """Pairings as they are published."""
    return tuple(Meeting(one.table, one.players, one.because) for one in pairings)
