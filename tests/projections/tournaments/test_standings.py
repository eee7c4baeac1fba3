"""Standings: how matches count, and the order of the players."""

from domain.game import Result
from projections.tournaments.standings import Standing, counted, ranked

WON = Result((0,), (1,), False, (3, 1))
SHARED = Result((0, 1), (), True, (2, 2))
SIDES = Result((0, 2), (1,), False, (3, 1, 3, 0))


def test_a_match_counts_for_everybody_who_played_in_it() -> None:
    assert list(counted((7, 4), WON)) == [(7, (1, 1, 0, 0)), (4, (1, 0, 0, 1))]
    assert list(counted((7, 4), SHARED)) == [(7, (1, 0, 1, 0)), (4, (1, 0, 1, 0))]


def test_a_side_wins_together_and_the_undecided_have_played() -> None:
    assert list(counted((3, 2, 1, 0), SIDES)) == [
        (3, (1, 1, 0, 0)), (2, (1, 0, 0, 1)), (1, (1, 1, 0, 0)), (0, (1, 0, 0, 0)),
    ]  # fmt: skip


def test_a_winner_has_not_lost() -> None:
    assert list(counted((0,), Result((0,), (0,), False, (1,)))) == [(0, (1, 1, 0, 0))]


def test_standings_are_sorted_by_won_shared_and_name() -> None:
    ann, ben = Standing(0, "Ann", 3, 1, 1, 1), Standing(1, "Ben", 1, 1, 0, 0)
    cy, abe = Standing(2, "Cy", 1, 0, 1, 0), Standing(3, "Abe", 9, 0, 0, 9)
    zoe = Standing(4, "Zoe", 0, 0, 0, 0)
    assert ranked([zoe, abe, cy, ben, ann]) == [ann, ben, cy, abe, zoe]
