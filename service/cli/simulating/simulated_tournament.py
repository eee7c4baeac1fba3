"""Simulates random tournaments in virtual time, without a server or a store: late entries, byes,
withdrawals of players and of rounds, void and shared matches, absences, rulings, withheld names,
and crashes between any two batches. Formats, settings and sizes are chosen by chance."""

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.game import Refused
from domain.games import GAMES
from domain.tournament.absences import forfeited
from domain.tournament.commands import Command
from domain.tournament.formats import FORMATS
from domain.tournament.history import Bye, Draft, Pairing, present
from domain.tournament.ledger import purse
from domain.tournament.show import OpenEpisode, opponents
from domain.tournament.stage_commands import AddStage, ChooseOpponent, CloseStage, CloseTournament
from domain.tournament.stages import (
    TWO,
    DeathMatch,
    EpisodePlan,
    MainMatch,
    PlacesOf,
    RoundRule,
    Stage,
    StageMatch,
    StagePoints,
    Tiebreak,
)
from domain.tournament.state import standing_of
from service.cli.simulating.tournament_incidents import TournamentIncidents

MATCH = StageMatch("dollar-prize")
MEDIAN = 10
SHOW = range(3, 33)
"""Numbers of players for whom there is a main match."""
PLACES = StagePoints(places=(7, 5, 3, 2, 1), bye=3)
CHESS = StagePoints(win=3, share=1, bye=3)
TIEBREAKS: Sequence[Tiebreak] = (
    "head_to_head", "buchholz", "buchholz_cut_1", "median_buchholz", "sonneborn_berger",
    "progressive", "wins", "opponents_win_rate", "score_difference", "score_sum", "lots",
)  # fmt: skip


def players_of(rng: Random, most: int) -> int:
    """How many players: half of all tournaments have at most the median."""
    if rng.random() < 0.5:
        return rng.randint(2, min(MEDIAN, most))
    return min(most, MEDIAN + int(rng.expovariate(1 / MEDIAN)))


def stages_of(rng: Random, players: int, form: str | None = None) -> Sequence[Stage]:
    """One stage, or two of which the second has the best of the first."""
    first = _stage(rng, players, form)
    if first.format == "show":
        final = PlacesOf(1, (1, first.until))
        return (first, Stage("Final", "elimination", MATCH, entrants=final, best_of=3))
    if players < 6 or rng.random() < 0.7:
        return (first,)
    remaining = rng.randint(2, players // 2)
    return (first, _stage(rng, remaining, None, entrants=PlacesOf(1, (1, remaining))))


def _stage(rng: Random, players: int, wish: str | None, **more: Any) -> Stage:
    """A stage that so many players can play; others are drawn again."""
    while True:
        form = wish or rng.choice(list(FORMATS))
        first_seat = rng.choice(("balanced", "lots", "higher_seed"))
        seeding = rng.choice(("rating", "seed", "lots", "entry"))
        settings = {"first_seat": first_seat, "seeding": seeding} | _settings(rng, form)
        settings["round"] = RoundRule(ends=rng.choice((None, 1.0)))
        if rng.random() < 0.4:
            settings["tiebreaks"] = tuple(rng.sample(TIEBREAKS, rng.randint(0, 4)))
        match = StageMatch() if FORMATS[form].episodes else MATCH
        stage = Stage(form.capitalize(), form, match, **settings, **more)
        try:
            FORMATS[form].check(stage, players)
            if FORMATS[form].episodes and ("entrants" in more or players not in SHOW):
                raise Refused("too_many_players")
        except Refused:
            if wish in ("shootout", "show"):
                return Stage("Swiss", "swiss", MATCH, **more)
            continue
        return stage


def episode_of(rng: Random, players: Sequence[int]) -> EpisodePlan:
    """The games of a round of a show with these players, perhaps in two groups."""
    mains = [game.id for game in GAMES.values() if len(players) in game.seats]
    deaths = [game.id for game in GAMES.values() if TWO in game.seats]
    main = "together" if "together" in mains and rng.random() < 0.7 else rng.choice(mains)
    death = "grouping-bw" if rng.random() < 0.7 else rng.choice(deaths)
    groups = None
    if GAMES[main].grouped is not None and rng.random() < 0.5:
        seats, half = rng.sample(players, len(players)), (len(players) + 1) // 2
        groups = tuple(seats[:half]), tuple(seats[half:])
    death_match = DeathMatch(death, best_of=rng.choice((1, 1, 3)))
    return EpisodePlan(MainMatch(main), death_match, groups)


def _settings(rng: Random, form: str) -> dict[str, Any]:
    """Settings of a format's own."""
    tables = rng.randint(3, 6)
    points = rng.choice((StagePoints(), CHESS, StagePoints(win=1, share=0, bye=1, bye_asked=0)))
    match form:
        case "swiss" if rng.random() < 0.4:
            return {"seats": tables, "points": PLACES, "rounds": rng.randint(1, 4)}
        case "round_robin":
            groups, cycles = rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 2))
            return {"groups": groups, "cycles": cycles, "points": points}
        case "elimination":
            return {
                "best_of": rng.choice((1, 1, 3, 5)),
                "losses": rng.choice((1, 2)),
                "third_place": rng.random() < 0.5,
                "replays": rng.randint(0, 2),
            }
        case "shootout":
            advance = rng.randint(1, tables - 2)
            return {"seats": tables, "advance": advance, "points": PLACES}
        case "show":
            return {
                "until": rng.choice((2, 2, 3)),
                "inherit": rng.choice(("winner", "house", "purse")),
                "choice_hours": rng.choice((0.0, 24.0)),
            }
        case "by_hand":
            return {"seats": rng.choice((2, tables)), "rounds": rng.randint(1, 4)}
    return {"points": points}


