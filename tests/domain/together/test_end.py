"""The end of the main match: winners and losers, tokens of life, garnets, the result."""

import pytest

from domain.game import Result
from domain.games.together.actions import GiveTokenOfLife
from domain.games.together.events import (
    GarnetsAwarded,
    MainMatchEnded,
    PoolsFormed,
    TokenOfLifeGiven,
    TokensOfLifeLapsed,
)
from domain.games.together.groups import PerGroup
from domain.games.together.rules import GAME
from tests.support.tables.game_table import Table
from tests.support.tables.together_tables import a, b, event, events, new, over, play, state


def ended(table: Table) -> MainMatchEnded:
    found = event(table, MainMatchEnded)
    assert isinstance(found, MainMatchEnded)
    return found


# Winners and losers.


def test_group_b_tokens_are_published_and_group_a_tokens_are_not() -> None:
    assert ended(over("ABAB", (0,), b_tokens=(4, 0))).b_tokens == (None, 4, None, 0)


def test_the_tokens_of_the_last_round_count_for_group_b() -> None:
    table = play(new("AABBB"), {0: a(0), 1: b(2, 2, 3), 3: a(0)})
    assert ended(table).b_tokens == (None, None, 3, 1, 1)


@pytest.mark.parametrize(
    ("groups", "leaving", "winners", "losers"),
    [
        ("AAAAAABB", ((5,), (1, 2), (0, 3, 4)), (0, 3, 4), (1, 2)),
        ("AAAABB", ((3,), (1, 2)), (0,), (1, 2)),
        ("AAABB", ((0, 1, 2),), (0, 1, 2), ()),
    ],
    ids=["left last", "a sole survivor, in a round of their own", "all in one round"],
)
def test_group_a_winners_left_last_and_losers_in_the_round_before(
    groups: str,
    leaving: tuple[tuple[int, ...], ...],
    winners: tuple[int, ...],
    losers: tuple[int, ...],
) -> None:
    end = ended(over(groups, *leaving, b_tokens=(1, 2)))
    assert (end.winners.a, end.losers.a) == (winners, losers)


def test_losers_are_those_of_the_latest_round_in_which_anybody_left() -> None:
    table = over("AAAABB", (3,), (1,), b_tokens=(1, 2), all_tied="none_out")
    end = ended(table.expired().expired())
    assert state(table).kicked_out[:4] == (4, 2, 4, 1)
    assert (end.winners.a, end.losers.a) == ((0, 2), (1,))


@pytest.mark.parametrize(
    ("tokens", "winners", "losers"),
    [
        ((1, 2, 3), (3,), (4,)),
        ((3, 3, 1), (4,), (2, 3)),
        ((2, 5, 2), (2, 4), (3,)),
        ((7, 7, 7), (), (2, 3, 4)),
        ((0, 0, 0), (), (2, 3, 4)),
    ],
)
def test_group_b_second_highest_number_wins_and_the_highest_loses(
    tokens: tuple[int, ...], winners: tuple[int, ...], losers: tuple[int, ...]
) -> None:
    end = ended(over("AABBB", (0, 1), b_tokens=tokens))
    assert (end.winners.b, end.losers.b) == (winners, losers)


@pytest.mark.parametrize(
    ("winner_rank", "loser_rank", "winners", "losers"),
    [
        (1, 2, (2, 4), (5,)),
        (1, 3, (2, 4), (3,)),
        (3, 2, (3,), (5,)),
        (4, 1, (), (2, 4)),
        (1, 32, (2, 4), ()),
        (31, 32, (), ()),
    ],
)
def test_the_ranks_of_group_b_are_options(
    winner_rank: int, loser_rank: int, winners: tuple[int, ...], losers: tuple[int, ...]
) -> None:
    table = over(
        "AABBBB", (0, 1), b_tokens=(9, 1, 9, 4), b_winner_rank=winner_rank, b_loser_rank=loser_rank
    )
    assert (ended(table).winners.b, ended(table).losers.b) == (winners, losers)


# Tokens of life.


def test_joint_winners_get_one_token_of_life_each() -> None:
    table = over("AAABBB", (2,), (0, 1), b_tokens=(1, 1, 2))
    assert ended(table).tokens_of_life == (1, 1, 0, 1, 1, 0)
    assert events(table, PoolsFormed)


def test_a_sole_winner_gets_two_and_is_waited_for() -> None:
    table = over("AAABBB", (2,), (0, 1), b_tokens=(0, 1, 2))
    assert ended(table).tokens_of_life == (1, 1, 0, 0, 2, 0)
    assert state(table).phase == "token_of_life"
    assert table.awaits.seats == (4,)
    assert not events(table, PoolsFormed)


