"""A tournament whose matches were played, without a server, and its bundles: honest ones, and those
forged by an operator who has every key of the service."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Literal

import msgspec
from msgspec.structs import replace

from domain.encoding import encode
from domain.events import HOUR, Event, Record, batch
from domain.games import GAMES
from domain.match.commands import CaseCommand, CloseCase, OpenCase
from domain.match.deadlines import Absence
from domain.match.events import MatchCreated
from domain.people import OPERATOR, Actor
from domain.proof.checkpoints import text as checkpoint_text
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import NameCandidates, Penalty, RuleResult, VoidMatch
from domain.rulings.tournament_decide import RuleTournament
from domain.tournament.absences import BY_ITSELF, forfeited
from domain.tournament.commands import (
    AddMatch,
    Command,
    NewPlayer,
    NewPlayers,
    PostGarnets,
    RoundTable,
    SettleMatch,
)
from domain.tournament.decide import blinded, decide
from domain.tournament.open_stages import needs, open_tables
from domain.tournament.settling import settlement_of
from domain.tournament.show import open_episodes
from domain.tournament.stage_commands import (
    AddStage,
    CloseStage,
    CloseTournament,
    ExtendRound,
    GiveLotsSeed,
    MoveEnds,
    PublishRound,
    WithdrawRound,
)
from domain.tournament.stages import (
    DeathMatch,
    EpisodePlan,
    MainMatch,
    PlacesOf,
    RoundRule,
    Stage,
    StageMatch,
)
from domain.tournament.state import standing_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.bundle import MatchLog, TournamentLog, bundle
from service.application.matches.creation import NewMatch
from service.application.tournaments.round_matches import setup_of
from service.cli.simulating.tournament_play import TOURNAMENT, TournamentPlay
from service.event_store.secret_store import MatchSecrets, SeedStored
from service.event_store.stream_ids import NOWHERE
from tests.support.evidence.forged_bundles import SHORT
from tests.support.evidence.signed_bundles import LOG_KEY, RECEIPTS, SIGNER, bundled
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import next_input
from tests.support.tables.match_table import MatchTable

ORGANISER, EVE = Actor("Olga", "operator"), Actor("Eve", "key-eve")

Records = list[Record[Event]]
Change = Callable[[Records], Records]


class ProvenCup(TournamentPlay):
    """A cup of four: all at a table of `together` with their garnets, then a bracket of
    `dollar-prize`, seeded by lots."""

    def __init__(self) -> None:
        self.records: Records = []
        self.luck = Random(7)
        self.tables: dict[str, MatchTable] = {}
        super().__init__(3)
        self.begin()

    def begin(self) -> None:
        """Plays it from its beginning to its end."""
        self.do(NewPlayers((NewPlayer("P3", garnets=9, external_id="7"),)))
        for player in range(3):
            self.do(PostGarnets(player, 9, "a start"))
        table = StageMatch("together", SHORT["together"][1] | {"garnets": [2, 1, 0, 3]})
        self.do(AddStage(Stage(name="Table", format="swiss", seats=4, rounds=1, match=table)))
        self.do(GiveLotsSeed(2, "dice at home"))
        self.publish(1)
        self.judge_cases()
        self.finish()
        self.do(CloseStage(1))
        bracket = Stage(
            name="Cup",
            format="elimination",
            seeding="lots",
            entrants=PlacesOf(1, (1, 4)),
            match=StageMatch("dollar-prize"),
        )
        self.do(AddStage(bracket))
        self.play_stage(2)
        self.do(CloseTournament())

    def judge_cases(self) -> None:
        """A player's case is closed by a note, appealed, and closed by the ruling of another; the
        staff's by a ruling."""
        self.do(OpenCase("place"))
        self.do(CloseCase("place", EVE))
        self.do(OpenCase("place"))
        self.do(OpenCase("pairing", ORGANISER))
        for n, case in enumerate(("place", "pairing")):
            rule = Rule(f"r{n}", Penalty(n, 1, 1), "They were heard.", ORGANISER, case=case)
            self.do(RuleTournament(rule, None, NOON))

    def play_stage(self, stage: int) -> None:
        for _ in range(stage):
            self.publish(stage)
            self.finish()
        self.do(CloseStage(stage))

    def finish(self) -> None:
        """Settles all matches that were played, and those that follow."""
        while running := self.running():
            for match in running:
                table = self.tables[match]
                settlement = settlement_of(table.game, table.match)
                assert settlement is not None
                self.do(settlement)
            self.create()

    def decided(self, command: Command) -> list[Event]:
        """At the organiser's request, with names that are blinded."""
        own = isinstance(command, SettleMatch | CaseCommand | RuleTournament)
        by = None if own else ORGANISER
        return blinded(decide(self.state, command, by=by), lambda: self.luck.randbytes(16))

    def take(self, events: list[Event]) -> list[Event]:
        """One batch, at an instant of its own."""
        self.records += batch(events, NOON + len(self.records))
        return super().take(events)

    def create(self) -> None:
        """Creates each match that a table needs, and plays it."""
        for stage, one, table in list(open_tables(standing_of(self.state))):
            wanted = needs(standing_of(self.state), stage, one, table)
            if wanted == "lots":
                self.draw(f"replay {stage} {one.number} {table.table}")
            if wanted != "match":
                continue
            match = f"019b76da-a800-7000-8000-{len(self.tables):012x}"
            setup = setup_of(self.state, stage, one, table, NOWHERE)
            at, names = RoundTable(stage, one.number, table.table), setup.seats
            played = self._played(match, setup)
            stakes = played.game.stake
            garnets = () if stakes is None else stakes(played.options, len(names))
            self.do(AddMatch(match, played.game.id, names, garnets, at=at))
        steps = [self._step(one) for one in open_episodes(standing_of(self.state))]
        if any(steps):
            self.create()

    def _played(self, match: str, setup: NewMatch) -> MatchTable:
        rules, rng, names = GAMES[setup.game], Random(match), list(setup.seats)
        given = msgspec.convert(setup.options, rules.Options)
        options = msgspec.to_builtins(rules.complete(given, len(names)))
        created = MatchCreated(
            rules.id,
            rules.rules_version,
            options,
            len(names),
            clock="rules",
            record=rules.records[0],
            tournament=TOURNAMENT,
        )
        salts = tuple(rng.randbytes(16) for _ in names)
        hidden = MatchSecrets(rng.randbytes(32), (SeedStored(0, rng.randbytes(32), salts),))
        table = MatchTable(rules, created, NOON, hidden, match, names)
        self.begun(table)
        while table.match.status == "running":
            at, command = next_input(table, rng, 0.15)
            table.when(command, at)
        self.tables[match] = table
        return table

    def begun(self, table: MatchTable) -> None:
        """A match begins."""
        table.when(START)