ABSENT = 0.08
"""How probable it is that players are absent from a match."""

MOVED = 0.1
"""How probable it is that the organiser moves players in the draft of a round."""


class PlayedTournament(Struct, frozen=True):
    """The result of one simulated tournament. `broken` lists the violations; it must be empty."""

    formats: tuple[str, ...]
    matches: int
    broken: tuple[str, ...]


def simulate_one(
    seed: str, number: int, most: int, form: str | None = None, players: int | None = None
) -> PlayedTournament:
    """Plays tournament `number` of a simulation to its end, with so many `players`, or else with
    any number up to `most`, in this `form` of stage; the same arguments give the same result."""
    rng = Random(f"{seed}/{number}")  # noqa: S311  chooses what happens
    players = players or players_of(rng, most)
    stages = stages_of(rng, players, form)
    cup = SimulatedTournament(rng, players)
    try:
        cup.play(stages)
        cup.broken += cup.checks.at_the_end(cup.events)
    except Exception as fault:  # noqa: BLE001  a fault is a finding
        cup.broken.append(f"{type(fault).__name__}: {fault}")
    formats = tuple(stage.format for stage in stages)
    return PlayedTournament(formats, len(cup.state.matches), tuple(dict.fromkeys(cup.broken)))


class SimulatedTournament(TournamentIncidents):
    """A tournament, from its first stage to its close."""

    def play(self, stages: Sequence[Stage]) -> None:
        """Plays the stages, one after the other, and closes the tournament."""
        for number, stage in enumerate(stages, 1):
            self.do(AddStage(stage))
            if not self._opens(number, stage):
                return
            while self.running() or self._round(number, stage):
                while running := self.running():
                    self.meanwhile(number)
                    self._end(self.rng.choice(running))
                    self.create()
                self.meanwhile(number)
            if not self.state.competition.stages[number - 1].standing:
                return  # No one who could be paired was there.
            self._with_lots(number, CloseStage(number))
        self.do(CloseTournament())

    def _end(self, match: str) -> None:
        """A match is over. Where there is a show most are played by their rules."""
        seats = len(self.state.matches[match].players)
        if self.rng.random() < ABSENT:
            absent = self.rng.sample(range(seats), self.rng.randint(1, seats))
            self.settle(match, forfeited(seats, absent), forfeit=True)
        elif match in self.setups and self._has_show() and self.rng.random() < 0.9:
            self.play_by_bots(match, str(self.rng.random()))
        else:
            self.settle(match, self.some_result(seats))

    def _has_show(self) -> bool:
        stages = self.state.competition.stages
        return any(FORMATS[stage.settings.format].episodes for stage in stages)

    def choose(self, episode: OpenEpisode) -> None:
        """A candidate chooses, or lets the time pass."""
        if self.rng.random() < 0.5:
            super().choose(episode)
            return
        candidate = episode.show.chooser
        assert candidate is not None, "the choice has been opened"
        choices = opponents(standing_of(self.state), episode)
        place = (episode.number, episode.round.number)
        at = len(self.events)
        self.do(ChooseOpponent(*place, self.rng.choice(choices), candidate, at))

    # Rounds.

    def _opens(self, number: int, stage: Stage) -> bool:
        """Whether enough players are left for a stage."""
        try:
            FORMATS[stage.format].check(stage, len(self.history(number).entrants))
        except Refused:
            return False
        return True

    def _round(self, number: int, stage: Stage) -> bool:
        """Publishes the next round; by hand where the format has none, though it should. Returns
        whether there is one."""
        history = self.history(number)
        rounds = FORMATS[stage.format].rounds(stage, len(history.entrants)) or 0
        by_hand = stage.format in ("swiss", "by_hand")
        if self.state.competition.stages[number - 1].status == "closed":
            return False
        try:
            if FORMATS[stage.format].episodes:
                self.publish(number, show=self._episode(number))
                return True
            if stage.format == "by_hand" or (stage.format == "swiss" and self.rng.random() < 0.03):
                raise Refused("no_pairing")
            moved = self._swap_two(number) if self.rng.random() < MOVED else None
            self.publish(number, moved)
        except Refused as refused:
            if refused.code not in ("no_pairing", "too_few_players", "too_many_rounds"):
                raise
            if not by_hand or history.next_round > rounds:
                return False
            self.publish(number, self._seat_by_hand(number))
        return True

    def _episode(self, number: int) -> EpisodePlan:
        """What is played in the next round of a show; players may bring garnets."""
        here = present(self.history(number))
        if len(here) not in SHOW:
            raise Refused("too_few_players")
        plan = episode_of(self.rng, [entrant.player for entrant in here])
        if plan.main.game != "together":
            return plan
        seats = self.draft(number, plan).pairings[0].players
        purses = [self.state.balances.get(purse(player), 0) for player in seats]
        garnets = [min(max(purse, 0), self.rng.randrange(3)) for purse in purses]
        return replace(plan, main=MainMatch("together", {"garnets": garnets}))

    def _seat_by_hand(self, number: int) -> Draft:
        """Everyone seated by hand, in any order."""
        history = self.history(number)
        people = [entrant.player for entrant in history.entrants if entrant.presence != "out"]
        self.rng.shuffle(people)
        size = history.stage.seats
        tables = [people[first : first + size] for first in range(0, len(people), size)]
        remaining = tables.pop() if tables and len(tables[-1]) < max(2, size - 1) else []
        byes = tuple(Bye(player, "bye", ()) for player in remaining)
        seated = (Pairing(table, tuple(people)) for table, people in enumerate(tables, 1))
        return Draft("by_hand", "1", tuple(seated), byes)

    def _swap_two(self, number: int) -> Draft:
        """The draft of the next round, with two players in each other's places."""
        draft = self.draft(number)
        players = [player for pairing in draft.pairings for player in pairing.players]
        players += [bye.player for bye in draft.byes]
        first_player, other = self.rng.choice(players), self.rng.choice(players)
        to = {first_player: other, other: first_player}
        seated = (
            Pairing(pairing.table, tuple(to.get(player, player) for player in pairing.players))
            for pairing in draft.pairings
        )
        byes = (Bye(to.get(bye.player, bye.player), "bye", ()) for bye in draft.byes)
        return Draft("by_hand", "1", tuple(seated), tuple(byes))

    def _with_lots(self, number: int, command: Command) -> None:
        """Executes a command for which lots may have to be drawn first."""
        try:
            self.do(command)
        except Refused as refused:
            if refused.code != "lots_not_drawn":
                raise
            self.draw(f"stage {number}")
            self.do(command)
