"""Tiebreaks, worked by hand, and what must hold for every table of standings."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.game import Refused, Result
from domain.tournament.commands import NewPlayer
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.history import Bye, Entrant, History, Pairing, PastRound, PlayedMatch
from domain.tournament.scores import points_at
from domain.tournament.stage_commands import CloseStage
from domain.tournament.stage_decide import planned_history
from domain.tournament.stages import PlacesOf, Stage, StageMatch, StagePoints, Tiebreak
from domain.tournament.state import standing_of
from domain.tournament.tiebreaks import value_of
from tests.domain.tournament.stage_play import Organiser

MATCH = StageMatch("dollar-prize")
SWISS = Stage("S", "swiss", MATCH)
ALL: tuple[Tiebreak, ...] = (
    "head_to_head", "buchholz", "buchholz_cut_1", "median_buchholz", "sonneborn_berger",
    "progressive", "wins", "opponents_win_rate", "score_difference", "score_sum", "lots",
)  # fmt: skip

WON, LOST = Result((0,), (1,), False, (3, 1)), Result((1,), (0,), False, (0, 2))
SHARED = Result((0, 1), (), True, (2, 2))


def match(first: int, second: int, result: Result, *, forfeit: bool = False) -> Pairing:
    return Pairing(1, (first, second), (), (PlayedMatch(result, forfeit=forfeit),))


HISTORY = History(
    SWISS,
    tuple(Entrant(player) for player in range(5)),
    (
        PastRound((match(0, 1, WON), match(2, 3, SHARED)), (Bye(4, "bye", ("odd_number",)),)),
        PastRound((match(0, 2, WON), match(4, 1, LOST)), (Bye(3, "bye_asked", ("asked",)),)),
        PastRound((match(4, 0, WON, forfeit=True), match(1, 2, WON)), (Bye(3, "absent", ()),)),
    ),
)
"""Points: 0 has 4, 1 has 4, 2 has 1, 3 has 2, 4 has 4."""

WORKED: dict[Tiebreak, dict[int, str]] = {
    # 0 met 1 (4) and 2 (1), and forfeited to 4: a dummy of min(4, 4). 3 left after a shared match
    # and a bye that was asked for: to others both rounds at the end count as shared: 1 + 1 + 1.
    "buchholz": {0: "9", 1: "9", 2: "11", 4: "11"},
    # Of 0 the round that it did not play voluntarily is cut first.
    "buchholz_cut_1": {0: "5", 1: "8", 2: "8", 4: "8"},
    "wins": {0: "2", 1: "2", 2: "0", 3: "0", 4: "1"},
    "progressive": {0: "10", 1: "6", 2: "3", 3: "5", 4: "8"},
    "score_sum": {0: "7", 1: "6", 2: "4", 3: "2", 4: "3"},
}


@pytest.mark.parametrize("tiebreak", WORKED)
def test_a_tiebreak_is_as_worked_by_hand(tiebreak: Tiebreak) -> None:
    table = reckoning_of(FORMATS["swiss"], HISTORY).crosstable
    found = {
        player: str(value_of(tiebreak, table, player, [player])) for player in WORKED[tiebreak]
    }
    assert found == WORKED[tiebreak]


def test_head_to_head_counts_only_if_all_who_are_level_have_met() -> None:
    table = reckoning_of(FORMATS["swiss"], HISTORY).crosstable
    assert value_of("head_to_head", table, 0, [0, 1]) == 2
    assert value_of("head_to_head", table, 1, [0, 1]) == 0
    assert value_of("head_to_head", table, 0, [0, 1, 3]) == 0


def found(stage: Stage, players: Sequence[Entrant], *rounds: PastRound) -> list[tuple[int, ...]]:
    """The place, the points and the tiebreaks of each player."""
    history, form = History(stage, tuple(players), rounds), FORMATS[stage.format]
    reckoning = reckoning_of(form, history)
    rows = sorted(reckoning.rows(form.places(history, reckoning)), key=lambda row: row.player)
    return [(row.place, *map(int, (row.points, *row.tiebreaks))) for row in rows]


ROBIN = Stage("R", "round_robin", MATCH, seeding="entry", tiebreaks=("sonneborn_berger",))
FOUR = tuple(Entrant(player) for player in range(4))
LEFT = (*FOUR[:3], Entrant(3, presence="out"))
FREE = Bye(1, "bye", ("opponent_withdrawn",))


def test_a_void_match_is_a_round_that_was_not_played() -> None:
    """0 met 1, who has 2, and in the void match a dummy of min(2, 2): that is not cut first, for no
    one wanted it (16.1, 16.4)."""
    stage = replace(SWISS, tiebreaks=("buchholz", "buchholz_cut_1"))
    void = Pairing(1, (0, 2), (), (PlayedMatch(void=True),))
    first = PastRound((match(0, 1, WON), match(2, 3, WON)))
    rows = found(stage, FOUR, first, PastRound((void, match(1, 3, WON))))
    assert rows == [(1, 2, 4, 2), (2, 2, 2, 2), (2, 2, 2, 2), (4, 0, 4, 2)]


def test_a_game_that_is_missed_in_a_round_robin_counts_like_others() -> None:
    """3 leaves after two of three games with 4 points: the win of 1 by forfeit is worth 2 times 4
    in Sonneborn-Berger, as the others' games against 3 were (15.2)."""
    assert found(
        ROBIN,
        LEFT,
        PastRound((match(3, 0, WON), match(1, 2, SHARED))),
        PastRound((match(3, 2, WON), match(0, 1, WON))),
        PastRound((match(2, 0, WON),), (FREE,)),
    ) == [(4, 2, 6), (2, 3, 11), (3, 3, 7), (1, 4, 10)]