class ProvenShow(ProvenCup):
    """An episode of a show of five, after which it is over."""

    def begin(self) -> None:
        for player in range(2):
            self.do(NewPlayer(f"P{player + 3}", garnets=3))
        self.do(AddStage(Stage("Show", "show", StageMatch(), until=4)))
        main = MainMatch("together", SHORT["together"][1])
        self.publish(1, show=EpisodePlan(main, DeathMatch("dollar-prize")))
        self.finish()
        self.do(CloseTournament())


class ProvenRuledShow(ProvenShow):
    """The same, but the main match is void, and staff name who meets."""

    def finish(self) -> None:
        """Two people rule on the candidates, once no one is one."""
        super().finish()
        named = Rule("r", NameCandidates(None, (0, 1)), "They were last.", ORGANISER)
        self.do(RuleTournament(named, None, NOON))
        self.do(RuleTournament(SecondRuling("r", EVE), None, NOON))
        self.create()
        super().finish()

    def begun(self, table: MatchTable) -> None:
        """The main match is void before it begins."""
        if self.tables:
            super().begun(table)
        else:
            table.when(Rule("r", VoidMatch(), "The hall is closed.", OPERATOR))


class ProvenAbsences(ProvenCup):
    """A cup of two: a round is withdrawn, and one does not come to the next one."""

    def begin(self) -> None:
        hour = RoundRule(ends=1.0)
        self.do(AddStage(Stage("Cup", "swiss", StageMatch("dollar-prize"), rounds=1, round=hour)))
        self.publish(1)
        later = (self.state.competition.stages[0].rounds[0].ends or 0) + 1
        self.do(ExtendRound(1, 1, later, (1,), "The hall is far.", 0))
        back = NOON + len(self.records)
        self.do(MoveEnds(Absence(1, back), back))
        self.do(WithdrawRound(1, 1, "Nobody is here."))
        self.play_stage(1)
        self.do(CloseTournament())

    def begun(self, table: MatchTable) -> None:
        """The match of the first round is void before it begins."""
        if self.tables:
            super().begun(table)
            self.forfeit(table)
        else:
            table.when(Rule("r", VoidMatch(), "Nobody is here.", OPERATOR))

    def forfeit(self, table: MatchTable, rule: str | None = None, at: int | None = None) -> None:
        """Staff rule the forfeit, or the service does."""
        ruling = RuleResult(forfeited(2, [1]), "forfeit")
        table.when(Rule("r", ruling, "Nobody is here.", OPERATOR, rule=rule), at)


