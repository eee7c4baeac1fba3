"""The menu and the view of every game: what an answer costs to make."""

from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec

from domain.games import GAMES
from projections.menu import answer
from projections.sight import Sight, see_all, view
from tests.benchmarks.played import positions
from tests.benchmarks.rows import Row, at_most

MATCHES = 3
_encode = msgspec.json.Encoder().encode


def measure(folder: Path) -> list[Row]:
    """Over every position of some matches: the menu, and the view after the last events."""
    made = []
    for game in GAMES.values():
        menus, views = [], []
        seats = game.seats[-1]
        sight, read = Sight(0), 0
        for played in positions(game, seats, MATCHES):
            seat = played.match.awaiting.seats[0]
            began = perf_counter()
            _encode(answer(game.legal(played.match.game, seat)))
            menus.append(perf_counter() - began)
            if len(played.records) < read:
                sight, read = Sight(0), 0
            began = perf_counter()
            sight = see_all(sight, played.records[read:])
            _encode(view("match", game.id, sight))
            views.append(perf_counter() - began)
            read = len(played.records)
        made.append(at_most(f"menu of {game.id}", median(menus) * 1e6, 100, "µs"))
        made.append(at_most(f"view of {game.id}", median(views) * 1e6, 100, "µs"))
    return made
