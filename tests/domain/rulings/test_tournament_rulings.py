"""Rulings on a whole tournament: penalties, disqualifications, rematches and seeds
(/docs/tournaments#rule-on-a-tournament)."""

import pytest

from domain.events import Event
from domain.game import Refused, Result
from domain.people import Actor
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import (
    Disqualify,
    Penalty,
    Reinstate,
    ReplaceMatch,
    SeedPlayers,
    TournamentRuling,
)
from domain.rulings.tournament_decide import MatchFacts, RuleTournament
from domain.tournament.commands import AddMatch, PostGarnets, SettleMatch
from domain.tournament.competition import history_of, stage_of
from domain.tournament.decide import decide
from domain.tournament.events import (
    GarnetsPosted,
    MatchCorrected,
    MatchReplaced,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingOrdered,
    TournamentRulingProposed,
)
from domain.tournament.fold import fold
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.ledger import purse
from domain.tournament.scores import Exact
from domain.tournament.stage_commands import CheckInPlayer, Return, Withdraw
from domain.tournament.stage_events import PenaltyGiven, PlayersSeeded, PlayerStatus, RoundClosed
from domain.tournament.stages import Stage, StageMatch
from domain.tournament.state import standing_of
from projections.tournaments.stages import show_round
from tests.domain.tournament.stage_play import Organiser
from tests.support.instants import NOON
from tests.support.tables.correction_tables import MO, OLGA, WHY, refused

MATCH = StageMatch("dollar-prize")
SWISS = Stage("S", "swiss", MATCH, rounds=3, seeding="seed")
KNOCKOUT = Stage("K", "elimination", MATCH, seeding="seed")
ONE_WINS, TWO_WINS = Result((0,), (1,), False, (1, 0)), Result((1,), (0,), False, (0, 1))


def rule(ruling: TournamentRuling, ident: str = "r", actor: Actor = OLGA) -> RuleTournament:
    facts = MatchFacts(("P0", "P1"), False, None) if isinstance(ruling, ReplaceMatch) else None
    return RuleTournament(Rule(ident, ruling, WHY, actor), facts, NOON)


def second(ident: str = "r", actor: Actor = MO, facts: MatchFacts | None = None) -> RuleTournament:
    return RuleTournament(SecondRuling(ident, actor), facts, NOON)


def ruled(one: Organiser, ruling: TournamentRuling) -> list[Event]:
    """The effect of a ruling, by as many people as it takes."""
    ident = f"r{len(one.state.rulings.past)}"
    asked = rule(ruling, ident)
    events = one.do(asked)
    if isinstance(events[0], TournamentRulingProposed):
        events = one.do(second(ident, facts=asked.facts))
    assert isinstance(events[2], TournamentRulingOrdered)
    return list(events[3:])


def points(one: Organiser, player: int, after: int | None = None, stage: int = 1) -> Exact:
    now = standing_of(one.state)
    closed = None if after is None else stage_of(now.competition, stage).rounds[after - 1].closed
    history = closed.history if closed else history_of(now.competition, stage, now.results)
    return reckoning_of(FORMATS[history.stage.format], history).points[player]


def swiss(players: int = 4) -> Organiser:
    """A Swiss stage with one round that is over."""
    one = Organiser(players, SWISS)
    one.rounds(1)
    return one


# A penalty.


def test_a_penalty_takes_points_from_then_on() -> None:
    one = swiss()
    before = points(one, 0)
    assert one.do(rule(Penalty(0, None, 3))) == [
        TournamentRuled(1, "penalty", None, WHY, None, None),
        TournamentDirected("Olga", "key-olga"),
        TournamentRulingOrdered("r", Penalty(0, None, 3), None),
        PenaltyGiven(0, 1, 3),
    ]
    assert points(one, 0) == before - 3
    assert points(one, 0, after=1) == before, "what stood after the round stands"
    ruled(one, Penalty(0, 1, -2))
    assert points(one, 0) == before - 1
    one.rounds(1)
    assert points(one, 0, after=2) == points(one, 0)


def test_a_penalty_in_garnets_tells_the_public_no_amount_and_the_player_who_took_them() -> None:
    one = Organiser(2)
    one.do(PostGarnets(0, 5, "a prize"))
    assert ruled(one, Penalty(0, garnets=4)) == [
        PenaltyGiven(0, None, None),
        GarnetsPosted(0, "player", "house", 4, "penalty", by="Olga"),
    ]
    assert one.state.balances[purse(0)] == 1
    assert refused(one.state, rule(Penalty(0, garnets=2), "s")) == "not_enough_garnets"


