"""What must hold in a tournament after every batch of its record (/docs/tournaments)."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import combinations

from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Event, Numbered, Record, batch
from domain.proof.tournament_rejudging import TournamentJudge
from domain.proof.withholding import without_name
from domain.tournament.competition import AsClosed, StageState, stage_of
from domain.tournament.fold import fold
from domain.tournament.history import History
from domain.tournament.stage_decide import planned_history
from domain.tournament.stage_events import (
    CandidatesNamed,
    OpponentChosen,
    PlayerEliminated,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    StageClosed,
)
from domain.tournament.state import NOTHING_YET, Tournament, standing_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.tournaments.stage_standings import StandingsRow, show_standings
from service.cli.simulating.tournament_play import TOURNAMENT

FEW = 32
"""Tournaments of fewer players are checked after every batch, others after every round."""


def standings_then(
    state: Tournament, stage: int, after: int | None = None
) -> Sequence[StandingsRow]:
    """The standings of a stage as a reader is shown them, but for what players are now."""
    standings = show_standings(state.competition, stage, state.results, state.players, after=after)
    return [replace(row, name="", status="entered") for row in standings.rows]


class TournamentChecks:
    """A reader of the record, who knows of the tournament what was read and nothing else."""

    def __init__(self) -> None:
        self._published: dict[tuple[int, int], RoundPublished] = {}
        self._closed: dict[tuple[int, int], tuple[AsClosed | None, Sequence[StandingsRow]]] = {}
        self._tables: dict[str, tuple[int, int, int]] = {}
        self._batches: list[list[Record[Event]]] = []
        self._begin()

    def _begin(self) -> None:
        self.reader: Tournament = NOTHING_YET
        readers: tuple[tuple[Viewer, int], ...] = (MODERATOR, FEW), (PUBLIC_VIEWER, 0)
        self._judges = {
            viewer: TournamentJudge(TOURNAMENT, partial(may_see, viewer), most)
            for viewer, most in readers
        }
        self._index = 0
        self._withheld = False

    def read(self, events: Sequence[Event], state: Tournament, at: int) -> Iterator[str]:
        """What is broken in a batch, or in the `state` after it."""
        records = [decode(encode(record)) for record in batch(events, at)]
        self._batches.append(records)
        yield from self._again(records)
        for decoded_event in (record.event for record in records):
            before, self.reader = self.reader, fold(self.reader, [decoded_event])
            yield from self._event(decoded_event, before)
        closed = any(isinstance(event, RoundClosed | StageClosed) for event in events)
        if closed or len(state.players) < FEW:
            yield from self._state(state)

    def withhold(self, names: Collection[str], placeholder: str) -> None:
        """These names are withheld in the record: all readers know no more what was in it."""
        self._batches = [
            [replace(item, event=without_name(item.event, names, placeholder)) for item in records]
            for records in self._batches
        ]
        events = [record.event for records in self._batches for record in records]
        self.reader, self._withheld = fold(NOTHING_YET, events), True
        for viewer, judge in self._judges.items():
            judge.state = fold(NOTHING_YET, filter(partial(may_see, viewer), events))

    def _judged_anew(self) -> Iterator[str]:
        """What is broken in the whole record as it is now."""
        self._begin()
        for records in self._batches:
            yield from self._again(records)
            self.reader = fold(self.reader, [record.event for record in records])

    def _again(self, records: Sequence[Record[Event]]) -> Iterator[str]:
        """What those find who judge the tournament again, by all of its record and by what is
        public."""
        numbered = [
            Numbered(self._index + n, self._index, record) for n, record in enumerate(records)
        ]
        self._index += len(records)
        for viewer, judge in self._judges.items():
            if visible := [record for record in numbered if may_see(viewer, record.event)]:
                judge.take(visible)
            yield from judge.faults.values()
            judge.faults.clear()
            if "rules" in judge.unjudged:
                yield f"not judged: {judge.unjudged.pop('rules')}"

    def _event(self, event: Event, before: Tournament) -> Iterator[str]:
        match event:
            case RoundPublished():
                yield from self._round(event, before)
                self._published[event.stage, event.round] = event
            case RoundMatchCreated(stage, number, table, match):
                if match in self._tables:
                    yield f"match {match} is one of two tables"
                self._tables[match] = stage, number, table
            case RoundClosed(stage, number):
                round_, standings = (
                    stage_of(self.reader.competition, stage).rounds[number - 1],
                    standings_then(self.reader, stage, number),
                )
                self._closed[stage, number] = round_.closed, standings
                if number == _last(self.reader, stage) and standings != standings_then(
                    self.reader, stage
                ):
                    yield f"round {number} is closed with other standings than those of now"
            case StageClosed(stage, places):
                if sorted(places) != sorted(
                    row.player for row in standings_then(self.reader, stage)
                ):
                    yield f"the places of stage {stage} are not those of its players"
            case CandidatesNamed(stage, number):
                self._closed.pop((stage, number), None)
            case OpponentChosen() | PlayerEliminated():
                yield from self._of_show(event, before)

    def _of_show(
        self, event: OpponentChosen | PlayerEliminated, before: Tournament
    ) -> Iterator[str]:
        """No one who is immune or gone is chosen or goes home, and one a round at most."""
        where = f"round {event.round} of stage {event.stage}"
        show = before.competition.stages[event.stage - 1].rounds[event.round - 1].show
        assert show is not None, "it is a round of a show"
        up = {*(show.candidates or ()), show.opponent}
        if event.player in (show.immune or ()):
            yield f"player {event.player} is immune in {where}"
        if isinstance(event, PlayerEliminated):
            if event.player not in up or show.eliminated is not None:
                yield f"player {event.player} goes home without a death match in {where}"
        elif event.player in up or before.competition.people[event.player].out:
            yield f"player {event.player} cannot be chosen in {where}"

    def _round(self, event: RoundPublished, before: Tournament) -> Iterator[str]:
        """No one is paired twice or with themselves, and no two meet again."""
        where = f"round {event.round} of stage {event.stage}"
        if (event.stage, event.round) in self._published:
            yield f"there are two of {where}"
        players = [player for pairing in event.pairings for player in pairing.players]
        players += [bye.player for bye in event.byes]
        if len(set(players)) < len(players):
            yield f"someone is named twice in {where}"
        if event.by_hand is None:
            history = planned_history(standing_of(before), event.stage, event.show)
            yield from self._draft(event, history, where)

    def _draft(self, event: RoundPublished, history: History, where: str) -> Iterator[str]:
        if event.method == "dutch":
            for pair in met_of(history).intersection(
                frozenset(item.players) for item in event.pairings
            ):
                yield f"{sorted(pair)} meet again in {where}"
            before = [bye for item in history.rounds for bye in item.byes]
            for bye in event.byes:
                if bye.because == ("odd_number",) and bye in before:
                    yield f"player {bye.player} has a second bye in {where}"

    def _state(self, state: Tournament) -> Iterator[str]:
        """Every reader has the same tournament, and what was published stands."""
        if self.reader != state:
            yield "the record does not give the state"
        for number, stage in enumerate(state.competition.stages, 1):
            yield from self._stands(number, stage)

    def _past(self) -> Iterator[str]:
        """Standings are kept as they were after every round."""
        for (number, closed), (_, standings) in self._closed.items():
            if standings_then(self.reader, number, closed) != standings:
                yield f"the standings of stage {number} after round {closed} have changed"

    def _stands(self, number: int, stage: StageState) -> Iterator[str]:
        for round_ in stage.rounds:
            published = self._published[number, round_.number]
            tables = [(table.table, table.players) for table in round_.paired]
            if tables != [(table.table, table.players) for table in published.pairings]:
                yield f"round {round_.number} of stage {number} was changed after its publication"
            if (
                round_.status == "closed"
                and self._closed[number, round_.number][0] != round_.closed
            ):
                yield f"what round {round_.number} of stage {number} was closed with has changed"
            if round_.status == "closed" and any(not table.matches for table in round_.tables):
                yield f"round {round_.number} of stage {number} lacks a match"

    def at_the_end(self, events: Sequence[Event]) -> Iterator[str]:
        """What is broken in the whole record."""
        yield from self._past()
        if self._withheld:
            yield from self._judged_anew()
        if fold(NOTHING_YET, events) != self.reader:
            yield "folded at once, the record gives another state"
        for number, stage in enumerate(self.reader.competition.stages, 1):
            if stage.status == "open":
                yield f"stage {number} did not end"


def _last(state: Tournament, stage: int) -> int:
    """The number of the last round of a stage that stands."""
    return stage_of(state.competition, stage).standing[-1].number


def met_of(history: History) -> set[frozenset[int]]:
    """The pairs who have met, or still play."""
    return {
        frozenset(pair)
        for past in history.rounds
        for pairing in past.pairings
        for pair in combinations(pairing.players, 2)
        if not any(match.void or match.forfeit for match in pairing.matches[-1:])
    }
