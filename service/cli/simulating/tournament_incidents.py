"""What happens in a simulated tournament besides its rounds: people come, leave and are ruled on,
results are corrected, names withheld, rounds withdrawn, and the service is killed."""

from contextlib import suppress
from random import Random

from msgspec import UNSET

from domain.encoding import decode, encode
from domain.events import Event, Record
from domain.game import Refused, Result
from domain.match.commands import Conflict
from domain.match.deadlines import Absence
from domain.people import Actor
from domain.proof.withholding import shown_name, without_name
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import (
    Correction,
    Disqualify,
    NameCandidates,
    Penalty,
    Reinstate,
    ReplaceMatch,
    SeedPlayers,
    TournamentRuling,
)
from domain.rulings.tournament_decide import MatchFacts, RuleTournament
from domain.tournament.commands import AddMatch, NewPlayer, PostGarnets
from domain.tournament.events import TournamentRulingProposed
from domain.tournament.fold import fold
from domain.tournament.following import lapsed
from domain.tournament.formats import FORMATS
from domain.tournament.lots import next_lots
from domain.tournament.staff import RenamePlayer
from domain.tournament.stage_commands import (
    AskBye,
    CheckInPlayer,
    ExtendRound,
    GiveLotsSeed,
    MoveEnds,
    OpenCheckIn,
    Return,
    Withdraw,
    WithdrawRound,
)
from domain.tournament.state import NOTHING_YET, names_of, standing_of
from service.cli.simulating.tournament_checks import TournamentChecks
from service.cli.simulating.tournament_play import TournamentPlay

ORGANISER, DEPUTY = Actor("Olga", "simulator"), Actor("Mo", "deputy")
HAPPENS = 0.15
"""How probable it is that something else happens between two commands of the organiser."""


