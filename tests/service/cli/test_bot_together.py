"""The bot of Together We Survive plays by its view and its menu alone."""

from random import Random

import pytest

from domain.commands import PassDeadline, Start
from domain.games.together.actions import Submit
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from tests.support.cli.together_bots import choice, played
from tests.support.tables.match_table import seated


@pytest.mark.parametrize("seats", [4, 5, 8, 16, 32])
def test_bots_play_a_match_to_its_end(seats: int) -> None:
    """Every submission of the bots counts, and the stage is empty long before all tokens are
    spent."""
    for seed in range(3):
        table = played(seed, seats, 200)
        assert table.match.status == "ended"
        assert len(table.match.game.members.a) >= table.match.game.round - 1


@pytest.mark.parametrize(
    "options",
    [
        Options(kick_rule="fewest", all_tied="none_out"),
        Options(b_repeats=False, b_self=True, reveal_vote_counts="none"),
        Options(ec_voters="winners", b_winner_rank=3),
    ],
)
def test_bots_play_by_any_options(options: Options) -> None:
    for seats in (4, 5, 9):
        assert played(seats, seats, 200, options).match.status == "ended"


def test_bots_with_another_seed_play_other_matches() -> None:
    one, other = played(1, 6, 3), played(2, 6, 3)
    assert one.events != other.events
    assert one.events == played(1, 6, 3).events


def test_bots_do_not_vote_for_themselves_where_votes_are_bad() -> None:
    table = seated(GAME, 6).when(Start())
    for seed in range(40):
        action = choice(table, 0, Random(seed))
        assert 0 not in (action["a"] or ())


def test_a_bot_without_garnets_sends_one_type_only() -> None:
    table = seated(GAME, 6).when(Start())
    actions = [choice(table, 0, Random(seed)) for seed in range(40)]
    assert all(action["a"] is None or action["b"] is None for action in actions)
    assert not any(action["pay_garnet"] for action in actions)
    assert {action["a"] is None for action in actions} == {True, False}


def test_bots_learn_from_who_left_that_few_votes_are_bad() -> None:
    """After a round in which a seat without votes left, those on stage vote for themselves."""
    table = seated(GAME, 8, Options(kick_rule="fewest"), clock="rules").when(Start())
    for seat in (0, 1, 2):
        table.accepted(seat, Submit(a=(seat,), round=1))
    table.when(PassDeadline(), table.due)
    assert table.match.game.stage == (0, 1, 2)
    votes = [choice(table, 0, Random(seed))["a"] for seed in range(40)]
    assert {tuple(set(vote)) for vote in votes if vote} == {(0,)}