@pytest.mark.parametrize(
    ("ruling", "code"),
    [
        (Penalty(9, None, 1), "no_such_player"),
        (Penalty(0, 2, 1), "no_such_stage"),
        (Penalty(0, None, 0), "penalty_not_allowed"),
        (Penalty(0, None, -1), "penalty_not_allowed"),
        (Penalty(4, None, 1), "not_in_stage"),
        (Reinstate(0), "not_disqualified"),
        (SeedPlayers((0, 0)), "paired_twice"),
        (SeedPlayers((0, 9)), "no_such_player"),
        (ReplaceMatch("none", "none"), "no_such_tournament_match"),
    ],
)
def test_what_does_not_fit_is_refused(ruling: TournamentRuling, code: str) -> None:
    one = Organiser(5, Stage("T", "swiss", MATCH, entrants=(0, 1, 2, 3)))
    one.publish(1)
    assert refused(one.state, rule(ruling)) == code


# A disqualification.


def test_a_disqualified_player_is_not_paired_and_a_reinstated_one_is_what_they_were() -> None:
    one = swiss()
    played = points(one, 1)
    assert ruled(one, Disqualify(1)) == [PlayerStatus(1, "disqualified", WHY)]
    assert points(one, 1) == played, "what was played stands"
    paired = {player for table in one.draft().pairings for player in table.players}
    assert 1 not in paired
    for command, code in ((Return(1), "not_withdrawn"), (Withdraw(1, "?"), "already_withdrawn")):
        with pytest.raises(Refused, match=code):
            one.do(command)
    with pytest.raises(Refused):
        one.do(CheckInPlayer(1))
    assert refused(one.state, rule(Disqualify(1), "again")) == "already_disqualified"
    assert ruled(one, Reinstate(1)) == [PlayerStatus(1, "entered", WHY)]
    assert 1 in {player for table in one.draft().pairings for player in table.players}
    one.do(Withdraw(2, "ill"))
    ruled(one, Disqualify(2))
    assert ruled(one, Reinstate(2)) == [PlayerStatus(2, "withdrawn", WHY)]


def test_annulled_results_count_for_no_one_until_the_player_is_reinstated() -> None:
    one = swiss()
    (opponent,) = (
        other
        for table in one.state.competition.stages[0].rounds[0].tables
        if 0 in table.players
        for other in table.players
        if other != 0
    )
    before = points(one, 0), points(one, opponent)
    assert ruled(one, Disqualify(0, annul=True)) == [PlayerStatus(0, "disqualified", WHY, True)]
    assert points(one, 0) == points(one, opponent) == 0
    assert (points(one, 0, after=1), points(one, opponent, after=1)) == before
    ruled(one, Reinstate(0))
    assert (points(one, 0), points(one, opponent)) == before


# A rematch.


def rematch(one: Organiser, ident: str = "again") -> tuple[str, str]:
    """A match of the first round that is over, and another of its players."""
    (table,) = one.state.competition.stages[0].rounds[0].tables
    names = tuple(one.state.players[player] for player in table.players)
    one.do(AddMatch(ident, "dollar-prize", names))
    return table.matches[0], ident


def test_a_rematch_counts_in_the_place_of_a_match_once_it_has_a_result() -> None:
    one = Organiser(2, Stage("S", "swiss", MATCH, rounds=1))
    one.publish(1)
    (running,) = one.running()
    one.settle(running, ONE_WINS)
    first, other = rematch(one)
    winner = one.state.competition.stages[0].rounds[0].tables[0].players[0]
    assert points(one, winner) == 2
    replaced = ruled(one, ReplaceMatch(first, other))
    assert replaced == [MatchReplaced(first, other), MatchCorrected(first, None)]
    assert points(one, winner) == 0 and other not in standing_of(one.state).results
    one.do(SettleMatch(other, TWO_WINS))
    assert points(one, winner) == 0 and points(one, 1 - winner) == 2
    _, third = rematch(one, "third")
    assert refused(one.state, rule(ReplaceMatch(first, third), "x")) == "cannot_replace"
    ruled(one, ReplaceMatch(other, third))
    one.do(SettleMatch(third, ONE_WINS))
    assert points(one, winner) == 2