class TournamentIncidents(TournamentPlay):
    """A tournament in which things happen, by chance."""

    def __init__(self, rng: Random, players: int) -> None:
        self.rng = rng
        self.checks = TournamentChecks()
        self.batches = 0
        self.broken: list[str] = []
        super().__init__(0)
        for _ in range(players):
            self._enter()

    def take(self, events: list[Event]) -> list[Event]:
        """Records a batch, and checks what must hold after it."""
        super().take(events)
        self.batches += 1
        self.broken += self.checks.read(events, self.state, self.at)
        return events

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
        """Time passes, and perhaps something else happens."""
        for record in lapsed(self.state, len(self.events)):
            self.at = record.at
            self.take([record.event])
        if self.rng.random() > HAPPENS:
            return
        happens = self.rng.choice(
            (
                self._enter,
                self._leave,
                self._bye,
                self._check_in,
                self._rename,
                self._withhold_name,
                self._garnets,
                self._lots,
                self._correct,
                self._replace,
                self._rule,
                self._withdraw_round,
                self._extend_round,
                self._overlap,
                self._away,
                self._crash,
            )
        )
        with suppress(Refused, Conflict):
            happens(stage)

    # What people do.

    def _enter(self, _: int = 0) -> None:
        rng, number = self.rng, len(self.state.players)
        rating = rng.randint(800, 2400) if rng.random() < 0.8 else None
        seed = rng.randint(1, 64) if rng.random() < 0.5 else None
        self.do(NewPlayer(f"P{number}", rng.randrange(4), rating, seed))

    def _someone(self) -> int:
        return self.rng.randrange(len(self.state.players))

    def _leave(self, _: int) -> None:
        player = self._someone()
        away = self.state.competition.people[player].status == "withdrawn"
        self.do(Return(player) if away else Withdraw(player, "by choice"))

    def _bye(self, stage: int) -> None:
        player = self._someone()
        number = len(self.state.competition.stages[stage - 1].rounds) + self.rng.randint(0, 2)
        self.do(AskBye(player, stage, max(1, number)))

    def _check_in(self, _: int) -> None:
        """A check-in opens, and most answer it: in time, or after its close."""
        at, people = len(self.events), self.state.competition.people
        self.do(OpenCheckIn(at + self.rng.randint(1, 2 * len(people)), at))
        for player, person in people.items():
            if not person.out and self.rng.random() < 0.9:
                self.do(CheckInPlayer(player))

    def _rename(self, _: int) -> None:
        self.do(RenamePlayer(self._someone(), f"Q{self.batches}", "It is the right one."))

    def _withhold_name(self, _: int) -> None:
        """What is stored has the name no more, and everyone reads it again."""
        player = self._someone()
        placeholder = shown_name(player)
        names = set(names_of(self.state, player)) - {placeholder}
        self.events = [without_name(event, names, placeholder) for event in self.events]
        self.state = fold(NOTHING_YET, self.events)
        self.checks.withhold(names, placeholder)

    def _garnets(self, _: int) -> None:
        self.do(PostGarnets(self._someone(), self.rng.choice((-2, -1, 1, 2, 3)), "found"))

    def _lots(self, stage: int) -> None:
        """A player adds to the next lots, or they are drawn before they are needed."""
        if self.rng.random() < 0.5:
            self.do(GiveLotsSeed(self._someone(), str(self.rng.random())))
        else:
            self.draw(next_lots(standing_of(self.state), stage))

    # What is ruled.

    def _correct(self, _: int) -> None:
        settled = [match for match, added in self.state.matches.items() if added.settled]
        if settled:
            match = self.rng.choice(settled)
            seats = len(self.state.matches[match].players)
            self._direct(Correction(match, self.some_result(seats)), self._facts_of(match))
            self.create()

    def _replace(self, _: int) -> None:
        """A rematch counts in place of a match, before or after it has a result."""
        settled = [match for match, added in self.state.matches.items() if added.settled]
        if settled:
            match, again = self.rng.choice(settled), f"again-{self.batches}"
            players = self.state.matches[match].players
            names = tuple(map(self.state.players.__getitem__, players))
            self.do(AddMatch(again, "dollar-prize", names))
            if self.rng.random() < 0.5:
                self.settle(again, self.some_result(len(players)))
            self._direct(ReplaceMatch(match, again), self._facts_of(match))
            self.create()

    def _facts_of(self, match: str) -> MatchFacts:
        players = self.state.matches[match].players
        return MatchFacts(tuple(map(self.state.players.__getitem__, players)), True, None)

    def _rule(self, stage: int) -> None:
        """A penalty, a disqualification, or the end of one; other seeds, or candidates."""
        rng, players = self.rng, range(len(self.state.players))
        player = rng.choice(players)
        out = self.state.competition.people[player].status == "disqualified"
        end = Reinstate(player) if out else Disqualify(player, rng.random() < 0.5)
        seeds = SeedPlayers(tuple(rng.sample(players, len(players))))
        up = NameCandidates(stage, tuple(rng.sample(players, rng.randint(1, min(2, len(players))))))
        penalty = Penalty(player, stage, rng.randint(-1, 3))
        self._direct(rng.choice((penalty, end, seeds, up)), None)
        self.create()

    def _direct(self, order: TournamentRuling, facts: MatchFacts | None) -> None:
        """A ruling by as many people as it takes."""
        number = f"r{self.batches}"
        rule = Rule(number, order, "so ruled", ORGANISER)
        first, *_ = self.do(RuleTournament(rule, facts, self.batches))
        if isinstance(first, TournamentRulingProposed):
            self.do(RuleTournament(SecondRuling(number, DEPUTY), facts, self.batches))

    # What becomes of rounds.

    def _withdraw_round(self, stage: int) -> None:
        """The last round is withdrawn if no match of it has a result; its matches are void."""
        last_rounds = self.state.competition.stages[stage - 1].rounds[-1:]
        matches = [
            match for last in last_rounds for table in last.tables for match in table.matches
        ]
        if matches and not any(self.state.matches[match].settled for match in matches):
            self.do(WithdrawRound(stage, last_rounds[0].number, "The hall is closed."))
            for match in matches:
                self.settle(match, None)

    def _extend_round(self, stage: int) -> None:
        """The last round gets more time, or one table of it."""
        for round_ in self.state.competition.stages[stage - 1].rounds[-1:]:
            tables = (self.rng.randint(1, len(round_.tables) + 1),)
            tables_extended = UNSET if self.rng.random() < 0.5 else tables
            later = max((round_.end_of(table) or 0 for table in round_.tables), default=0) + 1
            at = len(self.events)
            self.do(
                ExtendRound(stage, round_.number, later, tables_extended, "The hall is far.", at)
            )

    def _overlap(self, stage: int) -> None:
        """The next round is published while the last one is open."""
        form = FORMATS[self.state.competition.stages[stage - 1].settings.format]
        if form.id != "by_hand" and not form.episodes:
            self.publish(stage, overlap=True)

    def _away(self, _: int) -> None:
        """The service was away."""
        at = len(self.events)
        self.do(MoveEnds(Absence(at - self.rng.randint(1, 9), at), at))

    def _crash(self, _: int) -> None:
        """The service starts again from the record alone."""
        events = (decode(encode(Record(0, 0, event))).event for event in self.events)
        self.state = fold(NOTHING_YET, events)