class ProvenOwnForfeit(ProvenAbsences):
    """A cup of two, of which the service rules the only match an hour after its round began, as its
    setting says."""

    absent: Literal["staff", "forfeit"] = "forfeit"
    after = HOUR

    def begin(self) -> None:
        hour, match = RoundRule(ends=1.0), StageMatch("dollar-prize")
        self.do(AddStage(Stage("Cup", "swiss", match, rounds=1, round=hour, absent=self.absent)))
        self.play_stage(1)
        self.do(CloseTournament())

    def decided(self, command: Command) -> list[Event]:
        """The round begins at the instant of its record."""
        if isinstance(command, PublishRound):
            command = replace(command, at=NOON + len(self.records))
        return super().decided(command)

    def begun(self, table: MatchTable) -> None:
        table.when(START)
        starts = self.state.competition.stages[0].rounds[0].starts
        self.forfeit(table, BY_ITSELF, starts + self.after)


class ForfeitWithoutSetting(ProvenOwnForfeit):
    """The same where forfeits are left to staff."""

    absent = "staff"


class ForfeitTooEarly(ProvenOwnForfeit):
    """The same before the end of the round."""

    after = HOUR - 1


proven_cup = cache(ProvenCup)
proven_show = cache(ProvenShow)
proven_ruled_show = cache(ProvenRuledShow)
proven_absences = cache(ProvenAbsences)
proven_own_forfeit = cache(ProvenOwnForfeit)
forfeit_without_setting = cache(ForfeitWithoutSetting)
forfeit_too_early = cache(ForfeitTooEarly)


@cache
def public_bundles(made: Callable[[], ProvenCup] = proven_cup) -> dict[str, bytes]:
    """Those of its matches."""
    logs = {
        match: MatchLog(match, list(map(encode, table.records)), table.hidden.log_key)
        for match, table in made().tables.items()
    }
    return {match: bundled(log, PUBLIC_VIEWER) for match, log in logs.items()}


def cup_log(records: Sequence[Record[Event]]) -> TournamentLog:
    """The log of a tournament with these records."""
    return TournamentLog(TOURNAMENT, list(map(encode, records)), LOG_KEY)


def cup_bundle(
    change: Change = list,
    audience: Viewer = MODERATOR,
    matches: dict[str, bytes] | None = None,
    made: Callable[[], ProvenCup] = proven_cup,
) -> bytes:
    """The bundle of the cup as an operator has changed it, signed anew."""
    log = cup_log(change(list(made().records)))
    checkpoint = SIGNER.sign(checkpoint_text(log.checkpoint()))
    inside = public_bundles(made) if matches is None else matches
    return bundle(log, audience, checkpoint, SIGNER.sign, RECEIPTS.sign, inside)