def test_who_is_annulled_has_nothing_from_byes() -> None:
    """1 has played one of three games, as that with 2 is void, and the bye for 3 is no game."""
    void = Pairing(1, (1, 2), (), (PlayedMatch(void=True),))
    rows = found(
        ROBIN,
        (FOUR[0], Entrant(1, presence="out"), *LEFT[2:]),
        PastRound((match(3, 0, WON), void)),
        PastRound((match(3, 2, WON), match(0, 1, LOST))),
        PastRound((match(2, 0, WON),), (FREE,)),
    )
    assert [points for _, points, _ in rows] == [0, 0, 2, 4]


def test_in_a_group_nothing_but_the_tiebreaks_separates() -> None:
    """0, 1 and 2 are level, and 0 and 1 after that among the three; that 0 has beaten 1 counts no
    second time."""
    points = StagePoints(win=1, share=0)
    assert found(
        replace(ROBIN, points=points, tiebreaks=("head_to_head",)),
        FOUR,
        PastRound((match(3, 0, WON), match(1, 2, WON))),
        PastRound((match(2, 3, WON), match(0, 1, WON))),
        PastRound((match(3, 1, WON), match(2, 0, SHARED))),
    ) == [(2, 1, 1), (2, 1, 1), (4, 1, 0), (1, 2, 0)]


def test_who_has_no_part_in_a_shared_victory_has_lost() -> None:
    shared = Result((1, 2), (), True, (0, 3, 3))
    assert [points_at(StagePoints(), shared, seat) for seat in range(3)] == [0, 1, 1]


def test_a_forfeit_is_no_encounter_in_a_swiss() -> None:
    table = reckoning_of(FORMATS["swiss"], HISTORY).crosstable
    assert value_of("head_to_head", table, 4, [0, 4]) == 0


@given(st.integers(4, 12), st.integers(0, 2**32))
def test_standings_are_one_order_of_all_players(players: int, seed: int) -> None:
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3, tiebreaks=ALL)
    organiser = Organiser(players, stage, rng=Random(seed))
    organiser.rounds(3)
    history = planned_history(standing_of(organiser.state), 1)
    reckoning = reckoning_of(FORMATS["swiss"], history)
    order = FORMATS["swiss"].places(history, reckoning)
    rows = reckoning.rows(order)
    assert sorted(row.player for row in rows) == list(range(players))
    keys = [(row.points, *row.tiebreaks) for row in rows]
    assert keys == sorted(keys, reverse=True)
    given_out = sum((row.points for row in rows), Fraction(0))
    bye = players % 2 * 3 * 2
    assert given_out == 3 * 2 * (players // 2) + bye
    for row in rows:
        for _, value, parts in reckoning.explained(row.player, order):
            assert value == sum((part.points for part in parts if part.counted), Fraction(0))


def test_lots_separate_once_they_are_drawn() -> None:
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=1, tiebreaks=("lots",))
    organiser = Organiser(4, stage)
    organiser.publish()
    for match in organiser.running():
        organiser.settle(match, SHARED)
    history = organiser.history()
    assert len(FORMATS["swiss"].places(history, reckoning_of(FORMATS["swiss"], history)).ties) == 1
    with pytest.raises(Refused, match="lots_not_drawn"):
        organiser.do(CloseStage(1))
    organiser.draw("stage 1")
    organiser.do(CloseStage(1))
    assert organiser.state.competition.stages[0].places == organiser.history().lots


def test_whoever_enters_after_the_lots_stands_behind_them() -> None:
    """Two of three go on who have no points, and one of these entered late."""
    points = StagePoints(share=0)
    swiss = Stage("S", "swiss", StageMatch("dollar-prize"), seeding="lots", points=points)
    final = Stage("F", "elimination", StageMatch("dollar-prize"), entrants=PlacesOf(1, (1, 2)))
    organiser = Organiser(2, swiss, final)
    organiser.publish()
    organiser.do(NewPlayer("Late"))
    for match in organiser.running():
        organiser.settle(match, SHARED)
    organiser.do(CloseStage(1))
    assert organiser.state.competition.stages[0].places[-1] == 2
