"""The formats of a stage: who meets whom, and who takes which place (/docs/tournaments)."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.game import Refused
from domain.tournament.bracket import bracket_of, seed_order
from domain.tournament.formats.round_robin import berger
from domain.tournament.stages import Stage, StageMatch, StagePoints
from domain.tournament.tables import table_sizes
from projections.tournaments.stage_standings import show_standings
from projections.tournaments.stages import show_round
from tests.domain.tournament.stage_play import Organiser

MATCH = StageMatch("dollar-prize")
PLACES = StagePoints(places=(5, 3, 2, 1))

STAGES = {
    "swiss": Stage("S", "swiss", MATCH),
    "swiss tables": Stage("S", "swiss", MATCH, seats=4, rounds=3, points=PLACES),
    "round robin": Stage("R", "round_robin", MATCH),
    "groups": Stage("R", "round_robin", MATCH, groups=2, cycles=2),
    "elimination": Stage("E", "elimination", MATCH, seeding="entry", third_place=True),
    "double": Stage("E", "elimination", MATCH, seeding="lots", losses=2, best_of=3),
    "shootout": Stage("O", "shootout", MATCH, seats=3, points=PLACES),
}
SIZES = {"swiss": range(2, 20), "swiss tables": [4, 6, 7, 8, 12, 15], "shootout": [3, 8, 9, 27]}


def sized(draw: st.DrawFn) -> tuple[str, int]:
    name = draw(st.sampled_from(sorted(STAGES)))
    sizes = SIZES.get(name, range(4, 20))
    return name, draw(st.sampled_from(list(sizes)))


@given(st.composite(sized)(), st.integers(0, 2**32))
def test_a_stage_is_played_to_its_end_and_no_rule_is_broken(
    case: tuple[str, int], seed: int
) -> None:
    name, players = case
    organiser = Organiser(players, STAGES[name], rng=Random(seed))
    organiser.play_stage()
    stage = organiser.state.competition.stages[0]
    assert sorted(stage.places) == list(range(players))
    for one in stage.rounds:
        named = [player for table in one.tables for player in table.players]
        named += [bye.player for bye in one.byes]
        assert len(set(named)) == len(named), "no one is paired twice or with themselves"
        assert one.status == "closed"
    if name == "swiss":
        met = Counter(frozenset(table.players) for one in stage.rounds for table in one.tables)
        byes = Counter(bye.player for one in stage.rounds for bye in one.byes)
        assert set(met.values()) <= {1}
        assert set(byes.values()) <= {1}
    organiser.close()
    assert organiser.state.competition.champions is not None


@pytest.mark.parametrize("players", [2, 4, 6, 8, 10, 64])
def test_by_the_berger_tables_all_meet_once_and_seats_are_balanced(players: int) -> None:
    rounds = [berger(players, number) for number in range(1, players)]
    met = Counter(frozenset(board) for boards in rounds for board in boards)
    assert met == Counter(frozenset(pair) for pair in combinations(range(players), 2))
    first = Counter(board[0] for boards in rounds for board in boards)
    assert all(abs(2 * first[player] - (players - 1)) <= 1 for player in range(players))


BERGER_8 = [
    [(1, 8), (2, 7), (3, 6), (4, 5)],
    [(8, 5), (6, 4), (7, 3), (1, 2)],
    [(2, 8), (3, 1), (4, 7), (5, 6)],
    [(8, 6), (7, 5), (1, 4), (2, 3)],
    [(3, 8), (4, 2), (5, 1), (6, 7)],
    [(8, 7), (1, 6), (2, 5), (3, 4)],
    [(4, 8), (5, 3), (6, 2), (7, 1)],
]
"""The table for seven and eight players, FIDE C.05, annex 1."""


def test_the_tables_are_those_of_the_handbook() -> None:
    made = [[(a + 1, b + 1) for a, b in berger(8, number)] for number in range(1, 8)]
    assert made == BERGER_8


def test_the_best_seeds_meet_late_and_have_the_byes() -> None:
    assert seed_order(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    organiser = Organiser(6, STAGES["elimination"])
    draft = organiser.draft()
    assert [bye.player for bye in draft.byes] == [0, 1]
    assert {frozenset(one.players) for one in draft.pairings} == {
        frozenset({3, 4}),
        frozenset({2, 5}),
    }


@pytest.mark.parametrize(
    ("players", "losses", "slots"), [(2, 1, 1), (5, 1, 7), (8, 1, 7), (8, 2, 15), (16, 2, 31)]
)
def test_a_bracket_has_a_slot_for_each_loss(players: int, losses: int, slots: int) -> None:
    assert len(bracket_of(players, losses)) == slots


@pytest.mark.parametrize(
    ("players", "seats", "sizes"),
    [(8, 4, [4, 4]), (7, 4, [4, 3]), (9, 4, [3, 3, 3]), (16, 16, [16]), (5, 3, [3, 2])],
)
def test_tables_are_as_few_and_as_equal_as_can_be(
    players: int, seats: int, sizes: list[int]
) -> None:
    assert table_sizes(players, seats) == sizes


@pytest.mark.parametrize(("players", "seats"), [(5, 4), (0, 3), (2, 4)])
def test_players_who_do_not_fill_tables_are_too_few(players: int, seats: int) -> None:
    with pytest.raises(Refused, match="too_few_players"):
        table_sizes(players, seats)


def test_rows_and_pairings_say_their_group() -> None:
    stage = Stage("S", "round_robin", StageMatch("dollar-prize"), groups=2, seeding="entry")
    organiser = Organiser(8, stage)
    organiser.publish()
    state = organiser.state
    shown = show_round(state, 1, 1)
    assert {one.group: set(one.players) <= GROUPS[one.group or 0] for one in shown.pairings} == {
        1: True,
        2: True,
    }
    table = show_standings(state.competition, 1, state.results, state.players)
    assert {row.player: row.group for row in table.rows} == {
        player: number for number, group in GROUPS.items() for player in group
    }


GROUPS = {1: {0, 3, 4, 7}, 2: {1, 2, 5, 6}}
"""The snake of eight seeds."""
