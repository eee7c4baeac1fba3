"""Whole random matches, with few seats and with many."""

from random import Random
from typing import Any

import pytest

from domain.game import Result
from domain.games.together.events import GarnetsAwarded, RoundCounted
from domain.games.together.options import Options
from domain.games.together.rules import GAME, balance, payout, stake
from tests.support.games.together import holdings
from tests.support.tables.game_table import Table
from tests.support.tables.together_random_play import move
from tests.support.tables.together_tables import state

CHOSEN: tuple[dict[str, Any], ...] = (
    {},
    {"kick_rule": "fewest", "all_tied": "none_out"},
    {"b_self": True, "b_repeats": False, "reveal_vote_counts": "none"},
    {"ec_voters": "winners", "b_winner_rank": 3, "b_loser_rank": 2, "all_tied": "none_out"},
)


def played(seats: int, seed: int, **options: Any) -> Table:
    """A match from its first round to its end; the invariants hold at every step."""
    rng = Random(seed)
    garnets = tuple(rng.randrange(3) for _ in range(seats))
    table = Table(GAME, seats, Options(garnets=garnets, **options))
    while table.result is None:
        move(table, rng, lateness=1 / (2 * seats))
        assert all(holds(table.state) for holds in GAME.invariants.values())
    return table


@pytest.mark.parametrize("seats", [4, 5, 16, 32])
@pytest.mark.parametrize("options", CHOSEN)
def test_a_random_match_ends_and_everything_adds_up(seats: int, options: dict[str, Any]) -> None:
    for seed in range(3):
        table = played(seats, seed, **options)
        at = state(table)
        assert at.stage == ()
        assert (at.tokens, at.garnets) == holdings(at.options, seats, table.events)
        check_result(table)
        check_garnets(table)


def check_result(table: Table) -> None:
    at, result = state(table), table.result
    assert isinstance(result, Result)
    assert result.winners == tuple(sorted((*at.winners.a, *at.winners.b)))
    assert result.losers == tuple(sorted((*at.losers.a, *at.losers.b)))
    assert not set(result.winners) & set(result.losers)
    assert result.shared is False
    for seat in at.members.a:
        assert result.scores[seat] == at.kicked_out[seat]
    for seat in at.members.b:
        assert result.scores[seat] == at.tokens[seat]


def check_garnets(table: Table) -> None:
    """Garnets brought are paid or left; earned ones are added."""
    at = state(table)
    awarded = next(e.garnets for e in table.events if isinstance(e, GarnetsAwarded))
    paid = sum(len(e.charged) for e in table.events if isinstance(e, RoundCounted))
    before = stake(at.options, len(at.tokens))
    assert sum(balance(at)) == sum(before) - paid
    assert payout(at) == tuple(awarded)
    assert min(balance(at)) >= 0


@pytest.mark.parametrize("seats", [4, 16, 32])
def test_a_match_in_which_nobody_does_anything_ends(seats: int) -> None:
    """All on stage tie: they all win, and group B has only losers, of whom one is drawn."""
    table = Table(GAME, seats).expired()
    assert state(table).round == 1
    table.expired().expired()
    table.drawn(table.draw.parts[0].items)  # type: ignore[union-attr]  # it is a shuffle
    assert table.result == Result(
        tuple(range(seats // 2)), tuple(range(seats // 2, seats)), shared=False, scores=(1,) * seats
    )
    assert state(table).candidates.a is None
    assert state(table).candidates.b == seats // 2
