"""Shows of five, played as a test says."""

from typing import Any

from domain.events import Event
from domain.game import Result
from domain.tournament.commands import NewPlayer, SettleMatch
from domain.tournament.events import MatchSettled
from domain.tournament.ledger import purse
from domain.tournament.show import OpenEpisode
from domain.tournament.stage_commands import AddStage, ChooseOpponent
from domain.tournament.stages import DeathMatch, EpisodePlan, MainMatch, Named, Stage, StageMatch
from service.cli.simulating.tournament_play import TournamentPlay

NAMES = ("Ann", "Ben", "Cy", "Di", "Ed")
ANN, BEN, CY, DI, ED = range(5)
DEATH = DeathMatch("grouping-bw")


class Show(TournamentPlay):
    """A show of five whose candidates choose, or say nothing."""

    def __init__(self, *garnets: int, **parts: Any) -> None:
        super().__init__(0)
        for name, stake in zip(NAMES, garnets or (0,) * 5, strict=True):
            self.do(NewPlayer(name, stake))
        self.do(AddStage(Stage("Show", "show", StageMatch(), **parts)))

    def choose(self, episode: OpenEpisode) -> None:
        """It is left to the test."""

    def begin(self, best_of: Any = 1) -> None:
        """Publishes a round; seats are those of the roster."""
        here = [one.player for one in self.history().entrants if one.presence == "here"]
        death = DeathMatch("dollar-prize", best_of=best_of)
        self.publish(show=EpisodePlan(MainMatch("liars-dice"), death, (tuple(here),)))

    def round(self, won: Any, lost: Any, named: Named | None = None) -> list[Event]:
        """Publishes a round, whose main match these players win and lose."""
        self.begin()
        return self.end_main(won, lost, named)

    def end_main(self, won: Any, lost: Any, named: Named | None = None) -> list[Event]:
        """The main match ends with these players as winners and losers."""
        (match,) = self.running()
        players = self.state.matches[match].players
        seats = [tuple(players.index(player) for player in each) for each in (won, lost)]
        result = Result(seats[0], seats[1], len(won) > 1, (0,) * len(players))
        return self.then(SettleMatch(match, result, named=named))

    def end_death(self, winner: int | None) -> list[Event]:
        """The death match is won by this player, or by no one."""
        (match,) = self.running()
        players = self.state.matches[match].players
        if winner is None:
            return self.then(SettleMatch(match, Result((), (0, 1), False, (0, 0))))
        seat = players.index(winner)
        return self.then(SettleMatch(match, Result((seat,), (1 - seat,), False, (0, 0))))

    def then(self, command: Any) -> list[Event]:
        """What follows from a command, and what the service does then; no settlements."""
        before = len(self.events)
        self.do(command)
        self.create()
        return [one for one in self.events[before:] if not isinstance(one, MatchSettled)]

    def choice(self, player: int, by: int, at: int = 0) -> list[Event]:
        """A player chooses."""
        return self.then(ChooseOpponent(1, len(self.rounds), player, by, at))

    @property
    def rounds(self) -> Any:
        return self.state.competition.stages[0].rounds

    def purses(self) -> dict[int, int]:
        return {one: self.state.balances.get(purse(one), 0) for one in range(5)}


def candidate(*garnets: int, best_of: Any = 1, **parts: Any) -> Show:
    """Ann has won the main match of the first round, and Ed is to choose whom he meets."""
    show = Show(*garnets, **parts)
    show.begin(best_of)
    show.end_main([ANN], [ED])
    return show


def duel(*garnets: int, **parts: Any) -> Show:
    """Ed has chosen Ben."""
    show = candidate(*garnets, **parts)
    show.choice(BEN, ED)
    return show


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events]
