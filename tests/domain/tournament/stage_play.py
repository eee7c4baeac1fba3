"""Plays stages by commands alone: drafts, publishes, gives results by chance, until all is over."""

from random import Random

from domain.chance.generator import commit, rules_hash
from domain.events import Event
from domain.game import Refused, Result
from domain.tournament.decide import (
    AddMatch,
    Command,
    NewTournament,
    RoundTable,
    SettleMatch,
    decide,
    standing_of,
)
from domain.tournament.formats import FORMATS
from domain.tournament.history import Draft, inputs_of
from domain.tournament.open_stages import needs, open_tables
from domain.tournament.stage_commands import (
    AddStage,
    CloseStage,
    CloseTournament,
    DrawLots,
    PublishRound,
)
from domain.tournament.stage_decide import check_round, planned_history
from domain.tournament.stage_events import LotsCommitted
from domain.tournament.stages import Stage
from domain.tournament.state import NOTHING_YET, Tournament, fold

ID = "01900000-0000-8000-8000-000000000000"


def epoch_seed(epoch: int) -> bytes:
    """The seed of an epoch, as no service draws it."""
    return bytes([epoch % 256]) * 32


def committed(epoch: int) -> LotsCommitted:
    """The commitment to the seed of an epoch."""
    rules = rules_hash("tournament", 1, "{}")
    return LotsCommitted(
        epoch, "arbiter-rng/1", commit(ID, epoch, epoch_seed(epoch)), rules, bytes(32)
    )


class Organiser:
    """Someone who runs a tournament of so many players, and all that has happened in it."""

    def __init__(self, players: int, *stages: Stage, rng: Random | None = None) -> None:
        self.rng = rng or Random(0)
        self.state: Tournament = NOTHING_YET
        self.events: list[Event] = []
        self.do(NewTournament("Cup", tuple(f"P{number}" for number in range(players))))
        self._take([committed(0)])
        for stage in stages:
            self.do(AddStage(stage))

    def do(self, command: Command) -> list[Event]:
        """Executes a command."""
        return self._take(decide(self.state, command))

    def draft(self, stage: int = 1) -> Draft:
        """The next round as it would be published now; lots are drawn where they are needed."""
        history = planned_history(standing_of(self.state), stage)
        try:
            return FORMATS[history.stage.format].draft(history)
        except Refused as refused:
            if refused.code != "lots_not_drawn":
                raise
        self.draw(f"stage {stage}")
        return self.draft(stage)

    def draw(self, purpose: str) -> None:
        """Draws lots."""
        lots = self.state.competition.lots
        assert lots is not None
        self.do(DrawLots(ID, purpose, epoch_seed(lots.epoch), committed(lots.epoch + 1)))

    def publish(self, stage: int = 1) -> None:
        """Publishes the next round and creates its matches."""
        check_round(standing_of(self.state), stage, overlap=False)
        draft = self.draft(stage)
        inputs = inputs_of(planned_history(standing_of(self.state), stage))
        self.do(PublishRound(stage, draft, inputs, len(self.events)))
        self.create()

    def create(self) -> None:
        """Creates each match that a table needs, and draws the lots that one needs."""
        for stage, one, table in list(open_tables(standing_of(self.state))):
            now = standing_of(self.state)
            wanted = needs(now, stage, one, table)
            if wanted == "lots":
                self.draw(f"replay {stage} {one.number} {table.table}")
            elif wanted == "match":
                match = f"{stage}-{one.number}-{table.table}-{len(table.matches)}"
                names = [self.state.players[player] for player in table.players]
                names = names[::-1] if len(table.matches) % 2 else names
                at = RoundTable(stage, one.number, table.table)
                self.do(AddMatch(match, "dollar-prize", tuple(names), at=at))

    def running(self) -> list[str]:
        """The matches without a result."""
        return [match for match, added in self.state.matches.items() if not added.settled]

    def play(self) -> None:
        """Gives every running match a result, and those that follow from it, until none runs."""
        while running := self.running():
            for match in running:
                self.settle(match, self.result(len(self.state.matches[match].players)))
            self.create()

    def settle(self, match: str, result: Result | None) -> None:
        """A match counts with this result."""
        self.do(SettleMatch(match, result))

    def result(self, seats: int) -> Result:
        """A result by chance: scores, the highest wins, equal ones share."""
        scores = tuple(self.rng.randrange(4) for _ in range(seats))
        winners = tuple(seat for seat in range(seats) if scores[seat] == max(scores))
        losers = tuple(seat for seat in range(seats) if seat not in winners)
        return Result(winners, losers, len(winners) > 1, scores)

    def play_stage(self, stage: int = 1) -> None:
        """Plays rounds until there is none, and closes the stage."""
        while True:
            try:
                self.publish(stage)
            except Refused as refused:
                if refused.code != "no_pairing":
                    raise
                break
            self.play()
        try:
            self.do(CloseStage(stage))
        except Refused as refused:
            if refused.code != "lots_not_drawn":
                raise
            self.draw(f"stage {stage}")
            self.do(CloseStage(stage))

    def close(self) -> None:
        """Closes the tournament."""
        self.do(CloseTournament())

    def _take(self, events: list[Event]) -> list[Event]:
        self.state = fold(self.state, events)
        self.events += events
        return events
