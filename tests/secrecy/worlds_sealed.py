"""Two matches in a sealed phase, in which seat 0 acts alike and all others differ."""

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from domain.match.commands import Act
from domain.match.state import AnyGame
from tests.support.instants import SECOND
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import any_refusable, as_sent, choices
from tests.support.tables.match_table import MatchTable, seated
from tests.support.worlds import next_key

VIEWER = 0
MOMENTS = 8
"""Instants, a second apart, at each of which someone may act."""


def sealed_worlds(
    game: AnyGame, options: object, seats: int, rng: Random, before: Sequence[Act] = ()
) -> tuple[MatchTable, MatchTable]:
    """Both matches, after `before` and some seconds of the phase that is open then.

    At odd instants the viewer acts, at even ones the others may: none or all of them, once or five
    times, validly or not. None of it ends the phase.
    """
    seed = rng.random()
    worlds = []
    for _ in range(2):
        table = seated(game, seats, options, "manual", "rules").when(START)
        for act in before:
            table.when(act)
        _play(table, Random(seed), rng)
        worlds.append(table)
    return worlds[0], worlds[1]


def _play(table: MatchTable, own: Random, others: Random) -> None:
    begin = table.at
    busy = others.choice((0.0, 0.5, 1.0))
    for moment in range(1, MOMENTS + 1):
        at = begin + moment * SECOND
        if moment % 2:
            table.when(_keyed(table, _refused(table, VIEWER, own)), at)
            continue
        for seat in table.seats:
            for _ in range(others.choice((1, 1, 5))):
                if seat != VIEWER and others.random() < busy:
                    table.when(_keyed(table, _anything(table, seat, others)), at)


def _keyed(table: MatchTable, act: Act) -> Act:
    return replace(act, key=next_key(table, act.seat))


def _anything(table: MatchTable, seat: int, rng: Random) -> Act:
    """An action from the seat's menu, or one that is refused or invalid."""
    offered = [act for act in choices(table) if act.seat == seat]
    return rng.choice(offered) if offered and rng.random() < 0.7 else _refused(table, seat, rng)


def _refused(table: MatchTable, seat: int, rng: Random) -> Act:
    action = any_refusable(table, seat, rng)
    assert action is not None
    return Act(seat, action, as_sent(action))