def both_groups_give() -> Table:
    """Seats 0 and 4 have won alone; 1 and 5 have lost."""
    table = over("AAABBB", (2,), (1,), b_tokens=(0, 1, 2))
    assert state(table).tokens_of_life == (2, 0, 0, 0, 2, 0)
    return table


def test_sole_winners_of_both_groups_give_in_any_order() -> None:
    table = both_groups_give()
    assert list(table.awaits.seats) == [0, 4]
    table.when(4, GiveTokenOfLife(1)).then(TokenOfLifeGiven(4, 1))
    assert list(table.awaits.seats) == [0]
    assert state(table).tokens_of_life == (2, 1, 0, 0, 1, 0)
    table.when(0, GiveTokenOfLife(5))
    assert table.new[0] == TokenOfLifeGiven(0, 5)
    assert events(table, PoolsFormed)
    assert state(table).tokens_of_life == (1, 1, 0, 0, 1, 1)


def test_a_token_of_life_is_given_to_anybody_who_has_none() -> None:
    table = both_groups_give()
    for to in (0, 4):
        table.refused(0, GiveTokenOfLife(to), "holds_one")
    table.act(0, GiveTokenOfLife(3)).refused(4, GiveTokenOfLife(3), "holds_one")
    table.act(4, GiveTokenOfLife(5))


@pytest.mark.parametrize("to", [-1, 6, 2**53 - 1])
def test_a_token_of_life_is_given_to_a_seat(to: int) -> None:
    both_groups_give().refused(0, GiveTokenOfLife(to), "no_such_seat")


def test_only_a_holder_of_two_gives() -> None:
    table = both_groups_give()
    for seat in (1, 2, 3, 5):
        table.refused(seat, GiveTokenOfLife(1), "not_a_giver")
        assert table.menu(seat) == ()
    table.act(0, GiveTokenOfLife(1)).refused(0, GiveTokenOfLife(2), "not_a_giver")


def test_a_token_of_life_not_given_in_time_is_lost() -> None:
    table = both_groups_give().act(4, GiveTokenOfLife(1)).expired()
    assert table.new[0] == TokensOfLifeLapsed((0,))
    assert state(table).tokens_of_life == (1, 1, 0, 0, 1, 0)
    assert events(table, PoolsFormed)
    table = both_groups_give().expired()
    assert table.new[0] == TokensOfLifeLapsed((0, 4))
    assert state(table).tokens_of_life == (1, 0, 0, 0, 1, 0)


# Garnets, and the result.


def test_group_a_earns_a_garnet_for_every_round_survived() -> None:
    table = over("AAAAABB", (4,), (3,), (0, 1, 2), b_tokens=(1, 0)).expired()
    assert state(table).awarded[:5] == (2, 2, 2, 1, 0)
    assert table.result is not None
    assert table.result.scores[:5] == (3, 3, 3, 2, 1)


@pytest.mark.parametrize(
    ("b_tokens", "options"), [((6, 7, 13, 14), {}), ((2, 3, 5, 6), {"garnet_per_tokens": 3})]
)
def test_group_b_earns_a_garnet_for_every_seven_tokens_or_so_many(
    b_tokens: tuple[int, ...], options: dict[str, int]
) -> None:
    table = over("AABBBB", (0, 1), b_tokens=b_tokens, **options).expired()
    assert state(table).awarded == (0, 0, 0, 1, 1, 2)


def test_the_result_has_the_winners_and_losers_of_both_groups() -> None:
    table = both_groups_give()
    assert table.result is None
    table.expired()
    expected = Result((0, 4), (1, 5), shared=False, scores=(3, 2, 1, 0, 1, 2))
    assert table.result == expected
    assert isinstance(table.new[-1], GarnetsAwarded)
    assert table.awaits.seats == ()


def test_remaining_and_earned_garnets_return() -> None:
    table = over("AABB", (0,), b_tokens=(7, 20), garnets=(3, 0, 0, 1))
    assert GAME.balance is not None and GAME.payout is not None
    assert (GAME.balance(table.state), GAME.payout(table.state)) == ((3, 0, 0, 1), (0, 0, 0, 0))
    table.expired()
    assert (GAME.balance(table.state), GAME.payout(table.state)) == ((3, 0, 0, 1), (0, 1, 1, 2))


def test_winners_and_losers_are_ascending_whatever_the_groups() -> None:
    table = over("BABABA", (3,), (1, 5), b_tokens=(9, 2, 2))
    assert ended(table).winners == PerGroup((1, 5), (2, 4))
    assert table.result is not None
    assert table.result.winners == (1, 2, 4, 5)
    assert table.result.losers == (0, 3)
