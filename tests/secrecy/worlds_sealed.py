"""Two matches in a sealed phase, in which a viewer acts alike and all others differ."""

from collections.abc import Callable
from random import Random

from domain.match.commands import Act
from projections.audience.disclosure import Viewer
from tests.support.instants import SECOND
from tests.support.tables.game_strategies import any_refusable, as_sent, choices
from tests.support.tables.match_table import MatchTable
from tests.support.worlds import next_key

VIEWER = 0
MOMENTS = 8
"""Instants, a second apart, at each of which someone may act."""

Choose = Callable[[MatchTable, int, Random], Act]


def anything(table: MatchTable, seat: int, rng: Random) -> Act:
    """An action from the seat's menu, or one that is refused or invalid."""
    offered = [act for act in choices(table) if act.seat == seat]
    return rng.choice(offered) if offered and rng.random() < 0.7 else refused(table, seat, rng)


def refused(table: MatchTable, seat: int, rng: Random) -> Act:
    action = any_refusable(table, seat, rng)
    assert action is not None
    return Act(seat, action, as_sent(action))


def sealed_worlds(
    begin: Callable[[], MatchTable], rng: Random, viewer: Viewer = VIEWER, own: Choose = refused
) -> tuple[MatchTable, MatchTable]:
    """Both matches, some seconds after what is open at their beginning.

    At odd instants the viewer acts, if it is a seat, at even ones the others may: none or all of
    them, once or five times, validly or not. None of it may end the phase.
    """
    seed = rng.random()
    worlds = []
    for _ in range(2):
        table = begin()
        _play(table, viewer, own, Random(seed), rng)
        worlds.append(table)
    return worlds[0], worlds[1]


def _play(table: MatchTable, viewer: Viewer, own: Choose, mine: Random, others: Random) -> None:
    start = table.at
    busy = others.choice((0.0, 0.5, 1.0))
    for moment in range(1, MOMENTS + 1):
        at = start + moment * SECOND
        if moment % 2:
            if isinstance(viewer, int):
                _send(table, own(table, viewer, mine), at)
            continue
        for seat in table.seats:
            for _ in range(others.choice((1, 1, 5))):
                if seat != viewer and others.random() < busy:
                    _send(table, anything(table, seat, others), at)


def _send(table: MatchTable, act: Act, at: int) -> None:
    table.act(act.seat, act.action, next_key(table, act.seat), at)
