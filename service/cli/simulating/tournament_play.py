"""Plays a tournament by commands alone, as an organiser and the service do it: rounds are drafted
and published, their matches created, and lots drawn where they are needed."""

from msgspec import UNSET
from msgspec.structs import replace

from domain.events import Event
from domain.game import Refused, Result
from domain.games import GAMES
from domain.tournament.commands import AddMatch, Command, NewTournament, RoundTable, SettleMatch
from domain.tournament.decide import decide
from domain.tournament.fold import fold
from domain.tournament.formats import FORMATS
from domain.tournament.history import Draft, History, inputs_of
from domain.tournament.lots import commitment, next_lots
from domain.tournament.open_stages import needs, open_tables
from domain.tournament.settling import settlement_of
from domain.tournament.show import OpenEpisode, next_step, open_episodes
from domain.tournament.stage_commands import AddStage, DrawLots, OpenChoice, PublishRound
from domain.tournament.stage_decide import ShowPlan, check_round, planned_history
from domain.tournament.stage_events import ByHand, LotsCommitted
from domain.tournament.stages import Stage
from domain.tournament.state import NOTHING_YET, Tournament, standing_of
from service.application.matches.creation import NewMatch
from service.application.tournaments.round_matches import setup_of
from service.application.tournaments.tournament_service import match_added
from service.cli.simulating.simulation import SimulatedMatch
from service.event_store.stream_ids import NOWHERE

TOURNAMENT = "019b76da-a800-8000-8000-000000000000"
"""The id of every simulated tournament: it goes into its lots."""


def seed_of(epoch: int) -> bytes:
    """The seed of an epoch, as no service draws it."""
    return bytes([epoch % 256]) * 32


def committed(state: Tournament, epoch: int) -> LotsCommitted:
    """The commitment to the seed of an epoch, with the roster as it is."""
    roster = [(state.blinds[player], name) for player, name in enumerate(state.players)]
    return commitment(TOURNAMENT, epoch, seed_of(epoch), roster)


class TournamentPlay:
    """A tournament of so many players, and all that has happened in it."""

    def __init__(self, players: int, *stages: Stage) -> None:
        self.state: Tournament = NOTHING_YET
        self.events: list[Event] = []
        self.at = 0
        self.setups: dict[str, NewMatch] = {}
        new = NewTournament("Cup", tuple(f"P{number}" for number in range(players)))
        created = self.decided(new)
        self.take([*created, committed(fold(self.state, created), 0)])
        for stage in stages:
            self.do(AddStage(stage))

    def do(self, command: Command) -> list[Event]:
        """Executes a command."""
        return self.take(self.decided(command))

    def decided(self, command: Command) -> list[Event]:
        """The events that a command gives now, or at the instant that it names."""
        at = getattr(command, "at", None)
        self.at = at if isinstance(at, int) else len(self.events)
        return decide(self.state, command)

    def take(self, events: list[Event]) -> list[Event]:
        """Records what has happened."""
        self.state = fold(self.state, events)
        self.events += events
        return events

    def history(self, stage: int = 1, show: ShowPlan = UNSET) -> History:
        """What the next round of a stage is drafted from."""
        return planned_history(standing_of(self.state), stage, show)

    def draft(self, stage: int = 1, show: ShowPlan = UNSET) -> Draft:
        """The next round as it would be published now; lots are drawn where they are needed."""
        history = self.history(stage, show)
        try:
            return FORMATS[history.stage.format].draft(history)
        except Refused as refused:
            if refused.code != "lots_not_drawn":
                raise
        self.draw(next_lots(standing_of(self.state), stage))
        return self.draft(stage, show)

    def draw(self, purpose: str, at: int | None = None) -> None:
        """Draws lots."""
        lots = self.state.competition.lots
        assert lots is not None, "it was committed to at the beginning"
        following = committed(self.state, lots.epoch + 1)
        at = len(self.events) if at is None else at
        self.do(DrawLots(TOURNAMENT, purpose, seed_of(lots.epoch), following, at))

    def publish(
        self,
        stage: int = 1,
        by_hand: Draft | None = None,
        show: ShowPlan = UNSET,
        *,
        overlap: bool = False,
    ) -> None:
        """Publishes the next round, as it is drafted or seated `by_hand`, and creates its
        matches."""
        check_round(standing_of(self.state), stage, overlap=overlap)
        draft = by_hand or self.draft(stage, show)
        inputs = inputs_of(self.history(stage, show))
        who = None if by_hand is None else ByHand("Mo", "by hand")
        self.do(
            PublishRound(stage, draft, inputs, len(self.events), who, overlap=overlap, show=show)
        )
        self.create()

    def create(self) -> None:
        """Creates each match that a table needs, draws the lots that one needs, and lets shows go
        on."""
        for stage, round_, table in list(open_tables(standing_of(self.state))):
            need = needs(standing_of(self.state), stage, round_, table)
            if need == "lots":
                self.draw(f"replay {stage} {round_.number} {table.table}")
            elif need == "match":
                match = f"{stage}-{round_.number}-{table.table}-{len(table.matches)}"
                setup = setup_of(self.state, stage, round_, table, NOWHERE)
                self.setups[match] = setup
                # Tables of other formats have more seats than their game: their results are drawn.
                added = AddMatch(match, setup.game, setup.seats)
                if round_.show is not None:
                    added = match_added(NOWHERE, setup.created(), setup.seats)
                at = RoundTable(stage, round_.number, table.table)
                self.do(replace(added, match=match, at=at))
        steps = [self._step(episode) for episode in open_episodes(standing_of(self.state))]
        if any(steps):
            self.create()

    def _step(self, episode: OpenEpisode) -> bool:
        """Does what a show waits for; returns whether there was anything."""
        place, at = (episode.number, episode.round.number), len(self.events)
        step = next_step(standing_of(self.state), episode, at)
        if step == "choice":
            self.do(OpenChoice(*place, at))
            (now,) = (
                other for other in open_episodes(standing_of(self.state)) if other[0] == place[0]
            )
            self.choose(now)
        elif step is not None:
            self.draw(f"{step} {place[0]} {place[1]}")
        return step is not None

    def choose(self, episode: OpenEpisode) -> None:
        """A candidate lets the time to choose pass, and lots do."""
        until = episode.show.choice_until
        self.draw(f"opponent {episode.number} {episode.round.number}", until)

    def running(self) -> list[str]:
        """The matches without a result."""
        return [match for match, added in self.state.matches.items() if not added.settled]

    def settle(self, match: str, result: Result | None, *, forfeit: bool = False) -> None:
        """A match counts with this result, perhaps as a forfeit; it is void without one."""
        self.do(SettleMatch(match, result, forfeit=forfeit))

    def play_by_bots(self, match: str, seed: str) -> None:
        """A match is played by its rules, and counts as it ends."""
        setup = self.setups[match]
        table = SimulatedMatch(GAMES[setup.game], len(setup.seats), setup.options, seed)
        table.play()
        command = settlement_of(table.game, table.match)
        assert command is not None, "bots play to the end"
        self.do(replace(command, match=match))
