"""Plays stages by commands alone: drafts, publishes, gives results by chance, until all is over."""

from random import Random

from domain.game import Refused, Result
from domain.tournament.stage_commands import CloseStage, CloseTournament
from domain.tournament.stages import Stage
from service.cli.simulating.tournament_play import TournamentPlay


class Organiser(TournamentPlay):
    """Someone who runs a tournament of so many players, and all that has happened in it."""

    def __init__(self, players: int, *stages: Stage, rng: Random | None = None) -> None:
        self.rng = rng or Random(0)
        super().__init__(players, *stages)

    def play(self) -> None:
        """Gives every running match a result, and those that follow from it, until none runs."""
        while running := self.running():
            for match in running:
                self.settle(match, self.result(len(self.state.matches[match].players)))
            self.create()

    def rounds(self, number: int) -> None:
        """Publishes and plays so many rounds of the first stage."""
        for _ in range(number):
            self.publish()
            self.play()

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
