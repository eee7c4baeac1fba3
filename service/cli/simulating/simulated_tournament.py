"""Simulates random tournaments in virtual time, without a server or a store: late entries, byes,
withdrawals of players and of rounds, void and shared matches, absences, rulings, and crashes
between any two batches."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Event, Record
from domain.game import Refused, Result
from domain.match.deadlines import Absence
from domain.people import Actor
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import (
    Correction,
    Disqualify,
    NameCandidates,
    Penalty,
    Reinstate,
    SeedPlayers,
    TournamentRuling,
)
from domain.rulings.tournament_decide import RuleTournament
from domain.rulings.tournament_effects import MatchFacts
from domain.tournament.absences import forfeited
from domain.tournament.decide import Command, NewPlayer, standing_of
from domain.tournament.episodes import EpisodePlan, MainMatch
from domain.tournament.events import TournamentRulingProposed
from domain.tournament.formats import FORMATS
from domain.tournament.history import Bye, Draft, Pairing, present
from domain.tournament.ledger import purse
from domain.tournament.show import OpenEpisode, opponents
from domain.tournament.stage_commands import (
    AddStage,
    AskBye,
    ChooseOpponent,
    CloseStage,
    CloseTournament,
    ExtendRound,
    GiveLotsSeed,
    MoveEnds,
    Return,
    Withdraw,
    WithdrawRound,
)
from domain.tournament.stages import Stage
from domain.tournament.state import NOTHING_YET, fold
from service.cli.simulating.tournament_checks import TournamentChecks
from service.cli.simulating.tournament_plans import SHOW, episode_of, players_of, stages_of
from service.cli.simulating.tournament_play import TournamentPlay

ORGANISER, DEPUTY = Actor("Olga", "simulator"), Actor("Mo", "deputy")
ABSENT = 0.08
"""How probable it is that players are absent from a match."""
HAPPENS = 0.15
"""How probable it is that something else happens between two commands of the organiser."""


class PlayedTournament(Struct, frozen=True):
    """The result of one simulated tournament. `broken` lists the violations; it must be empty."""

    number: int
    formats: tuple[str, ...]
    players: int
    rounds: int
    matches: int
    batches: int
    refused: dict[str, int]
    broken: tuple[str, ...]


def simulate_one(seed: str, number: int, most: int, chosen: str | None = None) -> PlayedTournament:
    """Plays tournament `number` of a simulation to its end, with at most so many players, in a
    `chosen` format; the same arguments give the same tournament."""
    rng = Random(f"{seed}/{number}")  # noqa: S311  chooses what happens
    players = players_of(rng, most)
    stages = stages_of(rng, players, chosen)
    cup = SimulatedTournament(rng, players)
    try:
        cup.play(stages)
        cup.broken += cup.checks.at_the_end(cup.events)
    except Exception as fault:  # noqa: BLE001  a fault is a finding
        cup.broken.append(f"{type(fault).__name__}: {fault}")
    return PlayedTournament(
        number=number,
        formats=tuple(stage.format for stage in stages),
        players=len(cup.state.players),
        rounds=sum(len(stage.rounds) for stage in cup.state.competition.stages),
        matches=len(cup.state.matches),
        batches=cup.batches,
        refused=dict(cup.refused),
        broken=tuple(dict.fromkeys(cup.broken)),
    )


class SimulatedTournament(TournamentPlay):
    """A tournament in which things happen."""

    def __init__(self, rng: Random, players: int) -> None:
        self.rng = rng
        self.checks = TournamentChecks()
        self.batches = 0
        self.refused: Counter[str] = Counter()
        self.broken: list[str] = []
        super().__init__(0)
        for _ in range(players):
            self._enter()

    def play(self, stages: Sequence[Stage]) -> None:
        """Plays the stages, one after the other, and closes the tournament."""
        for number, stage in enumerate(stages, 1):
            self.do(AddStage(stage))
            if not self._opens(number, stage):
                return
            while self._round(number, stage):
                while running := self.running():
                    self.meanwhile(number)
                    self._end(self.rng.choice(running))
                    self.create()
                self.meanwhile(number)
            self._with_lots(number, CloseStage(number))
        self.do(CloseTournament())

    def take(self, events: list[Event]) -> list[Event]:
        """Records a batch, and checks what must hold after it."""
        super().take(events)
        self.batches += 1
        self.broken += self.checks.read(events, self.state, self.at)
        return events

    def _end(self, match: str) -> None:
        """A match is over. Where there is a show most are played by their rules."""
        settings = [stage.settings for stage in self.state.competition.stages]
        seats = len(self.state.matches[match].players)
        if self.rng.random() < ABSENT:
            absent = self.rng.sample(range(seats), self.rng.randint(1, seats))
            self.settle(match, forfeited(seats, absent), forfeit=True)
        elif any(FORMATS[one.format].episodes for one in settings) and self.rng.random() < 0.9:
            self.play_by_bots(match, str(self.rng.random()))
        else:
            self.settle(match, self.some_result(seats))

    def choose(self, episode: OpenEpisode) -> None:
        """A candidate chooses, or lets the time pass."""
        if self.rng.random() < 0.5:
            super().choose(episode)
            return
        candidate = episode.show.chooser
        assert candidate is not None, "the choice has been opened"
        left = opponents(standing_of(self.state), episode)
        place = (episode.number, episode.round.number)
        at = len(self.events)
        self.do(ChooseOpponent(*place, self.rng.choice(left), candidate, at))

    def some_result(self, seats: int) -> Result | None:
        """A result by chance: void, won by no one, shared, or won."""
        kind = self.rng.random()
        if kind < 0.03:
            return None
        everyone = tuple(range(seats))
        if kind < 0.06:
            return Result((), everyone, False, (0,) * seats)
        scores = tuple(self.rng.randrange(4) for _ in everyone)
        winners = tuple(seat for seat in everyone if scores[seat] == max(scores))
        shared = len(winners) > 1
        losers = () if shared else tuple(seat for seat in everyone if seat not in winners)
        return Result(winners, losers, shared, scores)

    def meanwhile(self, stage: int) -> None:
        """Perhaps something else happens."""
        if self.rng.random() > HAPPENS:
            return
        happens = self.rng.choice(
            (
                self._enter,
                self._leave,
                self._bye,
                self._lots_seed,
                self._correct,
                self._rule,
                self._withdraw_round,
                self._extend_round,
                self._away,
                self._crash,
            )
        )
        try:
            happens(stage)
        except Refused as refused:
            self.refused[refused.code] += 1

    # What happens.

    def _enter(self, _: int = 0) -> None:
        rng, number = self.rng, len(self.state.players)
        rating = rng.randint(800, 2400) if rng.random() < 0.8 else None
        seed = rng.randint(1, 64) if rng.random() < 0.5 else None
        self.do(NewPlayer(f"P{number}", rng.randrange(4), rating, seed))

    def _leave(self, _: int) -> None:
        player = self.rng.randrange(len(self.state.players))
        away = self.state.competition.people[player].status == "withdrawn"
        self.do(Return(player) if away else Withdraw(player, "by choice"))

    def _bye(self, stage: int) -> None:
        player = self.rng.randrange(len(self.state.players))
        number = len(self.state.competition.stages[stage - 1].rounds) + self.rng.randint(0, 2)
        self.do(AskBye(player, stage, max(1, number)))

    def _lots_seed(self, _: int) -> None:
        self.do(GiveLotsSeed(self.rng.randrange(len(self.state.players)), str(self.rng.random())))

    def _correct(self, _: int) -> None:
        settled = [match for match, added in self.state.matches.items() if added.settled]
        if settled:
            match = self.rng.choice(settled)
            players = self.state.matches[match].players
            facts = MatchFacts(tuple(map(self.state.players.__getitem__, players)), True, None)
            self._ruled(Correction(match, self.some_result(len(players))), facts)
            self.create()

    def _rule(self, stage: int) -> None:
        """A penalty, a disqualification, or the end of one; other seeds, or candidates."""
        rng, players = self.rng, range(len(self.state.players))
        player = rng.choice(players)
        out = self.state.competition.people[player].status == "disqualified"
        end = Reinstate(player) if out else Disqualify(player, rng.random() < 0.5)
        seeds = SeedPlayers(tuple(rng.sample(players, len(players))))
        up = NameCandidates(stage, tuple(rng.sample(players, rng.randint(1, min(2, len(players))))))
        penalty = Penalty(player, stage, rng.randint(-1, 3))
        self._ruled(rng.choice((penalty, end, seeds, up)), None)
        self.create()

    def _ruled(self, order: TournamentRuling, facts: MatchFacts | None) -> None:
        """A ruling by as many people as it takes."""
        number = f"r{self.batches}"
        rule = Rule(number, order, "so ruled", ORGANISER)
        first, *_ = self.do(RuleTournament(rule, facts, self.batches))
        if isinstance(first, TournamentRulingProposed):
            self.do(RuleTournament(SecondRuling(number, DEPUTY), facts, self.batches))

    def _withdraw_round(self, stage: int) -> None:
        """The last round is withdrawn if no match of it has a result; its matches are void."""
        one = self.state.competition.stages[stage - 1].rounds[-1:]
        matches = [match for last in one for table in last.tables for match in table.matches]
        if matches and not any(self.state.matches[match].settled for match in matches):
            self.do(WithdrawRound(stage, one[0].number, "The hall is closed."))
            for match in matches:
                self.settle(match, None)

    def _extend_round(self, stage: int) -> None:
        """The last round gets more time, or one table of it."""
        for one in self.state.competition.stages[stage - 1].rounds[-1:]:
            tables = (self.rng.randint(1, len(one.tables) + 1),)
            given = UNSET if self.rng.random() < 0.5 else tables
            later = max((one.end_of(table) or 0 for table in one.tables), default=0) + 1
            at = len(self.events)
            self.do(ExtendRound(stage, one.number, later, given, "The hall is far.", at))

    def _away(self, _: int) -> None:
        """The service was away."""
        at = len(self.events)
        self.do(MoveEnds(Absence(at - self.rng.randint(1, 9), at), at))

    def _crash(self, _: int) -> None:
        """The service starts again from the record alone."""
        read = (decode(encode(Record(0, 0, event))).event for event in self.events)
        self.state = fold(NOTHING_YET, read)

    # Rounds.

    def _opens(self, number: int, stage: Stage) -> bool:
        """Whether enough players are left for a stage."""
        try:
            FORMATS[stage.format].check(stage, len(self.history(number).entrants))
        except Refused as refused:
            self.refused[refused.code] += 1
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
            self.publish(number)
        except Refused as refused:
            if refused.code not in ("no_pairing", "too_few_players", "too_many_rounds"):
                raise
            self.refused[refused.code] += 1
            if not by_hand or history.next_round > rounds:
                return False
            self.publish(number, self._seated(number))
        return True

    def _episode(self, number: int) -> EpisodePlan:
        """What is played in the next round of a show; players may bring garnets."""
        here = present(self.history(number))
        if len(here) not in SHOW:
            raise Refused("too_few_players")
        plan = episode_of(self.rng, len(here))
        if plan.main.game != "together":
            return plan
        seats = self.draft(number, plan).pairings[0].players
        purses = [self.state.balances.get(purse(player), 0) for player in seats]
        garnets = [min(max(purse, 0), self.rng.randrange(3)) for purse in purses]
        return replace(plan, main=MainMatch("together", {"garnets": garnets}))

    def _seated(self, number: int) -> Draft:
        """Everyone seated by hand, in any order."""
        history = self.history(number)
        people = [one.player for one in history.entrants if one.presence != "out"]
        self.rng.shuffle(people)
        size = history.stage.seats
        tables = [people[first : first + size] for first in range(0, len(people), size)]
        left = tables.pop() if tables and len(tables[-1]) < max(2, size - 1) else []
        byes = tuple(Bye(player, "bye", ()) for player in left)
        seated = (Pairing(table, tuple(people)) for table, people in enumerate(tables, 1))
        return Draft("by_hand", "1", tuple(seated), byes)

    def _with_lots(self, number: int, command: Command) -> None:
        """Executes a command for which lots may have to be drawn first."""
        try:
            self.do(command)
        except Refused as refused:
            if refused.code != "lots_not_drawn":
                raise
            self.draw(f"stage {number}")
            self.do(command)