def test_a_table_shows_the_rematch_in_the_place_of_its_match() -> None:
    one = Organiser(2, Stage("K", "elimination", MATCH, seeding="entry", best_of=3))
    one.publish(1)
    for result in (ONE_WINS, TWO_WINS):
        one.settle(one.running()[0], result)
        one.create()
    (table,) = one.state.competition.stages[0].rounds[0].tables
    first, replaced = table.matches
    rematch(one)
    ruled(one, ReplaceMatch(replaced, "again"))
    (pairing,) = show_round(one.state, 1, 1).pairings
    assert pairing.matches == (first, "again")


def test_a_round_waits_for_the_rematch_of_a_void_match() -> None:
    one = Organiser(4, Stage("S", "swiss", MATCH, rounds=1))
    one.publish(1)
    first, second_match = one.running()
    one.settle(first, None)
    players = one.state.matches[first].players
    one.do(AddMatch("again", "dollar-prize", tuple(one.state.players[p] for p in players)))
    assert ruled(one, ReplaceMatch(first, "again")) == [MatchReplaced(first, "again")]
    events = one.do(SettleMatch(second_match, ONE_WINS))
    assert not any(isinstance(event, RoundClosed) for event in events)
    assert one.do(SettleMatch("again", ONE_WINS))[-1] == RoundClosed(1, 1)


def test_a_rematch_is_of_the_same_players_and_counts_for_nothing_else() -> None:
    one = Organiser(4, Stage("S", "swiss", MATCH, rounds=1))
    one.publish(1)
    first, other = one.running()
    assert refused(one.state, rule(ReplaceMatch(first, other))) == "result_not_final"
    one.settle(first, ONE_WINS)
    assert refused(one.state, rule(ReplaceMatch(first, other))) == "cannot_replace"
    players = (one.state.players[player] for player in one.state.matches[first].players)
    one.do(AddMatch("void", "dollar-prize", tuple(players)))
    one.do(SettleMatch("void", None))
    assert refused(one.state, rule(ReplaceMatch(first, "void"))) == "cannot_replace"


# Seeds.


def test_seeds_are_those_of_the_stages_that_open_from_then_on() -> None:
    one = Organiser(4, KNOCKOUT, KNOCKOUT)
    assert one.do(rule(SeedPlayers((3, 2, 1))))[-1] == PlayersSeeded((3, 2, 1))
    people = one.state.competition.people
    assert [people[player].seed for player in range(4)] == [None, 3, 2, 1]
    one.publish(1)
    first = [table.players for table in one.state.competition.stages[0].rounds[0].tables]
    assert {frozenset(players) for players in first} == {frozenset((3, 0)), frozenset((2, 1))}
    one.play()
    proposed = one.do(rule(SeedPlayers((0, 1, 2, 3)), "later"))
    assert isinstance(proposed[0], TournamentRulingProposed), "two people after the first round"
    one.do(second("later"))
    history = history_of(one.state.competition, 1, one.state.results)
    assert [entrant.seed for entrant in history.entrants] == [None, 3, 2, 1]
    one.publish(2)
    history = history_of(one.state.competition, 2, one.state.results)
    assert [entrant.seed for entrant in history.entrants] == [1, 2, 3, 4]


# Who rules.


def test_no_one_rules_on_a_tournament_in_which_they_play() -> None:
    one = swiss()
    player = Actor(one.state.players[2].upper(), "key-player")
    assert refused(one.state, rule(Penalty(0, None, 1), actor=player)) == "moderator_plays"
    one.do(rule(Disqualify(0)))
    assert refused(one.state, second(actor=player)) == "moderator_plays"
    assert refused(one.state, second(actor=OLGA)) == "same_person"
    assert refused(one.state, second(actor=Actor(None, "key"))) == "same_person"


def test_a_penalty_is_appealed_by_another_person() -> None:
    one = swiss()
    one.do(rule(Penalty(0, None, 1)))
    again = RuleTournament(Rule("s", Penalty(0, 1, -1), WHY, OLGA, appeals="r"), None, NOON)
    assert refused(one.state, again) == "own_ruling"
    one.do(RuleTournament(Rule("s", Penalty(0, 1, -1), WHY, MO, appeals="r"), None, NOON))
    assert one.state.rulings.n == 2


def test_a_preview_is_of_what_is_public_and_of_rulings_on_the_whole() -> None:
    one = swiss()
    version = one.state.version
    state = fold(one.state, decide(one.state, PostGarnets(0, 1, "a prize")))
    assert state.version == version, "garnets are no part of it"
    state = fold(one.state, decide(one.state, rule(Disqualify(0))))
    assert state.version == version + 1
