"""Plays a tournament by commands alone, as an organiser and the service do it: rounds are drafted
and published, their matches created, and lots drawn where they are needed."""

from domain.chance.generator import SCHEME, commit, rules_hash
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
from domain.tournament.history import Draft, History, inputs_of
from domain.tournament.lots import RULES_VERSION
from domain.tournament.open_stages import needs, open_tables
from domain.tournament.stage_commands import AddStage, DrawLots, PublishRound
from domain.tournament.stage_decide import check_round, planned_history
from domain.tournament.stage_events import ByHand, LotsCommitted
from domain.tournament.stages import Stage
from domain.tournament.state import NOTHING_YET, Tournament, fold

TOURNAMENT = "019b76da-a800-8000-8000-000000000000"
"""The id of every simulated tournament: it goes into its lots."""


def seed_of(epoch: int) -> bytes:
    """The seed of an epoch, as no service draws it."""
    return bytes([epoch % 256]) * 32


def committed(epoch: int) -> LotsCommitted:
    """The commitment to the seed of an epoch."""
    rules = rules_hash("tournament", RULES_VERSION, "{}")
    return LotsCommitted(epoch, SCHEME, commit(TOURNAMENT, epoch, seed_of(epoch)), rules, bytes(32))


class TournamentPlay:
    """A tournament of so many players, and all that has happened in it."""

    def __init__(self, players: int, *stages: Stage) -> None:
        self.state: Tournament = NOTHING_YET
        self.events: list[Event] = []
        self.do(NewTournament("Cup", tuple(f"P{number}" for number in range(players))))
        self.take([committed(0)])
        for stage in stages:
            self.do(AddStage(stage))

    def do(self, command: Command) -> list[Event]:
        """Executes a command."""
        return self.take(decide(self.state, command))

    def take(self, events: list[Event]) -> list[Event]:
        """Records what has happened."""
        self.state = fold(self.state, events)
        self.events += events
        return events

    def history(self, stage: int = 1) -> History:
        """What the next round of a stage is drafted from."""
        return planned_history(standing_of(self.state), stage)

    def draft(self, stage: int = 1) -> Draft:
        """The next round as it would be published now; lots are drawn where they are needed."""
        history = self.history(stage)
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
        assert lots is not None, "it was committed to at the beginning"
        following = committed(lots.epoch + 1)
        self.do(DrawLots(TOURNAMENT, purpose, seed_of(lots.epoch), following))

    def publish(self, stage: int = 1, by_hand: Draft | None = None) -> None:
        """Publishes the next round, as it is drafted or seated `by_hand`, and creates its
        matches."""
        check_round(standing_of(self.state), stage, overlap=False)
        draft = by_hand or self.draft(stage)
        inputs = inputs_of(self.history(stage))
        who = None if by_hand is None else ByHand("Mo", "by hand")
        self.do(PublishRound(stage, draft, inputs, len(self.events), who))
        self.create()

    def create(self) -> None:
        """Creates each match that a table needs, and draws the lots that one needs."""
        for stage, one, table in list(open_tables(standing_of(self.state))):
            wanted = needs(standing_of(self.state), stage, one, table)
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

    def settle(self, match: str, result: Result | None) -> None:
        """A match counts with this result; it is void without one."""
        self.do(SettleMatch(match, result))
